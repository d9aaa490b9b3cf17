import { EngineError, errorMessage } from "../base/error.ts";
import {
  providerError,
  unreachedServer,
  unreadableAnswer,
  type ProviderFailure,
} from "./provider-failure.ts";
import { asText, fieldsOf, textOf } from "./wire.ts";

type Said = {
  /** HTTP status; absent in the middle of an answer. */
  readonly status?: number;
  readonly headers?: Headers;
  /** Provider's error, parsed; absent for an answer without JSON. */
  readonly error?: unknown;
  /** Text of an answer without JSON. */
  readonly text?: string;
  /** Address of a server other than the provider's own. */
  readonly server?: string | undefined;
};

/** Error answer of a provider, or an error within a stream. */
export class APIError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly error: unknown;
  readonly server: string | undefined;

  constructor({ status, headers, error, text = "", server }: Said) {
    super(textOf(fieldsOf(error)["message"]) || asText(error) || text);
    this.status = status;
    this.headers = headers;
    this.error = error;
    this.server = server;
  }
}

/** Error for a server without an answer. */
export class UnreachedError extends Error {}

/** The failed call, and the current time to read dates with. */
export type FailedCall = { readonly modelId: string; readonly nowMs: number };

/** Converts an error of a request, except for an abort, to an engine error. `read` extracts the provider's message. */
export function apiFailure(
  error: unknown,
  { modelId, nowMs }: FailedCall,
  read: (error: APIError) => Pick<ProviderFailure, "status" | "providerCode" | "message" | "body">,
): EngineError {
  if (EngineError.is(error)) return error;
  // Error of the fetch: an interceptor's refusal passes through unchanged.
  if (error instanceof Error && EngineError.is(error.cause)) return error.cause;
  if (error instanceof APIError) {
    const { status, headers, server } = error;
    return providerError({ modelId, server, status, headers, cause: error, ...read(error) }, nowMs);
  }
  if (error instanceof UnreachedError) return unreachedServer(modelId, error);
  return unreadableAnswer(modelId, `failed: ${errorMessage(error)}`, error);
}
