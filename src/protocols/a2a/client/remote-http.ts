// Requests to a remote agent: with credentials, with limits of time and size, and only to permitted targets.
//
//   AXH1. A 401 renews the credentials and repeats the request, at most three times.
//   AXH2. Requests with credentials follow no redirect to another origin, and messages follow no redirect at all.
//   AXH3. An answer other than JSON or an event stream is an error with the beginning of the answer.
import { EngineError, errorMessage } from "../../../base/error.ts";
import { preview, parsedJson } from "../../../base/json.ts";
import { withoutSecrets } from "../../../security/known-secrets.ts";
import { outboundFetch } from "../../../security/outbound.ts";
import type { AgentAccess } from "./access.ts";
import { boundedStream, remoteText, silent, within } from "./bounded-response.ts";
import type { Credentials } from "./credentials.ts";

const MAX_RETRIES = 3;
/** Limit of one JSON answer; a run stores less of it. */
const MAX_JSON_BYTES = 6 * 1024 * 1024;
const MAX_STREAM_BYTES = 32 * 1024 * 1024;

export type RemoteHttpOptions = {
  readonly access: AgentAccess;
  readonly credentials: Credentials;
  /** Name of the agent in errors. */
  readonly what: string;
  readonly timeoutMs: number;
  /** Maximum size of a request's body, in bytes. */
  readonly maxRequestBytes?: number | undefined;
  /** Called for each 401 and 403. */
  readonly unauthorized: (status: number) => void;
};

/** Reads a JSON text with GET. */
export async function readRemoteJson(
  address: string,
  options: RemoteHttpOptions & { readonly maxBytes: number; readonly showsCredentials: boolean },
): Promise<{ readonly status: number; readonly text: string }> {
  const { origin } = new URL(address);
  const response = await send(
    address,
    { headers: { accept: "application/json" } },
    {
      ...options,
      maxRedirects: 3,
      credentialsAt: options.showsCredentials ? origin : "nowhere",
    },
  );
  const { maxBytes } = options;
  return {
    status: response.status,
    text: await remoteText(response, boundsOf(options, maxBytes)),
  };
}

/** Returns a `fetch` for the transports of the SDK. */
export function remoteFetch(options: RemoteHttpOptions): typeof fetch {
  return async (input, init = {}) => {
    const address = input instanceof Request ? input.url : String(input);
    const { what, maxRequestBytes } = options;
    const size = typeof init.body === "string" ? new TextEncoder().encode(init.body).length : 0;
    if (maxRequestBytes !== undefined && size > maxRequestBytes)
      throw new EngineError(
        "invalid_input",
        `a request to ${what} may have at most ${maxRequestBytes} bytes (transport.jsonrpc.maxRequestSize), got ${size}`,
      );
    const response = await send(address, init, { ...options, maxRedirects: 0 });
    const type = response.headers.get("content-type") ?? "";
    if (response.status >= 500 || response.status === 429)
      throw await unavailable(response, options);
    if (type.startsWith("text/event-stream")) {
      if (response.body === null) return response;
      const body = boundedStream(response.body, boundsOf(options, MAX_STREAM_BYTES));
      return new Response(body, { status: response.status, headers: response.headers });
    }
    const text = await remoteText(response, boundsOf(options, MAX_JSON_BYTES));
    if (response.status === 401 || response.status === 403)
      throw new EngineError(
        "unauthorized",
        `${what} refused the credentials (${response.status}): check auth`,
      );
    if (text !== "" && parsedJson(text) === undefined)
      throw new EngineError(
        "tool_failed",
        `${what} must answer with JSON, got ${response.status} ${type || "without a content type"}: ${shown(text)}`,
      );
    const hasBody = response.status !== 204 && response.status !== 205 && response.status !== 304;
    return new Response(hasBody ? text : null, {
      status: response.status,
      headers: { "content-type": type || "application/json" },
    });
  };
}

type Sending = RemoteHttpOptions & {
  readonly maxRedirects: number;
  /** Only origin that receives the credentials. @default all */
  readonly credentialsAt?: string;
};

async function send(address: string, init: RequestInit, options: Sending): Promise<Response> {
  const { credentials, unauthorized } = options;
  for (let retry = 0; ; retry++) {
    const response = await sendOnce(address, init, options);
    if (response.status !== 401) {
      if (response.status === 403) unauthorized(403);
      return response;
    }
    unauthorized(401);
    if (credentials.type === undefined || retry >= MAX_RETRIES) return response;
    await credentials.refused(response);
    await response.body?.cancel();
  }
}

async function sendOnce(address: string, init: RequestInit, options: Sending): Promise<Response> {
  const { access, credentials, timeoutMs, what, maxRedirects, credentialsAt } = options;
  const stop = new AbortController();
  const outer = init.signal ?? undefined;
  const abort = (): void => stop.abort(outer?.reason);
  if (outer?.aborted === true) abort();
  outer?.addEventListener("abort", abort, { once: true });
  const sending = outboundFetch(address, {
    field: `the address of ${what}`,
    allowPrivate: true, // each address is checked below, by the rules of the settings
    maxRedirects,
    init: { ...init, signal: stop.signal },
    fetch: async (input, each) => {
      const href = input instanceof Request ? input.url : String(input);
      const url = access.checkAddress(href, `the address of ${what}`);
      const headers = new Headers(each?.headers);
      if (credentialsAt === undefined || url.origin === credentialsAt)
        await credentials.apply({ method: each?.method ?? "GET", url, headers });
      return access.base.fetch(url.href, { ...each, headers });
    },
  });
  try {
    const response = await within(sending, { clock: access.base.clock, idleMs: timeoutMs });
    if (response !== "silent") return response;
    sending.catch(() => undefined);
    stop.abort();
    throw silent({ what, idleMs: timeoutMs });
  } catch (error) {
    outer?.removeEventListener("abort", abort);
    if (outer?.aborted === true || EngineError.is(error)) throw error;
    throw new EngineError(
      "tool_failed",
      `${what} cannot be reached: ${withoutSecrets(errorMessage(error))}`,
      { retryable: true, cause: error },
    );
  }
}

async function unavailable(response: Response, options: RemoteHttpOptions): Promise<EngineError> {
  const text = await remoteText(response, boundsOf(options, MAX_JSON_BYTES)).catch(() => "");
  const after = Number(response.headers.get("retry-after"));
  return new EngineError(
    "tool_failed",
    `${options.what} answered ${response.status}${text === "" ? "" : `: ${shown(text)}`}`,
    {
      retryable: true,
      ...(Number.isFinite(after) && after > 0 ? { retryAfterMs: after * 1000 } : undefined),
    },
  );
}

function boundsOf({ access, what, timeoutMs }: RemoteHttpOptions, maxBytes: number) {
  return { maxBytes, idleMs: timeoutMs, clock: access.base.clock, what };
}

function shown(text: string): string {
  return preview(withoutSecrets(text), 200);
}
