// Requests to a provider.
//
// Tries once, and has no time limit: both belong to the calling step. A hidden second attempt would double effects and
// waits; a second timer costs as much as the rest of Edgecrew's work for a call.
import { cut } from "../base/cut.ts";
import { preview, parsedJson } from "../base/json.ts";
import { LinkedAbort } from "../base/linked-abort.ts";
import { systemFetch } from "../base/system.ts";
import { answerText, refusalText, StreamBound } from "./answer-bounds.ts";
import { APIError, UnreachedError } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { DONE, eventsIn, STREAM_END, type StreamWatch } from "./provider-events.ts";
import { fieldsOf } from "./wire.ts";

/** Maximum number of characters quoted from an answer without JSON, such as a gateway's page. */
const MAX_PAGE_CHARS = 500;

/** Maximum depth of a failure's causes. */
const MAX_CAUSES = 5;

export type ProviderClientOptions = {
  readonly connection: Connection;
  readonly fetch: typeof fetch | undefined;
};

/** Differences between providers. */
export type ProviderDialect = {
  /** Sent with every request, the key included; the connection's own take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error in the body of an answer, also of one with status 200, or in an event of a stream. @default the whole of it */
  readonly errorIn?: (json: unknown) => unknown;
  /** The events of a streamed answer. @default server-sent events */
  readonly events?: typeof eventsIn;
  /** Returns headers that depend on the whole request, such as a signature. */
  readonly sign?: (request: RequestToSend) => Promise<Readonly<Record<string, string>>>;
};

/** A request with a body of JSON. */
export type RequestToSend = {
  readonly method: string;
  readonly url: string;
  readonly body: string;
};

export type ProviderRequest = {
  /** JSON, or a form. Left out for an empty request. */
  readonly body?: object | ReadableStream<Uint8Array>;
  /** @default "POST" */
  readonly method?: "POST" | "DELETE";
  readonly signal: AbortSignal;
  /** Called with each piece of a stream. */
  readonly onSign?: (() => void) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bound of the answer (ANB1). @default the bound of text answers */
  readonly maxBytes?: number | undefined;
};

export class ProviderClient {
  readonly #options: ProviderClientOptions;
  readonly #dialect: ProviderDialect;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #baseUrl: string;
  readonly #search: string;
  /** Server address, without a path that may hold a key. */
  readonly #server: string;

  constructor(options: ProviderClientOptions, dialect: ProviderDialect) {
    this.#options = options;
    this.#dialect = dialect;
    const { headers, baseUrl, query } = options.connection;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#search = searchOf(query);
    this.#server = serverOf(baseUrl);
    this.#headers = {
      accept: "application/json",
      "content-type": "application/json",
      ...lowerCased(dialect.headers),
      ...lowerCased(headers),
    };
  }

  /** Returns the body of a whole answer: JSON, or the plain text for the error to quote. */
  async json(path: string, request: ProviderRequest): Promise<unknown> {
    const response = await this.#send(path, request);
    const body = await answerText(response, { server: this.#server, maxBytes: request.maxBytes });
    const value = parsedJson(body) ?? body;
    if (hasError(value)) throw this.#failed(value, { headers: response.headers });
    return value;
  }

  /** The events of a streamed answer. Ending the iteration early aborts the request. */
  async stream(path: string, request: ProviderRequest): Promise<AsyncIterable<unknown>> {
    const stop = new LinkedAbort(request.signal);
    try {
      const response = await this.#send(path, { ...request, signal: stop.signal });
      const bound = new StreamBound({ server: this.#server, maxBytes: request.maxBytes });
      return this.#events(response, stop, { bound, onSign: request.onSign });
    } catch (error) {
      stop.release();
      throw error;
    }
  }

  async *#events(response: Response, stop: LinkedAbort, watch: StreamWatch): AsyncGenerator {
    const { events = eventsIn } = this.#dialect;
    try {
      for await (const { event: name, data, isOpen } of events(response, stop, watch)) {
        if (name === "ping" || data === "") continue;
        if (data === DONE) {
          yield STREAM_END;
          return;
        }
        const event = parsedJson(data);
        if (name === "error" || hasError(event))
          throw this.#failed(event ?? data, { headers: response.headers });
        if (event === undefined && isOpen) return;
        if (event === undefined) throw new SyntaxError(`an event is no JSON: ${preview(data)}`);
        // Gemini's API sends a list of chunks if the request asks for no events.
        if (Array.isArray(event)) yield* event as unknown[];
        else yield event;
      }
    } finally {
      stop.release();
    }
  }

  /** Throws an `APIError` for an error answer, and another error without an answer. */
  async #send(
    path: string,
    { body, headers, method = "POST", signal }: ProviderRequest,
  ): Promise<Response> {
    const { fetch: send = systemFetch } = this.#options;
    const url = `${this.#baseUrl}${path}${this.#search}`;
    const sent = sentBody(body);
    const { sign } = this.#dialect;
    const signed =
      sign && typeof sent.body === "string" && (await sign({ method, url, body: sent.body }));
    let response: Response;
    try {
      response = await send(url, {
        method,
        headers: { ...this.#headers, ...lowerCased(headers), ...signed },
        ...sent,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const cause = error instanceof Error ? error : new Error(String(error));
      throw new UnreachedError(unreachedText(this.#server, cause), { cause: error });
    }
    if (response.ok) return response;
    throw this.#errorOf(response, await refusalText(response, this.#server));
  }

  #errorOf({ status, headers }: Response, text: string): Error {
    const json = parsedJson(text);
    return json === undefined
      ? new APIError({ ...this.#where, status, headers, text: cut(text, MAX_PAGE_CHARS) })
      : this.#failed(json, { status, headers });
  }

  /** Name in errors of a server other than the provider's own. */
  get #where(): { readonly server?: string } {
    return this.#options.connection.isOwnEndpoint ? {} : { server: this.#server };
  }

  #failed(json: unknown, where: { readonly status?: number; readonly headers: Headers }): APIError {
    const { errorIn } = this.#dialect;
    return new APIError({ ...this.#where, ...where, error: errorIn ? errorIn(json) : json });
  }
}

/** Names of headers in any case are one header; `fetch` would send the values of both. */
function lowerCased(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const lower: Record<string, string> = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name] ?? "";
  return lower;
}

/** A stream is sent before the answer begins, which `fetch` requires as `duplex`. */
function sentBody(body: ProviderRequest["body"]): RequestInit {
  if (body === undefined) return {};
  if (!(body instanceof ReadableStream)) return { body: JSON.stringify(body) };
  return { body, duplex: "half" } as RequestInit;
}

function serverOf(baseUrl: string): string {
  const origin = URL.parse(baseUrl)?.origin ?? "null";
  return origin === "null" ? "its server" : origin;
}

/** Describes an unreached server by its address and the deepest reason, because `fetch failed` alone does not help. */
function unreachedText(server: string, error: Error): string {
  const reasons = [error.message, reasonOf(error)].filter((reason) => reason !== "");
  return `no answer from ${server} (${[...new Set(reasons)].join(": ")})`;
}

/** Returns the platform's message below its error; of several tried addresses, the first one's. */
function reasonOf(error: Error): string {
  let deepest: Error = error;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    const next: unknown =
      deepest instanceof AggregateError ? (deepest.errors[0] as unknown) : deepest.cause;
    if (!(next instanceof Error)) break;
    deepest = next;
  }
  const code: unknown = (deepest as Error & { readonly code?: unknown }).code;
  return deepest.message || (typeof code === "string" ? code : "");
}

/** vLLM has `error_message` for a failure within a stream. */
function hasError(event: unknown): boolean {
  const { error, error_message: message } = fieldsOf(event);
  return Boolean(error ?? message);
}

function searchOf(query: Connection["query"] | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(name, value);
  return search.size === 0 ? "" : `?${search.toString()}`;
}
