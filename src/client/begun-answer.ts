import type { Clock } from "../base/clock.ts";
import { onReturn } from "./page-returns.ts";
import { unavailable, type RequestOptions, type Transport } from "./transport.ts";

/** Time for an answer to begin. */
const BEGIN_MS = 30_000;
/** Silence after which a returning page replaces a connection: the server sends a comment at least every 15 seconds. */
const STALE_MS = 20_000;

/** Calls `renew` when the page returns after a silence. `received` resets the silence. */
export function renewOnReturn(
  clock: Clock,
  renew: () => void,
): { readonly received: () => void; readonly end: () => void } {
  let receivedAtMs = clock.now();
  return {
    received: () => (receivedAtMs = clock.now()),
    end: onReturn(() => {
      if (clock.now() - receivedAtMs > STALE_MS) renew();
    }),
  };
}

/** Sends a request for a stream. The signal ends it until its answer begins, `sending` also later. */
export async function begunAnswer(
  transport: Transport,
  path: string,
  {
    signal,
    sending = new AbortController(),
    ...options
  }: RequestOptions & { readonly signal: AbortSignal; readonly sending?: AbortController },
): Promise<Response> {
  const end = (): void => sending.abort(signal.reason);
  const fail = (): void => sending.abort(unavailable(`GET ${path} got no answer`));
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const disarm = transport.clock.after(BEGIN_MS, fail);
  const returns = renewOnReturn(transport.clock, fail);
  try {
    return await transport.send(path, { ...options, signal: sending.signal, attempts: 1 });
  } finally {
    disarm();
    returns.end();
    signal.removeEventListener("abort", end);
  }
}
