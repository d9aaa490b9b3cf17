import { EngineError, toErrorRecord, type ErrorRecord } from "../base/error.ts";

/** Result of a Durable Object over RPC. RPC does not preserve classes, so an error is sent as its record. */
export type RpcResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ErrorRecord };

export async function toResult<T>(work: () => T | Promise<T>): Promise<RpcResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toErrorRecord(error) };
  }
}

/**
 * Returns the value of a result. Throws its error, and fails with `unavailable` (retryable) if the object cannot be
 * reached.
 */
export async function fromResult<T>(answer: Promise<RpcResult<T>>): Promise<T> {
  let result: RpcResult<T>;
  try {
    result = await answer;
  } catch (cause) {
    throw new EngineError(
      "unavailable",
      "the run could not be reached just now; the same request may be repeated",
      { retryable: true, cause },
    );
  }
  if (result.ok) return result.value;
  throw EngineError.fromRecord(result.error);
}
