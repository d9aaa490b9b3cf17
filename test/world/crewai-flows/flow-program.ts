// Programs of the part: flows as data, which both sides build with their own public API.

/** A name of a method or a label, or several of them. */
export type Trigger =
  | string
  | { readonly or: readonly Trigger[] }
  | { readonly and: readonly Trigger[] };

export type Write = {
  readonly op: "append" | "set" | "add";
  readonly field: "log" | "text" | "n";
  readonly value: string | number;
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
  /** Kicks off a flow of so many methods in a chain, and returns its result. */
  readonly nested?: number;
};

export type Kickoff = {
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
  readonly restore?: string;
};

export type FlowProgram = {
  readonly id: string;
  readonly methods: readonly Method[];
  /** A typed state. */
  readonly model?: true;
  readonly maxMethodCalls?: number;
  readonly persist?: "class" | "method";
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
