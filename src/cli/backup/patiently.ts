import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";

const ATTEMPTS = 4;

/** Texts for an interruption: the work, and the command to continue it. */
export type CutOff = { readonly what: string; readonly again: string };

/**
 * Runs one piece of long work, with retries for temporary failures. Throws exit code 5 if the Worker cannot be reached,
 * and 130 for Ctrl-C. The same command continues the work.
 */
export async function patiently<Result>(
  { clock, signal }: Pick<CliContext, "clock" | "signal">,
  { what, again }: CutOff,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    if (signal.aborted) throw new CliFailure(130, `${what} was interrupted`, { fix: again });
    try {
      return await work();
    } catch (error) {
      if (!EngineError.is(error) || !error.retryable) throw error;
      if (attempt === ATTEMPTS)
        throw new CliFailure(5, `${what} was cut off: ${error.message}`, {
          fix: again,
          cause: error,
        });
      await sleep(clock, error.retryAfterMs ?? 500 * 2 ** attempt, signal).catch(() => undefined);
    }
  }
}
