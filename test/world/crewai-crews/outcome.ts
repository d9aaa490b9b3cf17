import type { Asked } from "./script-server.ts";

export type TaskOutcome = {
  readonly name: string | null;
  readonly raw: string;
  readonly agent: string;
  readonly json: unknown;
  readonly description: string;
  /** Null for a task that CrewAI skipped. */
  readonly expected: string | null;
  readonly summary: string;
  readonly failures: readonly string[];
};

/** How a crew ended on one side. */
export type Outcome = Asked & {
  readonly id: string;
  readonly status: "completed" | "failed" | "hangs";
  /** Code or class of the error. */
  readonly error?: string;
  readonly message?: string;
  readonly raw?: string;
  readonly object?: unknown;
  readonly tasks?: readonly TaskOutcome[];
  readonly streamed?: string;
  readonly full?: string;
  readonly toolCalls: readonly { readonly name: string; readonly args: unknown }[];
  /** Tasks whose callback was called. */
  readonly done: readonly string[];
  /** Calls of the step callback. */
  readonly steps: readonly string[];
  /** Types of events of a project's crew, in their order; those of tasks with the task's name. */
  readonly events?: readonly string[];
  /** Calls of the other functions. */
  readonly marks: readonly string[];
};
