import { EngineError, errorMessage } from "../../base/error.ts";
import { providerError } from "../provider-failure.ts";

/** HTTP statuses of Workers AI's own error codes: developers.cloudflare.com/workers-ai/platform/errors. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  "3003": 400,
  "3006": 413,
  "3007": 408,
  "3008": 408,
  "3023": 403,
  "3039": 400,
  "3040": 429,
  "3041": 403,
  "3042": 404,
  "5004": 400,
  "5005": 400,
  "5007": 400,
  "5016": 403,
  "5018": 403,
  "5019": 400,
  // Input and the longest answer are more than the model's window.
  "5021": 413,
  // The model found no JSON of the schema: another attempt may.
  "5024": 500,
};

/** The account's free allocation for today is used up: waiting a little does not help. */
const ALLOCATION_USED_UP = ["3036", "4006"];

/** Anything the binding threw, except for an abort, as our error. The binding puts its code into the text. */
export function toEngineError(error: unknown, modelId: string, nowMs: number): EngineError {
  if (EngineError.is(error)) return error;
  const message = errorMessage(error);
  const code = /\b([345]\d{3}):/.exec(message)?.[1] ?? "";
  return providerError(
    {
      modelId,
      status: STATUS_BY_CODE[code],
      ...(ALLOCATION_USED_UP.includes(code) ? { providerCode: "insufficient_quota" } : {}),
      message,
      cause: error,
    },
    nowMs,
  );
}
