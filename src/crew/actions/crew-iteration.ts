import type { Agent } from "../../agent/description/agent.ts";
import type { TaskRecord } from "../tasks/task-output.ts";

/** A completed task. */
export type DoneTask = {
  readonly agent: Agent;
  readonly key: string;
  readonly output: TaskRecord;
};

/**
 * One iteration of a training or a test, which changes how the crew runs. In a training, a person gives feedback on each answer, the
 * agent answers once more, and agents do their tasks themselves. In a test, tasks are timed, and callbacks of tasks are not called.
 */
export interface CrewIteration {
  readonly kind: "training" | "test";
  /** Receives each task, in the order in which they complete; every drive of the run calls it again. */
  taskCompleted(done: DoneTask): void;
}

/** True if an agent may delegate. A manager always may, because a hierarchical crew cannot work otherwise. */
export function mayDelegate(
  { allowDelegation }: Agent,
  iteration: CrewIteration | undefined,
): boolean {
  return allowDelegation && iteration?.kind !== "training";
}
