import type { StepRow } from "../../api-types.ts";

type TakenOver = {
  /** Number of rows whose results the fork has from the start. */
  readonly rows: number;
  /** Model calls among them. */
  readonly calls: number;
  /** Names of tools called after the cut. */
  readonly tools: readonly string[];
};

/**
 * Returns the rows that a fork takes over: those that ended before the row began, or, with an edited result, before it
 * ended.
 */
export function takenOver(steps: readonly StepRow[], key: string, isEdited: boolean): TakenOver {
  const order = steps.findIndex((step) => step.key === key);
  const cut = steps[order];
  if (cut === undefined) return { rows: 0, calls: 0, tools: [] };
  const around = (step: StepRow): boolean => cut.key.startsWith(`${step.key}/`);
  const isBefore = (step: StepRow, index: number): boolean => {
    if (step.key === key) return isEdited;
    if (step.state !== "done" || step.endedAt === undefined || around(step)) return false;
    const limit = isEdited ? cut.endedAt : cut.startedAt;
    return limit === undefined
      ? index < order
      : step.endedAt < limit || (step.endedAt === limit && index < order);
  };
  const before = steps.filter(isBefore);
  const behind = steps.filter((step, index) => !isBefore(step, index) && step.kind === "tool");
  return {
    rows: before.length,
    calls: before.filter(({ kind, key: each }) => kind === "model" && each !== key).length,
    tools: [...new Set(behind.map(({ label, key: each }) => label ?? each))],
  };
}
