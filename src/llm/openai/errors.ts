import type { EngineError } from "../../base/error.ts";
import { sdkFailure } from "../sdk-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";
import { saidIn } from "./said-in.ts";
import * as sdk from "./sdk.ts";

/** Anything the SDK threw, except for an abort, as our error. */
export function toEngineError(
  error: unknown,
  about: { modelId: string; nowMs: number },
): EngineError {
  return sdkFailure(error, { sdk, ...about }, (thrown) => {
    const { status, ...said } = saidIn(fieldsOf(thrown.error));
    return {
      ...said,
      status: thrown.status ?? status,
      providerCode: said.providerCode || textOf(thrown.code) || textOf(thrown.type),
      message: said.message || thrown.message,
      body: thrown.error,
    };
  });
}
