// Whether a deployment works, asked from outside.
//
//   SMK1. Each check fails with a message of its own, that says what was asked and what came.
//   SMK2. It costs no model: its run uses the built-in one. What it made is deleted, also where it failed.
//   SMK3. What could not be checked is said, not passed over.
//   SMK4. A version that shares requests with another one is asked by its name, so that the other one cannot answer for it.
import type { Check, SmokeTest } from "./smoke/ask-worker.ts";
import { checkAuth, checkCode, checkConsole, checkCron, checkHealth } from "./smoke/check-code.ts";
import { checkMemory } from "./smoke/check-memory.ts";
import { checkRun } from "./smoke/check-run.ts";

/** What a check that passed has to say; a skipped one says why. */
export type SmokeResult = { readonly check: string; readonly skipped?: string };

/** In their order. */
const CHECKS: Readonly<Record<string, Check>> = {
  "it answers": checkHealth,
  "it is the new code": checkCode,
  "keys are asked for": checkAuth,
  "a run completes": checkRun,
  "memories are found": checkMemory,
  "the console is there": checkConsole,
  "cron wakes it": checkCron,
};

/** Throws exit code 1 at the first check that fails. */
export async function runSmokeTest(
  test: SmokeTest,
  onResult: (result: SmokeResult) => void,
): Promise<void> {
  for (const [check, run] of Object.entries(CHECKS)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const skipped = await run(test);
    onResult({ check, ...(skipped === undefined ? {} : { skipped }) });
  }
}
