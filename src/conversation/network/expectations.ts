// Expectations of a channel on its participants' timing, and actions on late ones.
//
//   EXP1. Each kind of channel declares expectations. Each declared expectation can be evaluated.
//   EXP2. An expectation fires once for each awaited event; a new awaited event lets it fire again.
//   EXP3. The due time of the next expectation is known, so a timer can wait for it without polling.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { durationMs } from "../../base/duration.ts";
import type { ChannelState } from "./channel.ts";
import type { ChannelKind } from "./network-rules.ts";

/** Expected event: acknowledgements, a reply, any message, or the message of the current turn. */
export type ExpectationKind = "acks_within" | "reply_within" | "max_silence" | "turn_within";

/** Action: a record, a note to all, a note to the late participant, passing its turn on, or the end. */
export type ExpectationAction = "audit" | "notify_channel" | "warn" | "hide" | "auto_close";

/** An expected event with a time limit. */
export type Expectation = {
  readonly kind: ExpectationKind;
  readonly withinMs: number;
  readonly action: ExpectationAction;
};

/** Default expectations of each kind of channel. */
export const CHANNEL_EXPECTATIONS: Readonly<Record<ChannelKind, readonly Expectation[]>> = {
  consulting: [
    { kind: "acks_within", withinMs: 30_000, action: "auto_close" },
    { kind: "reply_within", withinMs: 600_000, action: "auto_close" },
  ],
  conversation: [{ kind: "max_silence", withinMs: 3_600_000, action: "audit" }],
  discussion: [
    { kind: "turn_within", withinMs: 120_000, action: "warn" },
    { kind: "turn_within", withinMs: 600_000, action: "hide" },
  ],
  workflow: [
    { kind: "turn_within", withinMs: 120_000, action: "warn" },
    { kind: "turn_within", withinMs: 600_000, action: "auto_close" },
  ],
};

/** An expectation as written. */
export type ExpectationOptions = {
  readonly kind: ExpectationKind;
  /** `30s`, `5m`, `2h`, `1d`, or a number of seconds. */
  readonly within: string | number;
  readonly action: ExpectationAction;
};

const KINDS: readonly unknown[] = ["acks_within", "reply_within", "max_silence", "turn_within"];
const ACTIONS: readonly unknown[] = ["audit", "notify_channel", "warn", "hide", "auto_close"];

/** Throws `invalid_definition` for an expectation that cannot fire: EXP1. */
export function readExpectation({ kind, within, action }: ExpectationOptions): Expectation {
  if (!KINDS.includes(kind))
    throw invalidDefinition(`an expectation is one of ${KINDS.join(", ")}, got ${preview(kind)}`);
  if (!ACTIONS.includes(action))
    throw invalidDefinition(
      `the action of an expectation is one of ${ACTIONS.join(", ")}, got ${preview(action)}`,
    );
  if (kind === "max_silence" && (action === "warn" || action === "hide"))
    throw invalidDefinition(
      `max_silence belongs to no member, so no member is there to ${action}: use audit, notify_channel or auto_close`,
    );
  return { kind, withinMs: durationMs(within), action };
}

/** State that an expectation evaluates. */
export type ExpectationFacts = Pick<
  ChannelState,
  | "participants"
  | "acknowledged"
  | "turnSinceMs"
  | "messageCount"
  | "createdAtMs"
  | "lastMessageAtMs"
> & {
  readonly status: "pending" | "active" | "closing" | "closed" | "expired";
  readonly turnOf?: string | undefined;
};

/** A violated expectation. */
export type ExpectationViolation = {
  readonly expectation: Expectation;
  /** Late participants; empty if no particular participant is late. */
  readonly late: readonly string[];
  /** Key of the awaited event: an expectation fires once for each. */
  readonly key: string;
};

/** Returns the expectations violated now, and the due time of the next one. */
export function dueExpectations(
  expectations: readonly Expectation[],
  facts: ExpectationFacts,
  { nowMs, fired }: { readonly nowMs: number; readonly fired: ReadonlySet<string> },
): { readonly violations: readonly ExpectationViolation[]; readonly nextAtMs?: number } {
  const violations: ExpectationViolation[] = [];
  let nextAtMs = Infinity;
  for (const expectation of expectations) {
    const awaited = awaitedBy(expectation.kind, facts);
    if (awaited === undefined) continue;
    const key = `${expectation.kind}:${expectation.withinMs}:${expectation.action}:${awaited.what}`;
    if (fired.has(key)) continue;
    const dueAtMs = awaited.sinceMs + expectation.withinMs;
    if (dueAtMs <= nowMs) violations.push({ expectation, late: awaited.late, key });
    else nextAtMs = Math.min(nextAtMs, dueAtMs);
  }
  return Number.isFinite(nextAtMs) ? { violations, nextAtMs } : { violations };
}

type Awaited = {
  readonly what: string;
  readonly sinceMs: number;
  readonly late: readonly string[];
};

/** Returns the event that a channel awaits now, if any. */
function awaitedBy(kind: ExpectationKind, facts: ExpectationFacts): Awaited | undefined {
  const { status, participants, messageCount, turnOf } = facts;
  if (kind === "acks_within") {
    const late = participants.filter((name) => !facts.acknowledged.includes(name));
    return status === "pending" ? { what: "acks", sinceMs: facts.createdAtMs, late } : undefined;
  }
  if (status !== "active") return undefined;
  switch (kind) {
    case "reply_within":
      return messageCount === 1
        ? {
            what: "reply",
            sinceMs: facts.lastMessageAtMs,
            late: turnOf === undefined ? [] : [turnOf],
          }
        : undefined;
    case "max_silence":
      return {
        what: `message ${messageCount}`,
        sinceMs: messageCount === 0 ? facts.turnSinceMs : facts.lastMessageAtMs,
        late: [],
      };
    default:
      return turnOf === undefined
        ? undefined
        : { what: `${turnOf} at ${facts.turnSinceMs}`, sinceMs: facts.turnSinceMs, late: [turnOf] };
  }
}
