import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import { systemClock } from "../base/system.ts";
import type { Problem } from "../parts/problem.ts";
import { Pauses } from "./pauses.ts";

/** Where the Worker is, and how the client calls it. */
export type ClientOptions = {
  /** The address of the Worker, such as `https://crews.example.com`. A path in it is kept as a prefix. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer`. @default none */
  readonly apiKey?: string;
  /** @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Sent with every request. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** `same-origin` sends the cookie of this browser's session, for pages that the Worker serves. @default what `fetch` does */
  readonly credentials?: "same-origin";
  /** The clock for waits and retries; a simulated one in tests. @default the system's */
  readonly clock?: Clock;
};

/** A body as it is sent. A stream is sent while it is read. */
export type BodyBytes = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

export type RequestOptions = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** A body that is not JSON. */
  readonly text?: { readonly type: string; readonly body: BodyBytes };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Statuses after which the same request may succeed later. */
const RETRYABLE = new Set([429, 502, 503, 504]);

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "payload_too_large",
  429: "limit_exceeded",
  504: "timeout",
};

/** Sends requests. Rejects with an `EngineError` for any answer that is not a success. */
export class Transport {
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #credentials: ClientOptions["credentials"];
  readonly #fetch: NonNullable<ClientOptions["fetch"]>;

  constructor({ baseUrl, apiKey, headers, clock = systemClock, ...options }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#headers = {
      ...(apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    };
    this.#credentials = options.credentials;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.clock = clock;
    this.pauses = new Pauses(clock);
  }

  /** The answer's JSON. It is not validated, because it comes from Edgecrew's own API. */
  async json<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return readJson<T>(await this.send(path, options));
  }

  async send(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = "GET", query = {}, json, text, headers, signal } = options;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
    const type = json === undefined ? text?.type : "application/json";
    const body = json === undefined ? text?.body : JSON.stringify(json);
    let response: Response;
    try {
      response = await this.#fetch(this.#baseUrl + path + search, {
        method,
        headers: {
          accept: "application/json",
          ...this.#headers,
          ...(type === undefined ? undefined : { "content-type": type }),
          ...headers,
        },
        ...(body === undefined ? undefined : { body }),
        ...(body instanceof ReadableStream ? { duplex: "half" } : undefined),
        ...(this.#credentials === undefined ? undefined : { credentials: this.#credentials }),
        ...(signal === undefined ? undefined : { signal }),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new EngineError(
        "unavailable",
        `${method} ${this.#baseUrl}${path} got no answer: ${errorMessage(cause)}`,
        { retryable: true, cause },
      );
    }
    if (response.ok) return response;
    throw await toError(response, `${method} ${path}`);
  }
}

/** Throws `unavailable` for an incomplete answer, or one that is not JSON. */
export async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw new EngineError(
      "unavailable",
      `the answer broke off or is not JSON: ${errorMessage(cause)}`,
      { retryable: true, cause },
    );
  }
}

async function toError(response: Response, request: string): Promise<EngineError> {
  const { status } = response;
  const problem = await readProblem(response);
  const retryAfter = Number(response.headers.get("retry-after"));
  return new EngineError(
    problem.code ?? CODE_BY_STATUS[status] ?? (status >= 500 ? "unavailable" : "invalid_input"),
    problem.detail ?? `${request} answered ${status} ${response.statusText}`.trim(),
    {
      retryable: RETRYABLE.has(status),
      issues: problem.errors,
      ...(retryAfter > 0 ? { retryAfterMs: retryAfter * 1000 } : undefined),
    },
  );
}

/** Empty for answers that are not problems, such as a proxy's error page. */
async function readProblem(response: Response): Promise<Partial<Problem>> {
  try {
    const body = (await response.json()) as Partial<Problem> | null;
    return typeof body?.code === "string" ? body : {};
  } catch {
    return {};
  }
}

/** The delay before the next attempt after `failures` in a row: half a second, doubled each time, at most 15 s. */
export function backoffMs(failures: number): number {
  return Math.min(15_000, 500 * 2 ** (failures - 1));
}

/** Failed attempts in a row after which the error is thrown. Together they take a little more than a minute. */
export const MAX_FAILURES = 8;

export function mayRetry(error: unknown): error is EngineError {
  return EngineError.is(error) && error.retryable;
}
