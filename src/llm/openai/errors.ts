import type { EngineError } from "../../base/error.ts";
import { sdkFailure } from "../sdk-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";
import * as sdk from "./sdk.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  about: { modelId: string; nowMs: number },
): EngineError {
  return sdkFailure(error, { sdk, ...about }, (thrown) => ({
    providerCode: textOf(thrown.code) || textOf(thrown.type),
    body: thrown.error,
    message: textOf(fieldsOf(thrown.error)["message"]) || thrown.message,
  }));
}
