// Requests to OpenAI, and to everything that speaks its dialect, with the SDK's errors and its decoding of streams.
//
// Tries once: retry belongs to the step that makes the call, as a hidden second attempt would double effects and waits.
import type { OpenAI } from "openai/client";
import type * as Sdk from "./sdk.ts";
import type { Clock } from "../../base/clock.ts";
import { LinkedAbort } from "../../base/linked-abort.ts";
import { systemFetch } from "../../base/system.ts";
import type { Connection } from "../connection.ts";

/** How long the answer may take to begin when the settings say nothing, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 600_000;

export type OpenAIClientOptions = {
  readonly connection: Connection;
  readonly fetch: typeof fetch | undefined;
  readonly clock: Clock;
  /** Of the whole call, in milliseconds, where it has a limit. */
  readonly timeoutMs?: number | undefined;
};

export type OpenAIRequest = {
  /** JSON, or a form. Left out where there is nothing to send. */
  readonly body?: object | ReadableStream<Uint8Array>;
  /** @default "POST" */
  readonly method?: "POST" | "DELETE";
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
};

export class OpenAIClient {
  readonly sdk: typeof Sdk;
  readonly #options: OpenAIClientOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #baseUrl: string;
  readonly #search: string;

  constructor(sdk: typeof Sdk, options: OpenAIClientOptions) {
    this.sdk = sdk;
    this.#options = options;
    const { apiKey, headers, baseUrl, query } = options.connection;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#search = searchOf(query);
    this.#headers = {
      accept: "application/json",
      "content-type": "application/json",
      ...(apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    };
  }

  /** A client, with the SDK loaded. */
  static async load(options: OpenAIClientOptions): Promise<OpenAIClient> {
    return new OpenAIClient(await import("./sdk.ts"), options);
  }

  /** The body of a whole answer: JSON, or the text itself where it is none, for the error that quotes it. */
  async json(path: string, request: OpenAIRequest): Promise<unknown> {
    const stop = new LinkedAbort(request.signal);
    let body: string;
    try {
      const response = await this.#send(path, request, stop);
      body = await response.text();
    } finally {
      stop.release();
    }
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  }

  /** The events of a streamed answer. Ending the iteration early aborts the request. */
  async stream<Event>(path: string, request: OpenAIRequest): Promise<AsyncIterable<Event>> {
    const stop = new LinkedAbort(request.signal);
    try {
      const response = await this.#send(path, request, stop);
      const events = this.sdk.Stream.fromSSEResponse<Event>(response, stop, SILENT);
      return followedBy(events, () => stop.release());
    } catch (error) {
      stop.release();
      throw error;
    }
  }

  /** Throws an `APIError` for an answer that is an error, an `APIConnectionError` where there is none. */
  async #send(
    path: string,
    { body, headers, method = "POST", signal }: OpenAIRequest,
    stop: AbortController,
  ): Promise<Response> {
    const { fetch = systemFetch, clock, timeoutMs = 0 } = this.#options;
    const { APIConnectionError, APIConnectionTimeoutError, APIError } = this.sdk;
    let isLate = false;
    const cancel = clock.after(Math.max(timeoutMs, FIRST_BYTE_TIMEOUT_MS), () => {
      isLate = true;
      stop.abort();
    });
    let response: Response;
    try {
      response = await fetch(`${this.#baseUrl}${path}${this.#search}`, {
        method,
        headers: { ...this.#headers, ...headers },
        ...sentBody(body),
        signal: stop.signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (isLate) throw new APIConnectionTimeoutError();
      const cause = error instanceof Error ? error : new Error(String(error));
      throw new APIConnectionError({ message: cause.message, cause });
    } finally {
      cancel();
    }
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    const json = parsed(text);
    throw APIError.generate(
      response.status,
      json === undefined ? undefined : errorBody(json),
      json === undefined ? text : undefined,
      response.headers,
    );
  }
}

/** Calls `done` once nobody iterates any more. */
async function* followedBy<Item>(
  items: AsyncIterable<Item>,
  done: () => void,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    done();
  }
}

/** A stream is sent while the answer is not yet there, which `fetch` has to be told. */
function sentBody(body: OpenAIRequest["body"]): RequestInit {
  if (body === undefined) return {};
  if (!(body instanceof ReadableStream)) return { body: JSON.stringify(body) };
  return { body, duplex: "half" } as RequestInit;
}

/** The SDK would write about an unreadable stream to the console; the error that it throws says it. */
const SILENT = { logLevel: "off" } as OpenAI;

function searchOf(query: Connection["query"] | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(name, value);
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** The body in the form `{ error }`. Some providers send the error itself, as `{ message }`. */
function errorBody(json: unknown): object {
  const { error } = (json ?? {}) as { readonly error?: unknown };
  return error === undefined || error === null ? { error: json } : { error };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
