import { EngineError } from "./error.ts";

/** True if an error stops the whole run. Code that turns failures into text or fallbacks must rethrow it. */
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
