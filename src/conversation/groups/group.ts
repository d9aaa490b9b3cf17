import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ContextChange } from "../context-variables.ts";
import type { HandoffCause, SpeakerCause } from "../events.ts";
import type { MemberNote } from "../handoff-messages.ts";
import type { ConversationMessage } from "../messages.ts";
import type { RunnableTarget, TransitionTarget } from "../targets.ts";
import type { Talk } from "../chats/talk.ts";
import type { ChatPlace } from "../chats/chat-place.ts";
import type { RecordedTarget, RegisteredTargets } from "../recorded-target.ts";
import type { TimedRound } from "../network/timed-round.ts";
import type { RecordedTurn } from "../turns/turn.ts";
import type { HandoffsByName } from "./group-targets.ts";

/** Several agents that talk with each other, and how it is decided who of them speaks. */
export type Group = {
  /** Whom members answer; it says nothing itself. Its predicate ends the conversation. */
  readonly manager: ConversableAgent;
  /** In their order. */
  readonly members: readonly ConversableAgent[];
  /** Messages, with the opening one. */
  readonly maxRounds: number;
  /** How the next speaker is found; one for each time that the group talks. */
  readonly selection: (run: GroupRun) => SpeakerSelection;
  /** What is told to every member first, and is no part of the transcript. */
  readonly introduction?: string | undefined;
  /** Whether members may clear histories by a command in what they say. */
  readonly enableClearHistory?: boolean | undefined;
  /** Of a group that goes by hand-overs. */
  readonly handoffs?: HandoffsByName | undefined;
  /** Who speaks for a person, by name. */
  readonly userAgent?: string | undefined;
  /** What follows where no hand-over of a member's decides. */
  readonly afterWork?: TransitionTarget | undefined;
  /** Whether members see calls that hand over, and their results. @default false */
  readonly showsTransfers?: boolean | undefined;
  /** Whether a member that gives no reply ends the conversation, as in AG2. @default false */
  readonly endsOnSilence?: boolean | undefined;
  /** Whether an empty text is no reply. @default false: it is said */
  readonly passesOverEmpty?: boolean | undefined;
  /** Whether what one member says is seen by another. @default always */
  readonly reaches?: ((sender: string, receiver: string) => boolean) | undefined;
};

/** A group while it talks. What a selection decides on is here, and all of it follows from recorded rounds. */
export type GroupRun = {
  readonly group: Group;
  readonly talk: Talk;
  readonly place: ChatPlace;
  /** Each message with the name of who said it. */
  readonly transcript: readonly ConversationMessage[];
  readonly targets: RegisteredTargets;
  /** The member who said something last, or whoever opened the conversation. */
  lastSpeaker: string;
  /** Where the last turn leads, unless something else does. */
  pending: TransitionTarget | undefined;
  /** How many rounds there were. */
  rounds: number;
  /** How many target functions were called since anybody spoke. */
  functionsInRow: number;
  /** Members who had nothing to say to the last message. */
  readonly silent: Set<string>;
};

/** What happens in a round. */
export type SpeakerDecision = {
  /** Of models that were asked to choose. */
  readonly usage?: Readonly<Record<string, Usage>>;
  /** What it remembers for later rounds. */
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
  /** Decides below `place`, where models and people can be asked and functions called. */
  next(place: RunScope): Promise<SpeakerDecision>;
  /** Called with each finished round, also by a replay. */
  readonly follow?: (round: RoundResult) => void;
  /** Has the round carried out below `place`; may see to how long that takes, and what comes of it then. */
  readonly during?: (
    place: RunScope,
    decision: SpeakerDecision,
    carryOut: (limits?: RoundLimits) => Promise<RoundOutcome>,
  ) => Promise<RoundOutcome>;
}

/** What a round is carried out within. */
export type RoundLimits = {
  /** When a member's models have to be done. Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
};

/** What a round comes to, as its code has it. */
export type RoundOutcome = Partial<Omit<RoundResult, "pending">> & {
  readonly pending?: TransitionTarget;
};

/** What a round of a group comes to: all that it changes. */
export type RoundResult = {
  /** The member, the executor of calls, or what ran in a member's place; absent where only a function was called. */
  readonly speaker?: string;
  readonly message?: ConversationMessage;
  /** What single members receive in its place, by name. */
  readonly received?: Readonly<Record<string, ConversationMessage>>;
  /** Why the conversation ends here. */
  readonly ended?: string;
  /** What else a member's turn came to. */
  readonly turn?: Omit<
    RecordedTurn,
    "reply" | "ended" | "changes" | "target" | "transfer" | "usage"
  >;
  readonly changes: readonly ContextChange[];
  readonly notes?: readonly MemberNote[];
  readonly usage: Readonly<Record<string, Usage>>;
  /** What the selection remembers for later rounds. */
  readonly kept?: JsonObject;
  /** Where the next round begins. */
  readonly pending?: RecordedTarget;
  /** What a selection that sees to the time notes of the round. */
  readonly timed?: TimedRound;
  /** A command to forget, which was taken out of the message. */
  readonly forget?: { readonly keep: number; readonly agent?: string };
};
