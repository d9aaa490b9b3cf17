import type { CallOptions } from "./language-model.ts";

/** Returns the headers of one model call. `part` distinguishes its further requests from the first. */
export function callHeaders(
  { idempotencyKey, traceparent }: Pick<CallOptions, "idempotencyKey" | "traceparent">,
  part = 1,
): Record<string, string> {
  const key = part === 1 ? idempotencyKey : `${idempotencyKey}:${part}`;
  return {
    ...(idempotencyKey && { "Idempotency-Key": key }),
    ...(traceparent && { traceparent }),
  };
}
