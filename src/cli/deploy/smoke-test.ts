// Tests a deployment from outside.
//
//   SMK1. Each check fails with a message of its own, with the request and its result.
//   SMK2. It costs no model: its run uses the built-in one. Its data is deleted, also after a failure.
//   SMK3. Skipped checks are listed.
//   SMK4. A version that shares requests with another one is addressed by its name, so the other one cannot answer for
//         it.
import type { Check, SmokeTest } from "./smoke/ask-worker.ts";
import { checkAuth, checkCode, checkConsole, checkCron, checkHealth } from "./smoke/check-code.ts";
import { checkMemory } from "./smoke/check-memory.ts";
import { checkRun } from "./smoke/check-run.ts";

/** Result of a check; a skipped one has a reason. */
export type SmokeResult = { readonly check: string; readonly skipped?: string };

/** In their order. */
const CHECKS: Readonly<Record<string, Check>> = {
  "it answers": checkHealth,
  "it is the new code": checkCode,
  "keys are required": checkAuth,
  "a run completes": checkRun,
  "memories are found": checkMemory,
  "the console is there": checkConsole,
  "cron wakes it": checkCron,
};

/** Throws exit code 1 at the first failed check. */
export async function runSmokeTest(
  test: SmokeTest,
  onResult: (result: SmokeResult) => void,
): Promise<void> {
  for (const [check, run] of Object.entries(CHECKS)) {
    const skipped = await run(test);
    onResult({ check, ...(skipped === undefined ? {} : { skipped }) });
  }
}
