import { EngineError } from "./error.ts";

/** Whether an error stops the whole run: whoever turns failures into words or other ways lets it pass. */
export function endsRun(error: unknown): boolean {
  return EngineError.is(error) && CODES.has(error.code);
}

const CODES: ReadonlySet<EngineError["code"]> = new Set([
  "run_cancelled",
  "budget_exceeded",
  "limit_exceeded",
  "journal_mismatch",
  "crash_budget_exceeded",
  "hook_aborted",
]);
