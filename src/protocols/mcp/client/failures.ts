// Classification of failed connections and requests.
import {
  INTERNAL_ERROR,
  InsufficientScopeError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { EngineError, errorMessage } from "../../../base/error.ts";
import { cut } from "../../../base/cut.ts";
import { withoutSecrets } from "../../../security/known-secrets.ts";
import type { McpConnectionErrorType } from "./events.ts";
import { STREAM_ENDED } from "./repairing-transport.ts";

/** Limit for a server's own text. */
const MAX_MESSAGE = 1_000;

/** A classified failure. */
export type McpFailure = {
  readonly type: McpConnectionErrorType;
  readonly error: EngineError;
  /** The server has done no work: it refused the request, or the request was never sent. */
  readonly wasRefused: boolean;
};

/** Classifies an error of a connection or a request. `refusal`, an abort by our own limits, takes precedence. */
export function failureOfServer(
  thrown: unknown,
  server: string,
  refusal: EngineError | undefined,
): McpFailure {
  const { type, message, wasRefused = false } = sorted(refusal ?? thrown);
  const retryable = type === "timeout" || type === "network";
  const what = withoutSecrets(cut(message, MAX_MESSAGE));
  const error = new EngineError("tool_failed", `MCP server ${server}: ${what}`, {
    retryable,
    cause: thrown,
  });
  return { type, error, wasRefused };
}

type Sorted = {
  readonly type: McpConnectionErrorType;
  readonly message: string;
  readonly wasRefused?: boolean;
};

function sorted(thrown: unknown): Sorted {
  const message = errorMessage(thrown);
  if (EngineError.is(thrown)) {
    if (thrown.code === "timeout") return { type: "timeout", message };
    return { type: thrown.retryable ? "network" : "protocol", message };
  }
  if (isUnauthorized(thrown))
    return { type: "authentication", message: authMessage(thrown), wasRefused: true };
  if (thrown instanceof SdkHttpError) return ofStatus(thrown);
  if (thrown instanceof ProtocolError) {
    if (thrown.code === STREAM_ENDED) return { type: "network", message };
    return { type: "protocol", message, wasRefused: thrown.code !== INTERNAL_ERROR };
  }
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout) return { type: "timeout", message };
    const cause = thrown.cause ?? (thrown.data as { readonly cause?: unknown } | undefined)?.cause;
    if (isUnauthorized(cause)) return sorted(cause);
    if (
      thrown.code === SdkErrorCode.EraNegotiationFailed ||
      thrown.code === SdkErrorCode.ConnectionClosed ||
      thrown.code === SdkErrorCode.SendFailed
    )
      return { type: "network", message };
    return { type: "protocol", message };
  }
  if (thrown instanceof SyntaxError || (thrown as Error | undefined)?.name === "ZodError")
    return {
      type: "protocol",
      message: `the answer is not of the protocol: ${cut(message.replace(/\s+/g, " "), 200)}`,
    };
  return { type: "network", message: message === "" ? "the connection failed" : message };
}

function ofStatus(thrown: SdkHttpError): Sorted {
  const { status } = thrown;
  const message = `it answered ${status}: ${thrown.message}`;
  if (status === 401 || status === 403)
    return { type: "authentication", message, wasRefused: true };
  if (status === 404 || status === 405 || status === 410)
    return { type: "not_found", message, wasRefused: true };
  if (status === 429) return { type: "network", message, wasRefused: true };
  return { type: status >= 500 ? "network" : "protocol", message };
}

function isUnauthorized(thrown: unknown): boolean {
  return (
    thrown instanceof UnauthorizedError ||
    thrown instanceof InsufficientScopeError ||
    thrown instanceof OAuthClientFlowError ||
    thrown instanceof OAuthError
  );
}

function authMessage(thrown: unknown): string {
  if (thrown instanceof InsufficientScopeError)
    return `the token's scope does not suffice: ${errorMessage(thrown)}`;
  const message = errorMessage(thrown);
  return message === "" || message === "Unauthorized"
    ? "it asks for authorisation (401): set auth or headers"
    : `authorisation failed: ${message}`;
}
