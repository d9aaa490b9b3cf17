import type * as Sdk from "./sdk.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { providerError, unreadableAnswer } from "../provider-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  { sdk, modelId, nowMs }: { sdk: typeof Sdk; modelId: string; nowMs: number },
): EngineError {
  if (EngineError.is(error)) return error;
  // What the fetch threw: an interceptor's refusal comes through as it is.
  if (error instanceof Error && EngineError.is(error.cause)) return error.cause;
  if (error instanceof sdk.APIConnectionTimeoutError) {
    return new EngineError("timeout", `${modelId} did not answer in time`, {
      retryable: true,
      cause: error,
    });
  }
  if (error instanceof sdk.APIError && !(error instanceof sdk.APIConnectionError)) {
    const body = fieldsOf(error.error);
    const inner = fieldsOf(body["error"]);
    return providerError(
      {
        modelId,
        status: error.status,
        providerCode: textOf(inner["type"]) || textOf(body["type"]),
        message: textOf(inner["message"]) || textOf(body["message"]) || error.message,
        headers: error.headers,
        cause: error,
      },
      nowMs,
    );
  }
  return unreadableAnswer(modelId, `failed: ${errorMessage(error)}`, error);
}
