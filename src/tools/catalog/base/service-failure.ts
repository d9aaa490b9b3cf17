// Failures between a tool and a service, in a form models can act on.
//
//   SVF1. A code classifies the failure: bad_request, unauthorized, quota_exceeded, not_found, too_large, rate_limited,
//         unavailable, timeout, bad_response, refused. Up to 500 characters of the service's own message follow.
//   SVF2. Network errors, 408, 425, 429 and 5xx are retried; an exhausted quota is not, with any status.
import { cut } from "../../../base/cut.ts";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toolFailure, type ToolFailure } from "../../tool-failure.ts";

/** Reason for the failure of a catalogue tool's call. */
export type ServiceFailureCode =
  | "bad_request"
  | "unauthorized"
  | "quota_exceeded"
  | "not_found"
  | "too_large"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "bad_response"
  | "refused"
  | "failed";

export type ServiceFailureFields = {
  readonly code: ServiceFailureCode | (string & {});
  readonly message: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  /** Set if the request had no effect. @default false */
  readonly unsent?: boolean;
};

/**
 * Creates the error for a failed call: thrown by adapters, recorded in their steps, and finally returned to the model.
 */
export function serviceFailure(fields: ServiceFailureFields): EngineError {
  const { code: failureCode, message, ...rest } = fields;
  return new EngineError("tool_failed", message, { ...rest, failureCode });
}

/** True for an error of `serviceFailure`, also one restored from a record. */
export function isServiceFailure(error: unknown): error is EngineError {
  return EngineError.is(error) && error.code === "tool_failed" && error.failureCode !== undefined;
}

/** Converts the error to a tool's return value; `edit` changes its texts. */
export function returnedFailure(error: EngineError, edit: (text: string) => string): ToolFailure {
  const { message, failureCode, retryable, retryAfterMs, unsent } = error;
  return toolFailure({
    message: edit(message),
    code: failureCode ?? "failed",
    retryable,
    ...(retryAfterMs === undefined ? undefined : { retryAfterMs }),
    ...(unsent ? { unsent } : undefined),
  });
}

const MAX_QUOTED = 500;
const MAX_RETRY_AFTER_S = 86_400;

export type StatusFailure = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonValue;
  readonly service: string;
  /** Name of the variable whose value was sent as the key. */
  readonly keyName?: string | undefined;
  readonly nowMs: number;
  /** Matches messages about an exhausted quota. */
  readonly quota?: RegExp | undefined;
};

/** Returns the failure of a status. */
export function failureOfStatus(answer: StatusFailure): EngineError {
  const { status, headers, service, keyName, nowMs } = answer;
  const words = wordsOf(answer.body);
  const said = words === "" ? "" : `: ${cut(words, MAX_QUOTED)}`;
  const retryAfterMs = retryAfterOf(headers, nowMs) ?? retryAfterIn(answer.body);
  if (status === 402 || (answer.quota?.test(words) ?? false))
    return serviceFailure({
      code: "quota_exceeded",
      message: `The quota of ${service} is used up${said}`,
    });
  switch (status) {
    case 401:
    case 403:
      return serviceFailure({
        code: "unauthorized",
        message: `${service} refused ${keyName === undefined ? "access" : `the key in ${keyName}`}${said}`,
      });
    case 404:
    case 410:
      return serviceFailure({
        code: "not_found",
        message: `${service} has nothing there${said}`,
      });
    case 413:
      return serviceFailure({
        code: "too_large",
        message: `The request is too large for ${service}${said}`,
      });
    case 429:
      return serviceFailure({
        code: "rate_limited",
        message: `${service} takes no more requests for now${said}`,
        retryable: true,
        unsent: true,
        retryAfterMs,
      });
    default:
      return status >= 500 || status === 408 || status === 425
        ? serviceFailure({
            code: "unavailable",
            message: `${service} is not available (${status})${said}`,
            retryable: true,
            retryAfterMs,
          })
        : serviceFailure({
            code: "bad_request",
            message: `${service} did not accept the request (${status})${said}`,
          });
  }
}

/** Creates the failure of an unexpected response. */
export function badResponse(service: string, what = ""): EngineError {
  return serviceFailure({
    code: "bad_response",
    message: `${service} answered something unexpected${what === "" ? "." : `: ${what}`}`,
  });
}

/** Fields of a response consisting only of an error. */
const ERROR_FIELDS =
  /^(?:errors?|message|detail|code|status|statusCode|status_code|success|ok|type|request_?id|requestId|trace_?id|timestamp)$/;

/**
 * Returns the failure reported in a response with a successful status; undefined if the response has any other content.
 */
export function failureInAnswer(
  body: JsonValue,
  { service, quota }: { readonly service: string; readonly quota?: RegExp | undefined },
): EngineError | undefined {
  if (!isJsonObject(body) || !Object.keys(body).every((name) => ERROR_FIELDS.test(name)))
    return undefined;
  const { error, errors } = body;
  const words = wordsOf(body);
  const isError = [error, errors].some((each) => wordsOf(each ?? null) !== "");
  if (!isError && body["success"] !== false && body["ok"] !== false) return undefined;
  if (quota?.test(words) ?? false)
    return serviceFailure({
      code: "quota_exceeded",
      message: `The quota of ${service} is used up: ${cut(words, MAX_QUOTED)}`,
    });
  return badResponse(service, words === "" ? "an error" : `an error: ${cut(words, MAX_QUOTED)}`);
}

/** Finds a service's own error message in the body. */
export function wordsOf(body: JsonValue): string {
  if (typeof body === "string") return /^\s*</.test(body) ? "" : body.trim();
  if (Array.isArray(body)) return body.map(wordsOf).filter(Boolean).join("; ");
  if (!isJsonObject(body)) return "";
  for (const name of ["message", "error", "detail", "errors", "description", "reason", "title"]) {
    const value = body[name];
    const words = value === undefined || value === null ? "" : wordsOf(value);
    if (words === "") continue;
    const { code } = body;
    return typeof code === "string" && !words.includes(code) ? `${words} (${code})` : words;
  }
  const { code } = body;
  return typeof code === "string" ? code : "";
}

/** Returns `Retry-After` in milliseconds, from seconds or a date. */
function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - nowMs;
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_S * 1000) : undefined;
}

/** Returns the requested delay from a body, converted from seconds to milliseconds. */
function retryAfterIn(body: JsonValue): number | undefined {
  if (!isJsonObject(body)) return undefined;
  for (const place of [body, body["error"], body["parameters"]]) {
    if (!isJsonObject(place ?? null)) continue;
    const { retry_after: short, retry_after_seconds: long = short } = place as JsonObject;
    if (typeof long === "number" && long >= 0) return Math.min(long, MAX_RETRY_AFTER_S) * 1000;
  }
  return undefined;
}
