import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { HandoffCause, SpeakerCause } from "../events.ts";
import type { ConversationMessage } from "../messages.ts";
import type { RunnableTarget, TransitionTarget } from "../targets/targets.ts";
import type { Talk } from "../chats/talk.ts";
import type { ChatPlace } from "../chats/chat-place.ts";
import type { RegisteredTargets } from "../targets/recorded-target.ts";
import type { HandoffsByName } from "./group-targets.ts";
import type { RoundResult } from "./round-result.ts";

/** Several agents that talk with each other, and the selection of their speakers. */
export type Group = {
  /** Recipient of the members' messages; it sends none itself. Its predicate ends the conversation. */
  readonly manager: ConversableAgent;
  /** Members in order. */
  readonly members: readonly ConversableAgent[];
  /** Maximum number of messages, including the opening one. */
  readonly maxRounds: number;
  /** Makes the speaker selection, one for each talk of the group. */
  readonly selection: (run: GroupRun) => SpeakerSelection;
  /** First message to every member, outside of the transcript. */
  readonly introduction?: string | undefined;
  /** True if members may clear histories with a command in their messages. */
  readonly enableClearHistory?: boolean | undefined;
  /** Hand-overs, for a group with hand-overs. */
  readonly handoffs?: HandoffsByName | undefined;
  /** Name of the agent that speaks for a person. */
  readonly userAgent?: string | undefined;
  /** Next target without a matching hand-over. */
  readonly afterWork?: TransitionTarget | undefined;
  /** True if members see calls that hand over, and their results. @default false */
  readonly showsTransfers?: boolean | undefined;
  /** True if a member without a reply ends the conversation, as in AG2. @default false */
  readonly endsOnSilence?: boolean | undefined;
  /** True if an empty text counts as no reply. @default false: it is a message */
  readonly passesOverEmpty?: boolean | undefined;
  /** Returns true if the receiver sees the sender's messages. @default always true */
  readonly reaches?: ((sender: string, receiver: string) => boolean) | undefined;
};

/** A group during its talk. It has all state for the selection, derived from recorded rounds. */
export type GroupRun = {
  readonly group: Group;
  readonly talk: Talk;
  readonly place: ChatPlace;
  /** Messages with the names of their authors. */
  readonly transcript: readonly ConversationMessage[];
  readonly targets: RegisteredTargets;
  /** Author of the last message; the opener of the conversation if no member spoke. */
  lastSpeaker: string;
  /** Next target from the last turn, unless another decision comes first. */
  pending: TransitionTarget | undefined;
  /** Next speaker, named by a person's message; it comes before every other decision. */
  addressed: string | undefined;
  /** True if the last message is a person's to the run. */
  isAsked: boolean;
  /** Number of rounds whose speaker was chosen. */
  rounds: number;
  /** Number of target functions called since the last message. */
  functionsInRow: number;
  /** Members without a reply to the last message. */
  readonly silent: Set<string>;
};

/** Decision about a round. */
export type SpeakerDecision = {
  /** Usage of the selecting models. */
  readonly usage?: Readonly<Record<string, Usage>>;
  /** State for later rounds. */
  readonly kept?: JsonObject | undefined;
  readonly handoff?: {
    readonly cause: HandoffCause;
    readonly source: string;
    readonly target: string;
  };
} & (
  | { readonly kind: "speaker"; readonly name: string; readonly cause: SpeakerCause }
  | { readonly kind: "tools" }
  | { readonly kind: "run"; readonly target: RunnableTarget; readonly owner: string }
  | { readonly kind: "end"; readonly reason: string }
);

/** Finds the next speaker of a group. */
export interface SpeakerSelection {
  /** Decides below `place`. It may ask models and people and call functions there. */
  next(place: RunScope): Promise<SpeakerDecision>;
  /** Called after each finished round, also in a replay. */
  readonly follow?: (round: RoundResult) => void;
  /** Carries out the round below `place`. May limit its time and handle the result. */
  readonly during?: (
    place: RunScope,
    decision: SpeakerDecision,
    carryOut: (limits?: RoundLimits) => Promise<RoundOutcome>,
  ) => Promise<RoundOutcome>;
}

/** Limits of a round. */
export type RoundLimits = {
  /** Deadline of a member's models, in milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
};

/** Outcome of a round, as code uses it. */
export type RoundOutcome = Partial<Omit<RoundResult, "pending">> & {
  readonly pending?: TransitionTarget;
};
