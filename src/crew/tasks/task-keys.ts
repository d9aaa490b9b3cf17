import { keySegment } from "../../journal/step-key.ts";
import type { Task } from "./task.ts";

/** `task:<name>` for each task, or the first words of its description; a number makes equal keys distinct. */
export function taskKeys(tasks: readonly Task[]): readonly string[] {
  const counts = new Map<string, number>();
  return tasks.map((task) => {
    const key = `task:${keySegment(task.name ?? firstWords(task.description))}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}~${count}`;
  });
}

function firstWords(description: string): string {
  const words = description.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? ["task"];
  return words.slice(0, 5).join("-");
}
