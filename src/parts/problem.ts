import { noted } from "../base/log.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { EngineError, type EngineErrorOptions, type ErrorCode, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { cut } from "../base/cut.ts";
import { MAX_ISSUES } from "../base/zod-issues.ts";
import { mayPass, NO_RETRY, STATUS_BY_CODE } from "./code-answers.ts";
export { invalidInput } from "../base/invalid-input.ts";

/** Body of every error response (RFC 9457). */
export type Problem = {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly errors?: readonly Issue[];
};

export type HttpErrorOptions = EngineErrorOptions & {
  /** Status that replaces the code's own one. */
  readonly status?: ContentfulStatusCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the response, such as the exhausted quota. */
  readonly facts?: JsonObject;
};

/** An error whose response has its own status or headers. */
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

/** Refused values are not repeated in full: a problem is small for any request. */
const MAX_PATH_LENGTH = 500;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_DETAIL_LENGTH = 4_000;

/** Turns any error into an answer. An unexpected error is reported, and its message is not sent. */
export function problemOf(error: unknown, report: (error: unknown) => void): Response {
  if (EngineError.is(error) && error.code !== "internal") return problemResponse(error);
  report(noted(error, "request_failed"));
  return problemResponse(
    new EngineError("internal", "an internal error occurred; you can retry the request", {
      retryable: true,
    }),
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
  if (!mayPass(error))
    for (const [name, value] of Object.entries(NO_RETRY)) headers.set(name, value);
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
