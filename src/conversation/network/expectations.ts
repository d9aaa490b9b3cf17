// What a channel expects of its participants in time, and what happens when they are late.
//
//   EXP1. Each kind of channel declares expectations, and each of them can be evaluated. None is only declared.
//   EXP2. An expectation fires once for what it waits for; something new to wait for lets it fire again.
//   EXP3. When the next one is due is known, so that a timer can wait for it and nobody has to look.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { durationMs } from "../../base/duration.ts";
import type { ChannelState } from "./channel.ts";
import type { ChannelKind } from "./network-rules.ts";

/** What is expected: acknowledgements, a reply, any message, or the message of whose turn it is. */
export type ExpectationKind = "acks_within" | "reply_within" | "max_silence" | "turn_within";

/** What happens: a record, a note to all, a note to the one who is late, its turn passes on, or the end. */
export type ExpectationAction = "audit" | "notify_channel" | "warn" | "hide" | "auto_close";

/** Something that is expected within a time. */
export type Expectation = {
  readonly kind: ExpectationKind;
  readonly withinMs: number;
  readonly action: ExpectationAction;
};

/** What a channel of a kind expects unless it says otherwise. */
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

/** An expectation as it is written. */
export type ExpectationOptions = {
  readonly kind: ExpectationKind;
  /** `30s`, `5m`, `2h`, `1d`, or a number of seconds. */
  readonly within: string | number;
  readonly action: ExpectationAction;
};

const KINDS: readonly unknown[] = ["acks_within", "reply_within", "max_silence", "turn_within"];
const ACTIONS: readonly unknown[] = ["audit", "notify_channel", "warn", "hide", "auto_close"];

/** Throws `invalid_definition` for one that cannot fire: EXP1. */
export function readExpectation({ kind, within, action }: ExpectationOptions): Expectation {
  if (!KINDS.includes(kind))
    throw invalidDefinition(`an expectation is one of ${KINDS.join(", ")}, got ${preview(kind)}`);
  if (!ACTIONS.includes(action))
    throw invalidDefinition(
      `the action of an expectation is one of ${ACTIONS.join(", ")}, got ${preview(action)}`,
    );
  if (kind === "max_silence" && (action === "warn" || action === "hide"))
    throw invalidDefinition(
      `max_silence is nobody's in particular, so there is nobody to ${action}: use audit, notify_channel or auto_close`,
    );
  return { kind, withinMs: durationMs(within), action };
}

/** What an expectation looks at. */
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

/** An expectation that was not met. */
export type ExpectationViolation = {
  readonly expectation: Expectation;
  /** Those who are late; empty when it is nobody in particular. */
  readonly late: readonly string[];
  /** Names what was waited for: an expectation fires once for each. */
  readonly key: string;
};

/** The expectations that are not met now, and when the next one is due. */
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

/** What a channel waits for at the moment, if it does. */
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
