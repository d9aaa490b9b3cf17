import type { EngineError } from "../../base/error.ts";
import { sdkFailure } from "../sdk-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";
import * as sdk from "./sdk.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  about: { modelId: string; nowMs: number },
): EngineError {
  return sdkFailure(error, { sdk, ...about }, (thrown) => {
    const body = fieldsOf(thrown.error);
    const inner = fieldsOf(body["error"]);
    return {
      providerCode: textOf(inner["type"]) || textOf(body["type"]),
      message: textOf(inner["message"]) || textOf(body["message"]) || thrown.message,
    };
  });
}
