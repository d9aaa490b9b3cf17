import type * as Sdk from "./sdk.ts";
import type { EngineError } from "../../base/error.ts";
import { sdkFailure } from "../sdk-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  options: { sdk: typeof Sdk; modelId: string; nowMs: number },
): EngineError {
  return sdkFailure(error, options, (thrown) => ({
    providerCode: textOf(thrown.code) || textOf(thrown.type),
    message: textOf(fieldsOf(thrown.error)["message"]) || thrown.message,
  }));
}
