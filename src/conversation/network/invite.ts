// Invitations to a channel, and the participants' answers.
//
//   INV1. Agents and people take part at once, unless their member asks first: then a person answers a separate
//         question.
//   INV2. A refusal closes the channel. Expectations on acknowledgements fire at their time. Then hidden members, and
//         members of a closed channel, are no longer asked.
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { dueExpectations, type Expectation } from "./expectations.ts";
import type { OpenedChannel } from "./turn-order.ts";
import type { ChannelViolation } from "./timed-round.ts";

/** Result of the invitations. */
export type Invited = {
  readonly violations: readonly ChannelViolation[];
  /** Hidden members. */
  readonly hidden: readonly string[];
  /** Reason for closing the channel before the first message. */
  readonly closed?: string;
};

/** Invitation to a channel. */
export type Invitation = OpenedChannel & {
  readonly channel: string;
  /** The participants to ask. */
  readonly asked: readonly string[];
  readonly message: string;
  readonly expectations: readonly Expectation[];
};

type Answered = { readonly name: string; readonly isAccepted: boolean; readonly reason?: string };

/** Asks the participants in `asked`, as one step at `place`. Without any it writes no step. */
export async function invite(place: RunScope, invitation: Invitation): Promise<Invited> {
  if (invitation.asked.length === 0) return { violations: [], hidden: [] };
  return place.group<Invited>("group", (inside) => invited(inside, invitation));
}

async function invited(place: RunScope, invitation: Invitation): Promise<Invited> {
  const { channel, participants, openedAtMs, asked, expectations } = invitation;
  const open = new Map(asked.map((name) => [name, answerOf(place, invitation, name)]));
  const fired = new Set<string>();
  const violations: ChannelViolation[] = [];
  let nowMs = openedAtMs;
  for (let count = 1; open.size > 0; count++) {
    const facts = {
      status: "pending",
      participants,
      acknowledged: participants.filter((name) => !open.has(name)),
      turnSinceMs: openedAtMs,
      messageCount: 0,
      createdAtMs: openedAtMs,
      lastMessageAtMs: openedAtMs,
    } as const;
    const { violations: due, nextAtMs } = dueExpectations(expectations, facts, { nowMs, fired });
    for (const { expectation, late, key } of due) {
      fired.add(key);
      const { kind, action, withinMs } = expectation;
      violations.push({ expectation: kind, action, late, atMs: nowMs });
      const about = { channel, expectation: kind, action, withinMs, late };
      place.emit("chat_expectation_violated", about, violations.length);
      if (action === "hide") return { violations, hidden: late };
      const who = late.map((name) => `"${name}"`).join(", ");
      if (action === "auto_close")
        return { violations, hidden: [], closed: `${kind} was not met by ${who}` };
    }
    const timer =
      nextAtMs === undefined
        ? []
        : [
            place
              .at(`timer:${count}`)
              .wait<null>({ kind: "timer", dueAtMs: nextAtMs })
              .then(() => undefined),
          ];
    const answer = await Promise.race([...open.values(), ...timer]);
    if (answer === undefined) {
      nowMs = nextAtMs ?? nowMs;
      continue;
    }
    const { name: member, isAccepted, reason } = answer;
    open.delete(member);
    const why = reason === undefined ? undefined : { reason };
    place
      .at(keySegment(member))
      .emit("chat_channel_acknowledged", { channel, member, isAccepted, ...why });
    if (!isAccepted)
      return {
        violations,
        hidden: [],
        closed: `rejected by "${member}"${reason === undefined ? "" : `: ${reason}`}`,
      };
  }
  return { violations, hidden: [] };
}

/** Approval and any other text accept; a refusal may have a reason. */
async function answerOf(
  place: RunScope,
  { channel, kind, initiator, message }: Invitation,
  name: string,
): Promise<Answered> {
  const answer = await place.at(keySegment(name)).wait<JsonObject>({
    kind: "human",
    prompt: `${initiator} invites ${name} to a ${kind}. Do you take part?\n\n${message}`,
    subject: message,
    data: { agent: name, peer: initiator, channel },
  });
  const { approve, feedback } = answer;
  const isAccepted = approve !== false;
  return {
    name,
    isAccepted,
    ...(!isAccepted && typeof feedback === "string" ? { reason: feedback } : undefined),
  };
}
