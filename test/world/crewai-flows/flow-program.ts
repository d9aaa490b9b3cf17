// Programs of the part: flows as data, which both sides build with their own public API.

/** A name of a method or a label, or several of them. */
export type Trigger =
  | string
  | { readonly or: readonly Trigger[] }
  | { readonly and: readonly Trigger[] };

export type Write = {
  readonly op: "append" | "set" | "add";
  readonly field: "log" | "text" | "n" | "flag" | "ratio" | "inner" | "counts";
  readonly value: Input;
};

/** A person's review: the n-th question gets the n-th answer, later ones an empty one. */
export type Review = {
  readonly emit?: readonly string[];
  readonly answers: readonly string[];
  readonly defaultOutcome?: string;
};

export type Method = {
  readonly name: string;
  /** Time that it takes, in quanta. No two methods of a program take the same. */
  readonly delay: number;
  readonly start?: true | Trigger;
  readonly listen?: Trigger;
  /** Labels that a router may return, and those that it returns in turn; then "stop". */
  readonly emit?: readonly string[];
  readonly labels?: readonly (string | number | boolean | null)[];
  readonly review?: Review;
  /** Takes the value of its trigger. */
  readonly takes?: true;
  /** Executions that fail. */
  readonly fail?: readonly number[];
  readonly writes?: readonly Write[];
  /** Returns nothing. */
  readonly none?: true;
  readonly persist?: true;
  /** A synchronous method: CrewAI runs it in a thread. */
  readonly sync?: true;
  /** Kicks off a flow of these methods, and returns its result. */
  readonly inner?: readonly Method[];
  /** Kicks off a crew of so many tasks, and returns its answer. */
  readonly crew?: number;
  /** Form of the answer of a conversation's method: it returns its text, says it, or keeps it as a result of agent `ada`. */
  readonly reply?: "return" | "say" | "private" | "public";
};

/** Values of states and inputs. */
export type Input =
  | string
  | number
  | boolean
  | null
  | readonly Input[]
  | { readonly [field: string]: Input };

export type Kickoff = {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly restore?: string;
};

/** One turn of a conversation, and what the models say in it. */
export type Turn = {
  readonly message: string;
  /** The label that a model names which is asked for one; without it, it says that it cannot tell. */
  readonly label?: string;
  readonly intents?: readonly string[];
};

/** A flow that converses. */
export type Talk = {
  readonly llm?: true;
  readonly intentLlm?: true;
  readonly defaultIntents?: readonly string[];
  readonly router?: {
    readonly routes?: readonly string[];
    readonly defaultIntent?: string;
    readonly fallbackIntent?: string;
  };
  readonly visible?: "all" | readonly string[];
  readonly turns: readonly Turn[];
};

export type FlowProgram = {
  readonly id: string;
  readonly methods: readonly Method[];
  /** A typed state. */
  readonly model?: true;
  readonly maxMethodCalls?: number;
  readonly persist?: "class" | "method" | "both";
  /** For each question of a person the flow is left, and another object of it goes on from what was saved. */
  readonly pauses?: true;
  /** The flow takes turns; it has no kickoffs. */
  readonly talk?: Talk;
  readonly kickoffs: readonly Kickoff[];
};

export type Mode = "compat" | "native";

/** End of one kickoff, in the same form on both sides. */
export type Outcome = {
  readonly status: "completed" | "failed";
  readonly value?: unknown;
  readonly state?: unknown;
  readonly message?: string;
  /** Methods in the order in which they began, with the values that they took. */
  readonly ran: readonly (readonly [name: string, value?: unknown])[];
};

/** A program whose definition a side refuses has no kickoffs. */
export type Result = {
  readonly id: string;
  readonly refused?: string;
  readonly kickoffs: readonly Outcome[];
};

/** Names in a trigger. */
export function namesOf(trigger: Trigger): readonly string[] {
  if (typeof trigger === "string") return [trigger];
  return ("or" in trigger ? trigger.or : trigger.and).flatMap(namesOf);
}
