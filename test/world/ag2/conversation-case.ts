// A random conversation as data: both runners build it with the public API of their side.

export const PROFILES = [
  "chat",
  "queue",
  "nested",
  "group",
  "pattern",
  "expressions",
  "resume",
] as const;

export type Profile = (typeof PROFILES)[number];

export type ToolName =
  | "lookup"
  | "add"
  | "fails"
  | "table"
  | "slow"
  | "setvar"
  | "bump"
  | "poke"
  | "go";

export type ScriptedCall = {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Arguments as text, in place of `args`. */
  readonly raw?: string;
};

/** One answer of a model. */
export type Reply = {
  readonly text?: string;
  readonly tools?: readonly ScriptedCall[];
  /** Number of the hand-over that the model takes, from 1. */
  readonly handoff?: number;
};

export type HookName =
  | "process_message_before_send"
  | "process_last_received_message"
  | "process_all_messages_before_reply";

/** A reply function that answers when the last message has `when` in it. */
export type CaseReplyFunction = {
  readonly position: number;
  readonly when: string;
  readonly answer: { readonly text: string } | "pass" | "nothing";
};

export type CaseTarget =
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "terminate" | "stay" | "revert" | "manager" }
  | { readonly kind: "nested"; readonly queue: readonly CaseChat[] }
  | CaseFunctionTarget;

/** A function that says something, sets a variable and hands over to a member. */
export type CaseFunctionTarget = {
  readonly kind: "function";
  readonly note: string;
  readonly sets: Readonly<Record<string, number>>;
  readonly next: string;
};

/** A pattern of texts that stops a turn and hands over. */
export type CaseGuardrail = {
  readonly side: "input" | "output";
  readonly pattern: string;
  readonly says: string;
  readonly next: string;
};

/** A rule for messages between two members. */
export type CaseSafeguard = {
  readonly from: string;
  readonly to: string;
  readonly action: "block" | "mask" | "warning";
  readonly pattern: string;
};

export type CaseHandoff = {
  readonly target: CaseTarget;
  /** Expression or name of a variable. */
  readonly condition?: string;
  readonly available?: string;
  readonly prompt?: string;
};

export type CaseAgent = {
  readonly name: string;
  llm: boolean;
  readonly mode: "ALWAYS" | "TERMINATE" | "NEVER";
  /** Words of the person, in their order; then `exit`. */
  human?: readonly string[];
  maxReply?: number;
  term?: "contains" | "never";
  auto?: string;
  hooks?: readonly HookName[];
  replies?: readonly CaseReplyFunction[];
  history?: { readonly max: number; readonly keepFirst: boolean };
  nested?: { readonly trigger: string; readonly queue: readonly CaseChat[] };
  tools?: readonly ToolName[];
  guardrails?: readonly CaseGuardrail[];
  handoffs?: {
    context?: readonly CaseHandoff[];
    llm?: readonly CaseHandoff[];
    after?: readonly CaseHandoff[];
  };
};

export type CaseChat = {
  recipient?: string;
  sender?: string;
  /** `made` is a function of the messages before it. */
  message?: string | { readonly made: true };
  maxTurns?: number;
  summary?: "reflection_with_llm" | "last_msg";
  summaryRole?: "system" | "user";
  carryover?: string | readonly string[];
  carryoverMethod?: "all" | "last_msg";
  exclude?: readonly number[];
  clear?: boolean;
};

export type CaseGroup = {
  readonly method: "auto" | "round_robin" | "manual" | "random" | "function";
  readonly maxRound: number;
  repeat?: boolean | readonly string[];
  transitions?: Readonly<Record<string, readonly string[]>>;
  transitionsType?: "allowed" | "disallowed";
  /** Results of the selection function. */
  order?: readonly (string | null)[];
  retries?: number;
  introductions?: true;
  term?: true;
  role?: "user" | "assistant";
  filter?: false;
  /** People may clear histories. */
  clear?: true;
  /** Our group does as AG2 0.14 where that differs. */
  compat?: true;
};

export type CasePattern = {
  readonly kind: "default" | "auto" | "round_robin" | "manual";
  readonly initial: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly maxRounds: number;
  hasUser: boolean;
  after?: CaseTarget;
  keepTransit?: true;
  summary?: "reflection_with_llm";
  term?: true;
  safeguards?: readonly CaseSafeguard[];
};

export type Registration = {
  readonly tool: ToolName;
  readonly caller: string;
  readonly executor: string;
};

export type ConversationCase = {
  readonly id: string;
  readonly profile: Profile;
  readonly agents: readonly CaseAgent[];
  /** Members of the group; the others are outside of it. */
  members?: readonly string[];
  register: readonly Registration[];
  initiator?: string;
  /** Models stream what they say. */
  stream?: true;
  /** Earlier messages, and the termination text that is removed from the last one. */
  resume?: {
    readonly messages: readonly { readonly name: string; readonly content: string }[];
    readonly cut?: string;
  };
  chat?: CaseChat;
  queue?: readonly CaseChat[];
  group?: CaseGroup;
  pattern?: CasePattern;
  /** Choices of the person who selects speakers; then an empty text. */
  choices?: readonly string[];
  /** Answers of the models by the name of the agent; `_select` selects speakers, `_summary` sums up. */
  script: Record<string, readonly Reply[]>;
  expressions?: readonly string[];
  variables?: Readonly<Record<string, unknown>>;
};
