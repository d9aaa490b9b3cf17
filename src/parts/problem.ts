import { noted } from "../base/log.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { EngineError, type EngineErrorOptions, type ErrorCode, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { cut } from "../base/cut.ts";
import { MAX_ISSUES } from "../base/zod-issues.ts";
export { invalidInput } from "../base/invalid-input.ts";

/** A new code without a status does not compile. */
export const STATUS_BY_CODE = {
  invalid_input: 400,
  invalid_definition: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf: 403,
  token_expired: 401,
  token_used: 409,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  run_cancelled: 409,
  wait_expired: 409,
  budget_exceeded: 409,
  journal_mismatch: 409,
  outcome_unknown: 409,
  hook_aborted: 409,
  payload_too_large: 413,
  value_too_large: 413,
  limit_exceeded: 413,
  rate_limited: 429,
  quota_exceeded: 429,
  model_failed: 502,
  model_unauthorized: 502,
  model_rate_limited: 502,
  model_rejected: 502,
  content_filtered: 502,
  context_window_exceeded: 502,
  tool_failed: 502,
  tool_failure_raised: 502,
  agent_failed: 502,
  user_code_failed: 500,
  output_invalid: 502,
  embedding_mismatch: 409,
  vector_store_unavailable: 503,
  unavailable: 503,
  not_configured: 503,
  timeout: 504,
  crash_budget_exceeded: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** The body of every answer that is not a success (RFC 9457). */
export type Problem = {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly errors?: readonly Issue[];
};

export type HttpErrorOptions = EngineErrorOptions & {
  /** A more specific status than that of the code. */
  readonly status?: ContentfulStatusCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the answer, such as which quota is used up. */
  readonly facts?: JsonObject;
};

/** An error whose answer has its own status or headers. */
export class HttpError extends EngineError {
  override readonly status: ContentfulStatusCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: JsonObject;

  constructor(code: ErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status ?? STATUS_BY_CODE[code];
    this.headers = options.headers ?? {};
    this.facts = options.facts ?? {};
  }
}

/** What is refused is not sent back: a problem is small, whatever the request was. */
const MAX_PATH_LENGTH = 500;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_DETAIL_LENGTH = 4_000;

/** Turns any error into an answer. An unexpected error is reported, and its message is not sent. */
export function problemOf(error: unknown, report: (error: unknown) => void): Response {
  if (EngineError.is(error) && error.code !== "internal") return problemResponse(error);
  report(noted(error, "request_failed"));
  return problemResponse(
    new EngineError("internal", "an internal error occurred; you can retry the request"),
  );
}

export function problemResponse(error: EngineError): Response {
  const status = error instanceof HttpError ? error.status : STATUS_BY_CODE[error.code];
  const issues = error.issues?.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: cut(path, MAX_PATH_LENGTH),
    message: cut(message, MAX_MESSAGE_LENGTH),
  }));
  const problem: Problem = {
    type: "about:blank",
    title: TITLES[status] ?? "Error",
    status,
    detail: cut(error.message, MAX_DETAIL_LENGTH),
    code: error.code,
    ...(issues === undefined ? undefined : { errors: issues }),
  };
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (error.retryAfterMs !== undefined)
    headers.set("retry-after", String(Math.ceil(error.retryAfterMs / 1000)));
  if (error instanceof HttpError)
    for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  const facts = error instanceof HttpError ? error.facts : {};
  return new Response(JSON.stringify({ ...problem, ...facts }), { status, headers });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
