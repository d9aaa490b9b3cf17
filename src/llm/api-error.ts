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
  /** The error as the provider wrote it, parsed; absent where it is no JSON. */
  readonly error?: unknown;
  /** Words of an answer that is no JSON. */
  readonly text?: string;
  /** Address of a server that is not the provider's own. */
  readonly server?: string | undefined;
};

/** An answer of a provider that is an error, or an error in the middle of one. */
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

/** A server that gave no answer. */
export class UnreachedError extends Error {}

/** The call that failed, and the time that reads dates. */
export type FailedCall = { readonly modelId: string; readonly nowMs: number };

/** Anything that a request threw, except for an abort, as our error. `read` finds what the provider said in its own. */
export function apiFailure(
  error: unknown,
  { modelId, nowMs }: FailedCall,
  read: (error: APIError) => Pick<ProviderFailure, "status" | "providerCode" | "message" | "body">,
): EngineError {
  if (EngineError.is(error)) return error;
  // What the fetch threw: an interceptor's refusal comes through as it is.
  if (error instanceof Error && EngineError.is(error.cause)) return error.cause;
  if (error instanceof APIError) {
    const { status, headers, server } = error;
    return providerError({ modelId, server, status, headers, cause: error, ...read(error) }, nowMs);
  }
  if (error instanceof UnreachedError) return unreachedServer(modelId, error);
  return unreadableAnswer(modelId, `failed: ${errorMessage(error)}`, error);
}
