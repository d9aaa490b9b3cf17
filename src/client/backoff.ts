import { EngineError } from "../base/error.ts";

/** The delay before the next attempt after `failures` in a row: half a second, doubled each time, at most 15 s. */
export function backoffMs(failures: number): number {
  return Math.min(15_000, 500 * 2 ** (failures - 1));
}

/** Failed attempts in a row after which a stream gives up. Together they take a little more than a minute. */
export const MAX_FAILURES = 8;

export function mayRetry(error: unknown): error is EngineError {
  return EngineError.is(error) && error.retryable;
}
