import type { Task } from "./task.ts";

/**
 * Returns the indexes of the tasks whose results a task sees: those of its context, else the earlier ones it waits for.
 */
export function feedsOf(tasks: readonly Task[], index: number): readonly number[] {
  const task = tasks[index];
  if (task === undefined) return [];
  if (task.context !== undefined)
    return task.context.map((other) => tasks.indexOf(other)).filter((place) => place >= 0);
  const before = tasks.slice(0, index).flatMap((each, place) => (each.asyncExecution ? [] : place));
  return task.asyncExecution ? before.slice(-1) : before;
}
