// Network access of a catalogue tool: its service by `send`, and pages named by others by `read`. There is no other
// access.
//
//   IO1. Keys are sent only to the tool's own hosts, and never to another address after a redirect.
//   IO2. No text leaving a call contains a secret: each is masked, in every form used in addresses and headers.
//   IO3. Time and size have limits, for headers and body together. The run's abort ends a request at once.
import { sleep, type Clock } from "../../../base/clock.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { JsonValue } from "../../../base/json.ts";
import { systemClock } from "../../../base/system.ts";
import { RunScope } from "../../../events/run-scope.ts";
import type { RunServices } from "../../../events/run-services.ts";
import { workspaceOf, type Workspace } from "../../../files/workspace.ts";
import { isListed } from "../../../security/host-list.ts";
import { checkOutboundUrl, outboundRequest, type HostLists } from "../../../security/outbound.ts";
import { decodeJson } from "./decode-json.ts";
import type { CatalogVariable, SharedToolOptions } from "./entry.ts";
import type { EndKey, EndRequest } from "./end-request.ts";
import { keysFor, secretsOf, type RequestKeys } from "./keys-for.ts";
import { networkOf, type Network } from "../../../events/run-network.ts";
import type { ToolContext } from "../../tool-context.ts";
import { pollJob, type PollOptions } from "./poll.ts";
import { readBytes } from "./read-answer.ts";
import { redactor } from "./redact.ts";
import { addressOf, bodyOf, keyHeader, type ToolRequest } from "./request.ts";
import { badResponse, failureOfStatus, serviceFailure } from "./service-failure.ts";

/** Response of a service. */
export type ToolResponse = {
  readonly status: number;
  readonly headers: Headers;
  /** Body as JSON, text or bytes, depending on the request. */
  readonly body: JsonValue;
  readonly bytes: Uint8Array;
  readonly url: string;
};

/** Request for a page, a document or a file at an address from outside. */
export type ReadRequest = HostLists & {
  /** @default "GET" */
  readonly method?: string;
  readonly body?: string;
  /**
   * Sent, like the headers of the tool's options, only to the address and its origin, never to another after a
   * redirect.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 15_000 */
  readonly timeoutMs?: number | undefined;
  /** @default 5 MiB */
  readonly maxBytes?: number | undefined;
};

export type ReadAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Address after redirects. */
  readonly url: string;
};

/** Settings of a tool's network access. */
export type IoPlace = {
  readonly service: string;
  readonly toolName: string;
  readonly hosts: readonly string[];
  readonly variables: readonly CatalogVariable[];
  /** Returns the value of one of the tool's variables. */
  readonly valueOf: (name: string) => string | undefined;
  /** Returns the name of the deployment's variable with the value; undefined if an option has it. */
  readonly heldBy: (name: string) => string | undefined;
  readonly shared: SharedToolOptions;
  readonly timeoutMs: number;
  readonly minIntervalMs?: number | undefined;
  readonly quota?: RegExp | undefined;
};

const DEFAULT_MAX_BYTES = { json: 4 << 20, text: 5 << 20, bytes: 25 << 20 } as const;
const READ_TIMEOUT_MS = 15_000;
const READ_MAX_BYTES = 5 << 20;
const MAX_REDIRECTS = 3;
const AGENT = "Edgecrew/0.1";
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36";

/** Earliest time of a run's next request, by service. */
const nextAt = new WeakMap<object, Map<string, number>>();

/** Environment of an adapter's `run`. */
export class ToolIo {
  /** Context of this call: its signal, its recorded steps and timers, its idempotency key. */
  readonly context: ToolContext;
  readonly #place: IoPlace;
  readonly #scope: RunScope | undefined;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  #bytesRead = 0;
  #hasParts = false;

  constructor(place: IoPlace, context: ToolContext) {
    const step: ToolContext["step"] = (...part) => {
      this.#hasParts = true;
      return context.step(...part);
    };
    this.context = { ...context, step };
    this.#place = place;
    this.#scope = RunScope.current();
    this.#network = networkOf(this.#scope?.services);
    this.#clock = this.#scope?.clock ?? systemClock;
    const { variables, valueOf } = place;
    const plain = new Set(variables.filter(({ isPlain }) => isPlain).map(({ name }) => name));
    const others = Object.entries(context.env).filter(([name]) => !plain.has(name));
    this.#redact = redactor([
      ...secretsOf(variables, valueOf),
      ...others.map(([, value]) => value),
    ]);
  }

  /** Bytes of the responses read so far. Undefined for a call with recorded parts, as a replay reads no responses. */
  get bytesRead(): number | undefined {
    return this.#hasParts || this.#bytesRead === 0 ? undefined : this.#bytesRead;
  }

  /** Returns the access for a part of the call, with separate names for its steps and timers. */
  within(name: string): ToolIo {
    const { context } = this;
    return new ToolIo(this.#place, {
      ...context,
      step: (part, action, options) => context.step(`${name}:${part}`, action, options),
      wait: (part, request) => context.wait(`${name}:${part}`, request),
      sleep: (part, delayMs) => context.sleep(`${name}:${part}`, delayMs),
    });
  }

  get services(): RunServices {
    return this.#scope?.services ?? {};
  }

  /** Run of the call. Fails with `invalid_definition` outside of runs. */
  get scope(): RunScope {
    if (this.#scope !== undefined) return this.#scope;
    throw new EngineError(
      "invalid_definition",
      `the tool ${this.#place.toolName} works within runs alone`,
    );
  }

  /** Files of the run. */
  get files(): Workspace {
    return workspaceOf(this.scope);
  }

  /** Returns the value of a declared variable or secret, or of the option replacing it. */
  value(name: string): string | undefined {
    return this.#place.valueOf(name);
  }

  /** Masks this call's secrets in a text. */
  redact(text: string): string {
    return this.#redact(text);
  }

  /** Sends a request to the tool's service. Throws a service failure for unsuccessful responses. */
  async send(request: ToolRequest): Promise<ToolResponse> {
    const { service, shared, timeoutMs } = this.#place;
    const { expects = "json", accepts = [], maxBytes = DEFAULT_MAX_BYTES[expects] } = request;
    await this.#keepDistance();
    const limits = { timeoutMs: request.timeoutMs ?? shared.timeoutMs ?? timeoutMs, service };
    return this.#timed(limits, async (signal) => {
      const { response, url } = await this.#follow(request, signal);
      const isAnswer = response.ok || accepts.includes(response.status);
      const bytes = await readBytes(response, maxBytes);
      this.#bytesRead += bytes.length;
      const text = expects === "bytes" && isAnswer ? "" : new TextDecoder().decode(bytes);
      if (!isAnswer) throw this.#statusFailure(response, text, this.#keysFor(new URL(url)).name);
      const { status, headers } = response;
      const body =
        expects === "json" ? decodeJson(text, () => badResponse(service, "no JSON")) : text;
      return { status, headers, body, bytes, url };
    });
  }

  /** Reads the content of an address named by a model, a page or an input. No secret is sent. */
  async read(address: string, request: ReadRequest = {}): Promise<ReadAnswer> {
    const { timeoutMs = READ_TIMEOUT_MS, maxBytes = READ_MAX_BYTES } = request;
    const { method = "GET", body, headers, allowHosts, denyHosts } = request;
    const { shared } = this.#place;
    const own = { ...headers, ...shared.headers };
    const sent = new Headers({ "user-agent": this.#agent, ...headers });
    for (const [name, value] of Object.entries(shared.headers ?? {})) sent.set(name, value);
    const limits = { timeoutMs: shared.timeoutMs ?? timeoutMs, service: hostOf(address) };
    return this.#timed(limits, async (signal) => {
      const { response, url } = await outboundRequest(address, {
        ...this.#network.outbound,
        allowHosts,
        denyHosts,
        field: "the address",
        fetch: this.#network.fetch,
        postBecomesGet: true,
        privateHeaders: Object.keys(own),
        init: {
          method,
          headers: sent,
          signal,
          ...(body === undefined ? undefined : { body }),
        },
      }).catch((error: unknown) => {
        throw EngineError.is(error) && error.code === "invalid_input"
          ? serviceFailure({ code: "refused", message: error.message })
          : error;
      });
      const bytes = await readBytes(response, maxBytes);
      this.#bytesRead += bytes.length;
      return { status: response.status, headers: response.headers, bytes, url: url.href };
    });
  }

  /** Returns the address if access is allowed. Throws the failure `refused`. */
  checkAddress(address: string, lists: HostLists = {}): URL {
    const policy = { ...this.#network.outbound, ...lists };
    try {
      return checkOutboundUrl(address, "the address", policy);
    } catch (error) {
      throw serviceFailure({ code: "refused", message: errorMessage(error) });
    }
  }

  /** Starts a job at the service and polls it until its end. The run waits durably in between. */
  poll<Result extends JsonValue>(options: PollOptions<Result>): Promise<Result> {
    const { service, toolName } = this.#place;
    return pollJob(options, { io: this, service, toolName });
  }

  /** Returns a request with the names of its keys; undefined if a key is in no variable, so it cannot be recorded. */
  toEndRequest(request: EndRequest["request"]): EndRequest | undefined {
    const { service, variables, heldBy, valueOf } = this.#place;
    const keys: EndKey[] = [];
    for (const { name, description, send, hosts } of variables) {
      if (send === undefined || valueOf(name) === undefined) continue;
      const holders = "basicUser" in send ? [name, send.basicUser] : [name];
      const [holder, user = ""] = holders.map(heldBy);
      if (holder === undefined || holders.some((each) => heldBy(each) === undefined))
        return undefined;
      const renamed = "basicUser" in send ? { basicUser: user } : send;
      keys.push({ name: holder, description, send: renamed, ...(hosts && { hosts }) });
    }
    this.#withKey(new URL(request.url));
    return { service, request, keys };
  }

  get #agent(): string {
    const { userAgent = AGENT } = this.#place.shared;
    return userAgent === "browser" ? BROWSER : userAgent;
  }

  /** Returns the response after redirects within the tool's hosts. */
  async #follow(
    request: ToolRequest,
    signal: AbortSignal,
  ): Promise<{ readonly response: Response; readonly url: string }> {
    const { service, hosts } = this.#place;
    const { body, signable, contentType } = bodyOf(request);
    const method = request.method ?? (body === undefined ? "GET" : "POST");
    let url = this.#withKey(addressOf(request));
    for (let redirects = 0; ; redirects++) {
      const headers = this.#headersOf(request, { contentType, keys: this.#keysFor(url) });
      const nowMs = this.#clock.now();
      const signed = await request.sign?.({ method, url, headers, body: signable, nowMs });
      for (const [name, value] of Object.entries(signed ?? {})) headers.set(name, value);
      const { traceparent } = this.#scope ?? {}; // not part of the signature: proxies replace it
      if (traceparent !== undefined && !headers.has("traceparent"))
        headers.set("traceparent", traceparent);
      const init = { method, headers, signal, redirect: "manual" as const };
      const response = await this.#network.fetch(
        url,
        body === undefined ? init : { ...init, body },
      );
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status > 399)
        return { response, url: url.href };
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
      const isOwn =
        next?.origin === url.origin || (next?.protocol === "https:" && isListed(next, hosts));
      if (redirects >= MAX_REDIRECTS || !isOwn || !isRead(method))
        throw badResponse(service, "it redirects elsewhere");
      url = this.#withKey(next);
    }
  }

  #keysFor(url: URL): RequestKeys {
    return keysFor(url, this.#place.variables, this.#place.valueOf);
  }

  #headersOf(
    request: ToolRequest,
    { contentType, keys }: { contentType: string | undefined; keys: RequestKeys },
  ): Headers {
    const { shared } = this.#place;
    const headers = new Headers({ accept: "application/json", "user-agent": this.#agent });
    if (request.expects === "text" || request.expects === "bytes") headers.set("accept", "*/*");
    if (contentType !== undefined) headers.set("content-type", contentType);
    if (request.idempotencyKey !== undefined)
      headers.set("idempotency-key", keyHeader(request.idempotencyKey));
    for (const [name, value] of Object.entries({
      ...keys.headers,
      ...request.headers,
      ...(request.withoutOptionHeaders === true ? undefined : shared.headers),
    }))
      if (value !== undefined) headers.set(name, value);
    return headers;
  }

  /** Adds the query keys to the address. Throws the failure `refused` for a host outside the tool's. */
  #withKey(url: URL): URL {
    const { hosts } = this.#place;
    if (!isListed(url, hosts))
      throw serviceFailure({
        code: "refused",
        message: `${url.hostname} is no host of this tool.`,
      });
    for (const [name, value] of Object.entries(this.#keysFor(url).query))
      url.searchParams.set(name, value);
    return url;
  }

  #statusFailure(response: Response, text: string, keyName: string | undefined): EngineError {
    const { service, quota } = this.#place;
    return failureOfStatus({
      status: response.status,
      headers: response.headers,
      body: decodeJson(text, () => text.slice(0, 2000)),
      service,
      keyName,
      nowMs: this.#clock.now(),
      quota,
    });
  }

  /** Runs work within a time limit and turns its errors into failures. */
  async #timed<T>(
    { timeoutMs, service }: { readonly timeoutMs: number; readonly service: string },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const { signal: outer } = this.context;
    let late = false;
    const abort = (): void => controller.abort(outer.reason);
    if (outer.aborted) abort();
    outer.addEventListener("abort", abort, { once: true });
    const aborted = new Promise<never>((_, reject) => {
      const fail = (): void => reject(controller.signal.reason as Error);
      if (controller.signal.aborted) fail();
      controller.signal.addEventListener("abort", fail, { once: true });
    });
    const cancel = this.#clock.after(timeoutMs, () => {
      late = true;
      controller.abort(new EngineError("timeout", `no answer in ${timeoutMs} ms`));
    });
    try {
      return await Promise.race([work(controller.signal), aborted]);
    } catch (error) {
      if (late)
        throw serviceFailure({
          code: "timeout",
          message: `${service} gave no answer in ${timeoutMs / 1000} s.`,
          retryable: true,
        });
      if (outer.aborted) throw outer.reason;
      if (EngineError.is(error)) throw error;
      throw serviceFailure({
        code: "unavailable",
        message: `${service} could not be reached: ${this.#redact(errorMessage(error))}`,
        retryable: true,
      });
    } finally {
      cancel();
      outer.removeEventListener("abort", abort);
    }
  }

  /** Spaces the requests of one run to a service with a minimum interval. */
  async #keepDistance(): Promise<void> {
    const { minIntervalMs, service } = this.#place;
    if (minIntervalMs === undefined || this.#scope === undefined) return;
    const { drive } = this.#scope;
    const times = nextAt.get(drive) ?? new Map<string, number>();
    nextAt.set(drive, times);
    const nowMs = this.#clock.now();
    const atMs = Math.max(nowMs, times.get(service) ?? 0);
    times.set(service, atMs + minIntervalMs);
    if (atMs > nowMs) await sleep(this.#clock, atMs - nowMs, this.context.signal);
  }
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "the address";
}
