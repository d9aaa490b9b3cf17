import type { Agent } from "../../agent/description/agent.ts";
import type { TaskRecord } from "../tasks/task-output.ts";

/** A task that was done. */
export type DoneTask = {
  readonly agent: Agent;
  readonly key: string;
  readonly output: TaskRecord;
};

/**
 * What is done otherwise in a run of a crew that is not for its result. In `training` a person says something to each answer, and
 * it is given once more; agents do their tasks themselves. In a `test` tasks are timed, and callbacks of tasks are not called.
 */
export interface Exercise {
  readonly kind: "training" | "test";
  /** Hears of each task, in the order in which they finish; in every drive anew. */
  note(done: DoneTask): void;
}

/** Whether an agent may give work to others of its own accord. A manager always may: a hierarchical crew cannot work otherwise. */
export function mayDelegate({ allowDelegation }: Agent, exercise: Exercise | undefined): boolean {
  return allowDelegation && exercise?.kind !== "training";
}
