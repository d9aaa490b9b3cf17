// Errors of A2A 1.0.1 (section 5.4), in the forms of both bindings.
import { noted } from "../../base/log.ts";
import { EngineError } from "../../base/error.ts";
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
  const details =
    violations.length === 0
      ? []
      : [{ "@type": `${TYPE}BadRequest`, fieldViolations: violations.slice(0, 50) }];
  switch (code) {
    case "not_found":
      return new A2AError("TaskNotFound", message, { headers });
    case "invalid_input":
    case "invalid_definition":
    case "limit_exceeded":
      return new A2AError("InvalidParams", message, { details, headers });
    case "conflict":
    case "wait_expired":
    case "run_cancelled":
      return new A2AError("UnsupportedOperation", message, { headers });
    case "payload_too_large":
    case "value_too_large":
      return new A2AError("TooLarge", message, { headers });
    case "unauthorized":
    case "token_expired":
      return new A2AError("Unauthenticated", message, { headers });
    case "forbidden":
      return new A2AError("PermissionDenied", message, { headers });
    case "rate_limited":
    case "quota_exceeded": {
      const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
      return new A2AError("RateLimited", message, {
        details: [{ "@type": `${TYPE}RetryInfo`, retryDelay: `${seconds}s` }],
        headers: { "retry-after": String(seconds) },
      });
    }
    case "timeout":
      return new A2AError("Timeout", message, { headers });
    case "unavailable":
    case "vector_store_unavailable":
      return new A2AError("Unavailable", message, { headers });
    default:
      return undefined;
  }
}
