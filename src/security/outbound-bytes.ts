import { EngineError, errorMessage } from "../base/error.ts";
import { readUpTo } from "../base/read-up-to.ts";
import { outboundFetch, type OutboundRequest } from "./outbound.ts";

export type BytesRequest = Omit<OutboundRequest, "init"> & {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
};

export type OutboundBytes = {
  /** Undefined if there are more than `maxBytes`: the rest is not received. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly mediaType?: string;
};

/**
 * Loads the bytes of an address. Throws `unavailable`, retryable, without an answer and for the statuses 429 and 5xx;
 * `invalid_input` for a refused address and any other status of an error; the reason of `signal` when it aborts.
 */
export async function outboundBytes(
  url: string,
  { timeoutMs, maxBytes, signal, ...request }: BytesRequest,
): Promise<OutboundBytes> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const unreachable = (cause: unknown): never => {
    signal?.throwIfAborted();
    if (EngineError.is(cause)) throw cause;
    const message = `${url} cannot be reached: ${errorMessage(cause)}`;
    throw new EngineError("unavailable", message, { retryable: true, cause });
  };
  const response = await outboundFetch(url, { ...request, init: { signal: bounded } }).catch(
    unreachable,
  );
  if (!response.ok) {
    await response.body?.cancel();
    const retryable = response.status === 429 || response.status >= 500;
    const code = retryable ? "unavailable" : "invalid_input";
    throw new EngineError(code, `${url} answered ${response.status}`, { retryable });
  }
  const declared = response.headers.get("content-type");
  const bytes = await bodyOf(response, maxBytes).catch(unreachable);
  return { bytes, ...(declared === null ? undefined : { mediaType: declared }) };
}

async function bodyOf(
  { body }: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const bytes = await readUpTo(reader, maxBytes);
  if (bytes === undefined) await reader.cancel().catch(() => undefined);
  return bytes;
}
