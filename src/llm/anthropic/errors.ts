import type * as Sdk from "./sdk.ts";
import type { EngineError } from "../../base/error.ts";
import { sdkFailure } from "../sdk-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  options: { sdk: typeof Sdk; modelId: string; nowMs: number },
): EngineError {
  return sdkFailure(error, options, (thrown) => {
    const body = fieldsOf(thrown.error);
    const inner = fieldsOf(body["error"]);
    return {
      providerCode: textOf(inner["type"]) || textOf(body["type"]),
      message: textOf(inner["message"]) || textOf(body["message"]) || thrown.message,
    };
  });
}
