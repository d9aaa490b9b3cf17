import type { CallOptions } from "./language-model.ts";

/** The headers of one call of a model. Of its further requests, `part` tells each from the first. */
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
