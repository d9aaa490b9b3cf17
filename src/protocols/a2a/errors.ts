// Errors of A2A 1.0.1 (section 5.4), in the forms of both bindings.
import { noted } from "../../base/log.ts";
import { EngineError, type ErrorCode } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { mayPass, NO_RETRY } from "../../parts/code-answers.ts";

/** Codes of each error in JSON-RPC, HTTP and gRPC. */
const A2A_ERRORS = {
  TaskNotFound: { code: -32001, status: 404, grpc: "NOT_FOUND" },
  TaskNotCancelable: { code: -32002, status: 400, grpc: "FAILED_PRECONDITION" },
  PushNotificationNotSupported: { code: -32003, status: 400, grpc: "FAILED_PRECONDITION" },
  UnsupportedOperation: { code: -32004, status: 400, grpc: "FAILED_PRECONDITION" },
  ContentTypeNotSupported: { code: -32005, status: 400, grpc: "INVALID_ARGUMENT" },
  InvalidAgentResponse: { code: -32006, status: 500, grpc: "INTERNAL" },
  ExtendedAgentCardNotConfigured: { code: -32007, status: 400, grpc: "FAILED_PRECONDITION" },
  ExtensionSupportRequired: { code: -32008, status: 400, grpc: "FAILED_PRECONDITION" },
  VersionNotSupported: { code: -32009, status: 400, grpc: "FAILED_PRECONDITION" },
} as const;

/** Errors outside of A2A: those of JSON-RPC, and the usual ones of a server. */
const OTHER_ERRORS = {
  ParseError: { code: -32700, status: 400, grpc: "INVALID_ARGUMENT" },
  InvalidRequest: { code: -32600, status: 400, grpc: "INVALID_ARGUMENT" },
  AgentNotFound: { code: -32601, status: 404, grpc: "NOT_FOUND" },
  MethodNotFound: { code: -32601, status: 404, grpc: "NOT_FOUND" },
  InvalidParams: { code: -32602, status: 400, grpc: "INVALID_ARGUMENT" },
  Internal: { code: -32603, status: 500, grpc: "INTERNAL" },
  Unauthenticated: { code: -32011, status: 401, grpc: "UNAUTHENTICATED" },
  PermissionDenied: { code: -32012, status: 403, grpc: "PERMISSION_DENIED" },
  RateLimited: { code: -32013, status: 429, grpc: "RESOURCE_EXHAUSTED" },
  Timeout: { code: -32014, status: 504, grpc: "DEADLINE_EXCEEDED" },
  TooLarge: { code: -32602, status: 413, grpc: "INVALID_ARGUMENT" },
  Unavailable: { code: -32603, status: 503, grpc: "UNAVAILABLE" },
} as const;

const ERRORS = { ...A2A_ERRORS, ...OTHER_ERRORS };

export type A2AErrorName = keyof typeof ERRORS;

/** The error of each code; `hidden` for texts that are not the caller's. A new code without an entry does not compile. */
const BY_CODE = {
  invalid_input: "InvalidParams",
  unauthorized: "Unauthenticated",
  forbidden: "PermissionDenied",
  csrf: "PermissionDenied",
  token_expired: "Unauthenticated",
  token_used: "UnsupportedOperation",
  not_found: "TaskNotFound",
  conflict: "UnsupportedOperation",
  precondition_failed: "UnsupportedOperation",
  payload_too_large: "TooLarge",
  limit_exceeded: "InvalidParams",
  rate_limited: "RateLimited",
  quota_exceeded: "RateLimited",
  invalid_definition: "InvalidParams",
  run_cancelled: "UnsupportedOperation",
  timeout: "Timeout",
  wait_expired: "UnsupportedOperation",
  budget_exceeded: "UnsupportedOperation",
  journal_mismatch: "hidden",
  crash_budget_exceeded: "hidden",
  outcome_unknown: "hidden",
  interrupted: "hidden",
  value_too_large: "TooLarge",
  hook_aborted: "hidden",
  model_failed: "hidden",
  model_unavailable: "Unavailable",
  model_unauthorized: "hidden",
  model_rate_limited: "hidden",
  model_rejected: "hidden",
  content_filtered: "hidden",
  answer_cut_off: "hidden",
  answer_too_large: "hidden",
  answer_empty: "hidden",
  context_window_exceeded: "hidden",
  tool_failed: "hidden",
  tool_failure_raised: "hidden",
  agent_failed: "hidden",
  user_code_failed: "hidden",
  output_invalid: "hidden",
  embedding_mismatch: "hidden",
  vector_store_unavailable: "Unavailable",
  unavailable: "Unavailable",
  not_configured: "hidden",
  internal: "hidden",
} as const satisfies Record<ErrorCode, A2AErrorName | "hidden">;

const TYPE = "type.googleapis.com/google.rpc.";
const DOMAIN = "a2a-protocol.org";

/** An error in the form for its caller. */
export class A2AError extends Error {
  override readonly name = "A2AError";
  readonly kind: A2AErrorName;
  readonly code: number;
  readonly grpc: string;
  readonly details: readonly JsonObject[];
  /** HTTP status; JSON-RPC answers most errors with 200. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: A2AErrorName,
    message: string,
    options: {
      readonly metadata?: Readonly<Record<string, string>>;
      readonly details?: readonly JsonObject[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly status?: number;
    } = {},
  ) {
    super(message);
    const { code, status, grpc } = ERRORS[kind];
    const { metadata, details = [], headers = {} } = options;
    this.kind = kind;
    this.code = code;
    this.grpc = grpc;
    this.status = options.status ?? status;
    this.headers = headers;
    const info = {
      "@type": `${TYPE}ErrorInfo`,
      reason: kind.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(),
      domain: DOMAIN,
      ...(metadata === undefined ? undefined : { metadata }),
    };
    this.details = kind in A2A_ERRORS ? [info, ...details] : details;
  }

  /** Returns the member `error` of a JSON-RPC answer. */
  toJsonRpc(): JsonObject {
    const { code, message, details } = this;
    return { code, message, ...(details.length === 0 ? undefined : { data: details }) };
  }

  /** Returns the body of an HTTP answer. */
  toHttp(): JsonObject {
    const { status, grpc, message, details } = this;
    return { error: { code: status, status: grpc, message, details } };
  }
}

/**
 * Converts any error to one of A2A. Bugs and internal errors of the engine are reported, and their texts are hidden
 * from the caller.
 */
export function toA2aError(error: unknown, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error;
  if (!EngineError.is(error)) {
    report(noted(error, "request_failed"));
    return internalError(true);
  }
  const known = knownError(error);
  if (known !== undefined) return known;
  report(noted(error, "request_failed"));
  return internalError(mayPass(error));
}

function internalError(passes: boolean): A2AError {
  const message = `an internal error occurred${passes ? "; the request may be repeated" : ""}`;
  return new A2AError("Internal", message, { headers: adviceOf(passes) });
}

/** Headers for clients with automatic retries. */
function adviceOf(passes: boolean): Readonly<Record<string, string>> {
  return passes ? {} : NO_RETRY;
}

/** Returns undefined for errors with hidden texts. */
function knownError(error: EngineError): A2AError | undefined {
  const { code, message, issues = [] } = error;
  const headers = adviceOf(mayPass(error));
  const violations = issues.map(({ path, message: description }) => ({
    field: path.slice(1).replaceAll("/", "."),
    description,
  }));
  const details: readonly JsonObject[] =
    violations.length === 0
      ? []
      : [{ "@type": `${TYPE}BadRequest`, fieldViolations: violations.slice(0, 50) }];
  const kind = BY_CODE[code];
  if (kind === "hidden") return undefined;
  if (kind !== "RateLimited") return new A2AError(kind, message, { details, headers });
  const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
  return new A2AError(kind, message, {
    details: [{ "@type": `${TYPE}RetryInfo`, retryDelay: `${seconds}s` }],
    headers: { "retry-after": String(seconds) },
  });
}
