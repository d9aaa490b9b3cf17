import type { StepSummary } from "./journal-store.ts";

/** True for kinds whose only work is to run other steps. */
export function holdsSteps(kind: StepSummary["kind"]): boolean {
  return kind === "task" || kind === "method" || kind === "agent" || kind === "group";
}
