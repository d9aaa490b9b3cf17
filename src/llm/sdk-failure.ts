import { EngineError, errorMessage } from "../base/error.ts";
import {
  providerError,
  unreachedServer,
  unreadableAnswer,
  type ProviderFailure,
} from "./provider-failure.ts";

/** What the SDKs throw for an answer that is an error. */
type SdkError = Error & {
  readonly status: number | undefined;
  readonly headers: ProviderFailure["headers"];
};

type ErrorClass<Thrown> = abstract new (...args: never[]) => Thrown;

/** The error classes that the SDKs have in common. */
export type SdkErrors<Thrown extends SdkError> = {
  readonly APIError: ErrorClass<Thrown>;
  readonly APIConnectionError: ErrorClass<Error>;
};

/** Anything an SDK threw, except for an abort, as our error. `read` finds what the provider said in its error. */
export function sdkFailure<Thrown extends SdkError>(
  error: unknown,
  { sdk, modelId, nowMs }: { sdk: SdkErrors<Thrown>; modelId: string; nowMs: number },
  read: (error: Thrown) => Pick<ProviderFailure, "status" | "providerCode" | "message" | "body">,
): EngineError {
  if (EngineError.is(error)) return error;
  // What the fetch threw: an interceptor's refusal comes through as it is.
  if (error instanceof Error && EngineError.is(error.cause)) return error.cause;
  if (error instanceof sdk.APIError && !(error instanceof sdk.APIConnectionError)) {
    const { status, headers } = error;
    return providerError({ modelId, status, headers, cause: error, ...read(error) }, nowMs);
  }
  if (error instanceof sdk.APIConnectionError) return unreachedServer(modelId, error);
  return unreadableAnswer(modelId, `failed: ${errorMessage(error)}`, error);
}
