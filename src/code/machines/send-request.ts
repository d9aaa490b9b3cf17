// Requests of runners to machine services.
import { sleep, type Clock } from "../../base/clock.ts";
import { cut } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { boundedBody } from "../../security/bounded-body.ts";

export type ServiceRequest = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue | FormData;
  readonly expects: "json" | "text" | "bytes";
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  /** Statuses to accept beside 200 to 299. */
  readonly accepts?: readonly number[];
};

export type ServiceAnswer = {
  readonly status: number;
  /** JSON or a text, as the request expects. */
  readonly body: JsonValue;
  readonly bytes: Uint8Array;
};

/**
 * Sends a request. Throws `timeout` without an answer in time, `unavailable` if the service answers so or cannot be
 * reached, `unauthorized` for a refused key, and `tool_failed` for every other failure.
 */
export type SendRequest = (request: ServiceRequest) => Promise<ServiceAnswer>;

export type SenderOptions = {
  readonly service: string;
  /** Name of the key's variable, for error messages. */
  readonly keyName: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_WORDS = 300;

export function requestSender(options: SenderOptions): SendRequest {
  return async (request) => {
    const { clock, signal, service } = options;
    const late = new AbortController();
    const timer = new AbortController();
    void sleep(clock, request.timeoutMs, timer.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      return await exchange(request, options, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (EngineError.is(error))
        throw error.code === "payload_too_large"
          ? new EngineError("tool_failed", `the answer of ${service} is too large`, {
              cause: error,
            })
          : error;
      if (late.signal.aborted)
        throw new EngineError(
          "timeout",
          `${service} gave no answer in ${Math.round(request.timeoutMs / 1000)} s`,
          { retryable: true, cause: error },
        );
      throw new EngineError("unavailable", `${service} is not there: ${errorMessage(error)}`, {
        retryable: true,
        cause: error,
      });
    } finally {
      timer.abort();
    }
  };
}

async function exchange(
  { method, url, headers, body, expects, maxBytes = MAX_BYTES, accepts = [] }: ServiceRequest,
  options: SenderOptions,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const isForm = body instanceof FormData;
  const response = await options.fetch(url, {
    method,
    signal,
    redirect: "manual",
    headers: {
      ...headers,
      ...(body === undefined || isForm ? undefined : { "content-type": "application/json" }),
    },
    ...(body === undefined ? undefined : { body: isForm ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  const bytes = (await boundedBody(response, maxBytes)) ?? new Uint8Array();
  const text = expects === "bytes" ? "" : new TextDecoder().decode(bytes);
  if (!response.ok && !accepts.includes(status))
    throw failureOf(status, text || new TextDecoder().decode(bytes.subarray(0, 2_000)), options);
  if (expects !== "json") return { status, body: text, bytes };
  try {
    return { status, body: text === "" ? null : (JSON.parse(text) as JsonValue), bytes };
  } catch {
    if (!response.ok) return { status, body: text, bytes };
    throw new EngineError("tool_failed", `${options.service} answered something that is no JSON`);
  }
}

function failureOf(status: number, text: string, { service, keyName }: SenderOptions): EngineError {
  const words = wordsOf(text);
  const said = words === "" ? "" : `: ${cut(words, MAX_WORDS)}`;
  if (status === 401 || status === 403)
    return new EngineError("unauthorized", `${service} refused the key in ${keyName}${said}`);
  if (status === 429 || status === 408 || status >= 500)
    return new EngineError("unavailable", `${service} is not available (${status})${said}`, {
      retryable: true,
      unsent: status === 429 || status === 503,
    });
  return new EngineError("tool_failed", `${service} did not accept the request (${status})${said}`);
}

/** Returns the error message in a service's answer. */
function wordsOf(text: string): string {
  if (/^\s*</.test(text)) return "";
  try {
    const body: unknown = JSON.parse(text);
    const words = isJsonObject(body) ? (body["message"] ?? body["error"]) : body;
    return typeof words === "string" ? words : "";
  } catch {
    return text.trim();
  }
}
