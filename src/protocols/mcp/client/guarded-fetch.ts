// Network access of one MCP connection.
//
//   XG1. The deployment's policy checks each address, including those named by a server: redirects, endpoints,
//        metadata, token endpoints. Only the server's own origin is exempt if code names it.
//   XG2. No answer exceeds its limit, all answers of a connection together do not exceed four times this limit, and no
//        request outlives the connection's signal.
import { EngineError } from "../../../base/error.ts";
import { systemFetch } from "../../../base/system.ts";
import { checkOutboundUrl, type OutboundPolicy } from "../../../security/outbound.ts";

/** Limits for the requests of one connection. */
export type GuardedFetchOptions = {
  readonly outbound: OutboundPolicy;
  /** Exempt origin; absent for servers named by data. */
  readonly trustedOrigin: string | undefined;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  /** @default the global one */
  readonly fetch?: typeof fetch | undefined;
};

/** A `fetch`, with its last refusal. */
export type GuardedFetch = {
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** Refusal by these limits that ended a request or an answer. */
  readonly refusal: () => EngineError | undefined;
};

const ANSWERS_AT_LIMIT = 4;

/**
 * Makes the `fetch` of one connection. Redirects are returned unchanged: the client follows those within the origin.
 */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { outbound, trustedOrigin, maxResponseBytes, signal, fetch: send = systemFetch } = options;
  let refusal: EngineError | undefined;
  let left = ANSWERS_AT_LIMIT * maxResponseBytes;
  const refuse = (error: EngineError): EngineError => (refusal ??= error);
  return {
    refusal: () => refusal,
    fetch: async (input, init = {}) => {
      const isOwn = URL.canParse(String(input)) && new URL(input).origin === trustedOrigin;
      let url: URL;
      try {
        url = checkOutboundUrl(
          String(input),
          "the address of an MCP server",
          isOwn ? { allowPrivate: true } : outbound,
        );
      } catch (error) {
        throw EngineError.is(error) ? refuse(error) : error;
      }
      const whole = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
      const response = await send(url, { ...init, redirect: "manual", signal: whole });
      const { body, headers, status, statusText } = response;
      if (body === null) return response;
      const tooLong = (): EngineError =>
        refuse(
          new EngineError(
            "value_too_large",
            `the MCP server's answer is longer than ${maxResponseBytes} bytes (maxResponseBytes)`,
          ),
        );
      if (Number(headers.get("content-length") ?? 0) > maxResponseBytes) {
        void body.cancel().catch(() => undefined);
        throw tooLong();
      }
      const counted = limit(Math.min(maxResponseBytes, left), {
        tooLong,
        counts: (bytes) => (left -= bytes),
      });
      const limited = body.pipeThrough(counted, { signal: whole });
      return new Response(limited, { status, statusText, headers });
    },
  };
}

function limit(
  maxBytes: number,
  on: { readonly tooLong: () => EngineError; readonly counts: (bytes: number) => void },
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      on.counts(chunk.byteLength);
      if (bytes > maxBytes) controller.error(on.tooLong());
      else controller.enqueue(chunk);
    },
  });
}
