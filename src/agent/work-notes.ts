import type { Message } from "../llm/language-model.ts";

/** Notes on one piece of work. Each drive fills them in again with the same result. */
export type WorkNotes = {
  messages?: readonly Message[];
  plan?: string;
  todos?: readonly Todo[];
  replanCount?: number;
  lastReplanReason?: string;
};

/** A step of a plan as it was left. */
export type Todo = {
  readonly stepNumber: number;
  readonly description: string;
  /** Tool required for the step. */
  readonly toolUsed?: string;
  readonly status: "pending" | "completed" | "failed";
  readonly result?: string;
  readonly dependsOn: readonly number[];
};
