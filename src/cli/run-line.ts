import { plain } from "./output.ts";
import type { RunSummary } from "../client/index.ts";

/** Describes a changed run in one line: time, run, and new state. */
export function runLine(run: RunSummary, more = ""): string {
  const { id, kind, name, status, held = false, updatedAt } = run;
  const parts = [
    updatedAt.slice(0, 19) + "Z",
    id,
    `${kind} ${plain(name)}`,
    held ? "held" : status,
  ];
  return [...parts, ...(more === "" ? [] : [more])].join("  ");
}
