// Those who are invited to a channel say whether they take part.
//
//   INV1. Agents and people take part at once, unless their member asks first: then a person answers a question of their own.
//   INV2. One who refuses closes the channel. What is expected of acknowledgements fires at its time, and asks nobody any more who is
//         left out or whose channel has closed.
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { dueExpectations, type Expectation } from "./expectations.ts";
import type { OpenedChannel } from "./turn-order.ts";
import type { ChannelViolation } from "./timed-round.ts";

/** What came of the invitations. */
export type Invited = {
  readonly violations: readonly ChannelViolation[];
  /** Those who are left out. */
  readonly hidden: readonly string[];
  /** Why the channel has closed before anybody spoke. */
  readonly closed?: string;
};

/** What is asked of whom. */
export type Invitation = OpenedChannel & {
  readonly channel: string;
  /** Those of the participants who are asked. */
  readonly asked: readonly string[];
  readonly message: string;
  readonly expectations: readonly Expectation[];
};

type Answered = { readonly name: string; readonly isAccepted: boolean; readonly reason?: string };

/** Asks those who are to be asked, as one step at `place`; where there is nobody it writes nothing. */
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
    // oxlint-disable-next-line no-await-in-loop -- each answer decides whether there is more to wait for
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

/** Approval is taking part, and so is any word; a refusal may have a reason. */
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
