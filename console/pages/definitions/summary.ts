import type { TargetRow } from "../../api-types.ts";

/** Describes a target in a line: its own words, or the names of its tasks. */
export function summaryOf({ description, goal, tasks }: TargetRow): string {
  return description ?? goal ?? tasks?.map((task) => task.name).join(" → ") ?? "";
}
