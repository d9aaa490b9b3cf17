// oxlint-disable prefer-add-event-listener -- the smallest part of a socket that every platform has
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { ClientSocket } from "./transport.ts";

/** The server closes with it when the key or token is not good any more. */
const REFUSED = 4401;

/** After so long the next socket is opened: of a lost connection without traffic nobody learns. */
const MAX_AGE_MS = 5 * 60_000;

/** What comes over a WebSocket, until it closes. A close that nobody asked for throws `unavailable`. */
export async function* socketMessages(
  { socket, renew }: { readonly socket: ClientSocket; readonly renew: () => Promise<void> },
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<{ readonly data: string }> {
  const arrived: string[] = [];
  let closed: { readonly code: number; readonly reason: string } | undefined;
  let wake: (() => void) | undefined;
  const stir = (): void => wake?.();
  const stop = (): void => {
    closed ??= { code: 1000, reason: "" };
    socket.close();
    stir();
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") arrived.push(data);
    stir();
  };
  socket.onclose = ({ code, reason }) => {
    closed ??= { code, reason };
    stir();
  };
  socket.onerror = () => {
    closed ??= { code: 1006, reason: "" };
    stir();
  };
  const disarm = clock.after(MAX_AGE_MS, stop);
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      for (const data of arrived.splice(0)) yield { data };
      if (arrived.length > 0) continue;
      if (closed !== undefined) break;
      // oxlint-disable-next-line no-await-in-loop -- until something comes
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (closed.code === 1000 || signal.aborted) return;
    if (closed.code === REFUSED) {
      await renew();
      return;
    }
    throw new EngineError(
      "unavailable",
      `the socket was closed with ${closed.code} ${closed.reason}`,
      {
        retryable: true,
      },
    );
  } finally {
    disarm();
    signal.removeEventListener("abort", stop);
    socket.close();
  }
}
