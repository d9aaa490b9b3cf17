import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";

const ATTEMPTS = 4;

/** What to say when the work is cut off: what goes on, and how. */
export type CutOff = { readonly what: string; readonly again: string };

/**
 * Does one piece of long work, several times where that helps. Throws exit code 5 when the Worker cannot be reached, and 130 for
 * Ctrl-C: the same command goes on.
 */
export async function patiently<Result>(
  { clock, signal }: Pick<CliContext, "clock" | "signal">,
  { what, again }: CutOff,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    if (signal.aborted) throw new CliFailure(130, `${what} was interrupted`, { fix: again });
    try {
      return await work(); // oxlint-disable-line no-await-in-loop -- one attempt after the other
    } catch (error) {
      if (!EngineError.is(error) || !error.retryable) throw error;
      if (attempt === ATTEMPTS)
        throw new CliFailure(5, `${what} was cut off: ${error.message}`, {
          fix: again,
          cause: error,
        });
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(clock, error.retryAfterMs ?? 500 * 2 ** attempt, signal).catch(() => undefined);
    }
  }
}
