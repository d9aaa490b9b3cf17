import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { ContextChange } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { TimedRound } from "../network/timed-round.ts";
import type { MemberNote } from "../targets/handoff-messages.ts";
import type { RecordedTarget } from "../targets/recorded-target.ts";
import type { RecordedTurn } from "../turns/turn.ts";

/** Recorded result of a round: all its changes. */
export type RoundResult = {
  /** The member, the executor of calls, or the substitute of a member; absent for a round with only a function. */
  readonly speaker?: string;
  readonly message?: ConversationMessage;
  /** Set for the opening message of a chat, which may stand in the inputs of the run, too. */
  readonly opens?: true;
  /** Different messages for single members, by name. */
  readonly received?: Readonly<Record<string, ConversationMessage>>;
  /** Reason for the end of the conversation. */
  readonly ended?: string;
  /** Further results of a member's turn. */
  readonly turn?: Omit<
    RecordedTurn,
    "reply" | "ended" | "changes" | "target" | "transfer" | "usage"
  >;
  readonly changes: readonly ContextChange[];
  readonly notes?: readonly MemberNote[];
  readonly usage: Readonly<Record<string, Usage>>;
  /** The selection's state for later rounds. */
  readonly kept?: JsonObject;
  /** Start of the next round. */
  readonly pending?: RecordedTarget;
  /** Notes of a time-limiting selection about the round. */
  readonly timed?: TimedRound;
  /** Id of a person's message to the run, which is the message of this round. */
  readonly mail?: string;
  /** The member that answers a person's message. */
  readonly addressed?: string;
  /** Set for a round that a person's message interrupted. It has no message. */
  readonly interrupted?: true;
  /** Clearing command removed from the message. */
  readonly forget?: { readonly keep: number; readonly agent?: string };
};
