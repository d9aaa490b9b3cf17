import { EngineError } from "../base/error.ts";

/** The delay before the next attempt after `failures` in a row: half a second, doubled each time, at most 15 s. */
export function backoffMs(failures: number): number {
  return Math.min(15_000, 500 * 2 ** (failures - 1));
}

/** Failed attempts in a row after which `output()` rejects. The seven pauses between them take 45.5 s. */
export const MAX_FAILURES = 8;

export function mayRetry(error: unknown): error is EngineError {
  return EngineError.is(error) && error.retryable;
}

/** True for faults on the way to the Worker. Proxies answer with any 5xx while it is away. */
export function mayReconnect(error: unknown): error is EngineError {
  return (
    mayRetry(error) ||
    (EngineError.is(error) && error.code === "unavailable" && (error.status ?? 0) >= 500)
  );
}
