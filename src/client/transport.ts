// Requests of the client: one place to send, retry, authenticate, and turn answers into errors.
//
//   HTC1. Reads, and writes with an id of their own, are retried after network faults, 429, 502, 503 and 504 without
//         `x-should-retry: false`.
//   HTC2. After 401, a function for `auth` is called once more. Simultaneous requests share the call.
//   HTC3. Every rejection is an `EngineError`; an abort rejects with the signal's reason.
//   HTC4. Works without `URLSearchParams`, `crypto` and `ReadableStream`, as on phones.
import { sleep, type Clock } from "../base/clock.ts";
import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import { systemClock } from "../base/system.ts";
import type { Problem } from "../parts/problem.ts";
import { backoffMs, mayRetry } from "./backoff.ts";
import { Credentials, type Auth } from "./credentials.ts";
import { Pauses } from "./pauses.ts";
import { Sockets, type EventSocket, type SocketClass } from "./sockets.ts";
import type { ChangesSource } from "./store/changes-source.ts";

/** An attempt of a request, with its answer or failure. */
export type SentRequest = {
  readonly method: string;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Absent without an answer. */
  readonly status?: number;
};

/** Address of the Worker, and settings of requests. */
export type ClientOptions = {
  /**
   * The address of the Worker, such as `https://crews.example.com`. A path in it becomes a prefix. @default the page's
   * own origin
   */
  readonly url?: string;
  /** The same as `url`. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer`. @default no credential */
  readonly auth?: Auth;
  /** The same as `auth`. */
  readonly apiKey?: string;
  /** `same-origin` sends the cookie of a session. @default the platform's */
  readonly credentials?: "same-origin" | "include" | "omit";
  /** @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Class of WebSockets, or null to disable them. @default the global `WebSocket` */
  readonly webSocket?: SocketClass | null;
  /** Sent with every request. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of requests other than streams and waits, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Source of changes for live lists; see `sharedTabs`. @default a connection of the client's own */
  readonly changes?: (source: ChangesSource) => ChangesSource;
  /** Called after every attempt of a request, for logs. */
  readonly onRequest?: (request: SentRequest) => void;
  /** The clock for waits and retries; a simulated one in tests. @default the system's */
  readonly clock?: Clock;
  /** From 0 to 1, for the pauses between attempts. @default `Math.random`; no randomness with another clock */
  readonly random?: () => number;
};

/** Body of a request. A stream is sent while it is read. */
export type BodyBytes = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

type QueryValue = string | number | boolean | readonly string[] | undefined;

export type RequestOptions = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly json?: unknown;
  /** A body other than JSON. */
  readonly text?: { readonly type: string; readonly body: BodyBytes };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of attempts. @default 3 for GET, otherwise 1 */
  readonly attempts?: number;
  /** True to disable the timeout. @default false */
  readonly isSlow?: boolean;
  /** Sends it in place of the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
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

/** Sends requests. Rejects with an `EngineError` for every unsuccessful answer. */
export class Transport {
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly sockets: Sockets;
  readonly credentials: Credentials;
  /** False on platforms that read bodies only as a whole, such as React Native. */
  canStream: boolean;
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #random: () => number;

  constructor(options: ClientOptions) {
    const { url, baseUrl, auth, apiKey, clock = systemClock } = options;
    this.#options = options;
    this.#baseUrl = (url ?? baseUrl ?? "").replace(/\/+$/, "");
    this.credentials = new Credentials(auth ?? apiKey);
    this.clock = clock;
    this.pauses = new Pauses(clock);
    this.sockets = new Sockets(clock, socketClass(options));
    this.canStream = options.fetch !== undefined || hasBodies();
    this.#random = options.random ?? (clock === systemClock ? () => Math.random() : () => 0.5);
  }

  /** Resolves to the answer's JSON. It is not validated, because it comes from Edgecrew's own API. */
  json<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return this.#repeat(options, (attempt) => this.#attempt(path, options, [attempt, readJson<T>]));
  }

  /** Resolves to the answer with its body unread. */
  send(path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#repeat(options, (attempt) => this.#attempt(path, options, [attempt, undefined]));
  }

  /** Returns the pause after this number of consecutive failures. */
  pauseAfter(error: EngineError, failures: number): number {
    return error.retryAfterMs ?? Math.round(backoffMs(failures) * (0.8 + 0.4 * this.#random()));
  }

  /**
   * Returns an opening WebSocket. Undefined if sockets are unavailable: the platform has no sockets, they rest after a
   * failure, or the client has a key, which only headers carry. `renew` gets another token after a refusal.
   */
  async socket(
    path: string,
    query: RequestOptions["query"] = {},
  ): Promise<EventSocket | undefined> {
    if (this.sockets.readyInMs !== 0) return undefined;
    const token = await this.credentials.get();
    const { origin = "" } = (globalThis as { location?: { origin?: string } }).location ?? {};
    const address = (this.#baseUrl === "" ? origin : this.#baseUrl).replace(/^http/, "ws");
    // Proxies log the protocols of a socket, so they carry expiring tokens, and never keys.
    const isKey = token !== undefined && !token.startsWith("ect_");
    if (isKey || !address.startsWith("ws")) {
      this.sockets.close();
      return undefined;
    }
    const protocols = token === undefined ? [] : ["edgecrew", token];
    const socket = this.sockets.open(address + path + queryText(query), protocols);
    const { sockets } = this;
    return socket && { socket, sockets, renew: () => this.credentials.renew(token) };
  }

  async #repeat<T>(
    { method = "GET", attempts = method === "GET" ? 3 : 1, signal }: RequestOptions,
    send: (attempt: number) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(attempt);
      } catch (error) {
        if (!mayRetry(error) || attempt >= attempts) throw error;
        await sleep(this.clock, this.pauseAfter(error, attempt), signal);
      }
    }
  }

  /** Sends one attempt, and one more with another token. */
  async #attempt<T>(
    path: string,
    options: RequestOptions,
    how: readonly [attempt: number, read: ((response: Response) => Promise<T>) | undefined],
  ): Promise<T> {
    const token = await this.credentials.get();
    try {
      return await this.#exchange(path, options, [...how, token]);
    } catch (error) {
      const isRefused = EngineError.is(error) && error.status === 401;
      if (!isRefused || !this.credentials.canRenew || isStream(options.text?.body)) throw error;
      await this.credentials.renew(token);
      return this.#exchange(path, options, [...how, await this.credentials.get()]);
    }
  }

  #headersOf({
    token,
    type,
    headers,
  }: {
    readonly token: string | undefined;
    readonly type: string | undefined;
    readonly headers: RequestOptions["headers"];
  }): Record<string, string> {
    return {
      accept: "application/json",
      ...(token === undefined ? undefined : { authorization: `Bearer ${token}` }),
      ...this.#options.headers,
      ...(type === undefined ? undefined : { "content-type": type }),
      ...headers,
    };
  }

  async #exchange<T>(
    path: string,
    options: RequestOptions,
    [attempt, read, token]: readonly [
      attempt: number,
      read: ((response: Response) => Promise<T>) | undefined,
      token: string | undefined,
    ],
  ): Promise<T> {
    const {
      method = "GET",
      query = {},
      json,
      text,
      headers,
      signal,
      isSlow = false,
      fetch: other,
    } = options;
    const { timeoutMs = 30_000, credentials, onRequest, fetch: own = other } = this.#options;
    const url = this.#baseUrl + path + queryText(query);
    const type = json === undefined ? text?.type : "application/json";
    const body = json === undefined ? text?.body : JSON.stringify(json);
    const limit = timeLimit(this.clock, {
      signal,
      // A caller with a signal that reads the body itself sets its own limit.
      timeoutMs: isSlow || (signal !== undefined && read === undefined) ? Infinity : timeoutMs,
    });
    const begunAtMs = this.clock.now();
    let status: number | undefined;
    try {
      if (signal?.aborted === true) throw signal.reason;
      const send = own ?? ((address: string, init: RequestInit) => fetch(address, init));
      const response = await send(url, {
        method,
        headers: this.#headersOf({ token, type, headers }),
        ...(credentials === undefined ? undefined : { credentials }),
        ...(body === undefined ? undefined : { body }),
        ...(isStream(body) ? { duplex: "half" } : undefined),
        ...(limit.signal === undefined ? undefined : { signal: limit.signal }),
      });
      status = response.status;
      if (!response.ok) throw await toError(response, `${method} ${path}`);
      return read === undefined ? (response as T) : await read(response);
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      if (EngineError.is(cause)) throw cause;
      if (limit.isOver())
        throw unavailable(`${method} ${url} took more than ${timeoutMs} ms`, cause);
      throw unavailable(`${method} ${url} got no answer: ${errorMessage(cause)}`, cause);
    } finally {
      limit.end();
      const durationMs = this.clock.now() - begunAtMs;
      onRequest?.({
        method,
        url,
        attempt,
        durationMs,
        ...(status === undefined ? undefined : { status }),
      });
    }
  }
}

/** True for bodies that can be read only once. */
export function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return typeof body === "object" && body !== null && "getReader" in body;
}

function hasBodies(): boolean {
  const { Response: known } = globalThis as { Response?: { readonly prototype: object } };
  return known !== undefined && "body" in known.prototype;
}

/** Returns undefined for clients with another `fetch` or with headers, because sockets of browsers send no headers. */
function socketClass({ webSocket, fetch: own, headers }: ClientOptions): SocketClass | undefined {
  if (webSocket !== undefined) return webSocket ?? undefined;
  if (own !== undefined || headers !== undefined) return undefined;
  return (globalThis as unknown as { WebSocket?: SocketClass }).WebSocket;
}

/**
 * Returns the text of a query, `?` included, without empty values: an empty search field filters nothing, and the API
 * refuses it. Written by hand because phones have only half of `URLSearchParams`.
 */
function queryText(query: NonNullable<RequestOptions["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === ""
      ? []
      : `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Returns a signal that aborts with another one, or after the timeout. */
function timeLimit(
  clock: Clock,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): { readonly signal: AbortSignal | undefined; isOver(): boolean; end(): void } {
  if (timeoutMs === Infinity) return { signal, isOver: () => false, end: () => undefined };
  const controller = new AbortController();
  let over = false;
  const abort = (): void => controller.abort(signal?.reason);
  const disarm = clock.after(timeoutMs, () => {
    over = true;
    controller.abort();
  });
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort);
  const end = (): void => {
    disarm();
    signal?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, isOver: () => over, end };
}

/** Makes the error of a failed connection, which a retry may solve. */
export function unavailable(message: string, cause?: unknown): EngineError {
  return new EngineError("unavailable", message, { retryable: true, cause });
}

/** Throws `unavailable` for an incomplete answer, or one without JSON. */
export async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw unavailable(`the answer broke off or is not JSON: ${errorMessage(cause)}`, cause);
  }
}

async function toError(response: Response, request: string): Promise<EngineError> {
  const { status, headers } = response;
  const problem = await readProblem(response);
  const retryAfter = Number(headers.get("retry-after"));
  return new EngineError(
    problem.code ?? CODE_BY_STATUS[status] ?? (status >= 500 ? "unavailable" : "invalid_input"),
    problem.detail ?? `${request} answered ${status} ${response.statusText}`.trim(),
    {
      status,
      requestId: headers.get("x-request-id") ?? headers.get("cf-ray") ?? undefined,
      retryable: RETRYABLE.has(status) && headers.get("x-should-retry") !== "false",
      issues: problem.errors,
      ...(retryAfter > 0 ? { retryAfterMs: retryAfter * 1000 } : undefined),
    },
  );
}

/** Returns an empty object for other answers than problems, such as a proxy's error page. */
async function readProblem(response: Response): Promise<Partial<Problem>> {
  try {
    const body = (await response.json()) as Partial<Problem> | null;
    return typeof body?.code === "string" ? body : {};
  } catch {
    return {};
  }
}
