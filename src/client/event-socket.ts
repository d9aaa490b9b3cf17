// oxlint-disable prefer-add-event-listener -- the smallest socket interface of every platform
import type { Clock } from "../base/clock.ts";
import { renewOnReturn } from "./begun-answer.ts";
import { OPEN_TIMEOUT_MS, type EventSocket } from "./sockets.ts";
import { unavailable } from "./transport.ts";

/** Close code of the server for an invalid key or token. */
const REFUSED = 4401;

/** Age at which the next socket is opened: a lost connection without traffic gives no sign. */
const MAX_AGE_MS = 5 * 60_000;

/** Yields messages of a WebSocket until it closes. Throws `unavailable` after a close by the server. */
export async function* socketMessages(
  { socket, renew, sockets }: EventSocket,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<{ readonly data: string }> {
  const arrived: string[] = [];
  let isOpen = false;
  let closed: { readonly code: number; readonly reason: string } | undefined;
  let wake: (() => void) | undefined;
  const stir = (): void => wake?.();
  const end = (code: number, reason: string): void => {
    if (closed === undefined && !isOpen && !signal.aborted) sockets.failed();
    closed ??= { code, reason };
    stir();
  };
  const stop = (): void => {
    closed ??= { code: 1000, reason: "" };
    socket.close();
    stir();
  };
  socket.onopen = () => {
    isOpen = true;
    disarmOpening();
    if (closed === undefined) sockets.opened();
  };
  socket.onmessage = ({ data }) => {
    returns.received();
    if (typeof data === "string") arrived.push(data);
    stir();
  };
  socket.onclose = ({ code, reason }) => end(code, reason);
  socket.onerror = () => end(1006, "");
  const disarmOpening = clock.after(OPEN_TIMEOUT_MS, () =>
    end(1006, `not open after ${OPEN_TIMEOUT_MS / 1000} s`),
  );
  const disarm = clock.after(MAX_AGE_MS, stop);
  const returns = renewOnReturn(clock, stop);
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      for (const data of arrived.splice(0)) yield { data };
      if (arrived.length > 0) continue;
      if (closed !== undefined) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (closed.code === 1000 || signal.aborted) return;
    if (closed.code === REFUSED) {
      await renew();
      return;
    }
    throw unavailable(`the socket was closed with ${closed.code} ${closed.reason}`);
  } finally {
    disarm();
    disarmOpening();
    returns.end();
    signal.removeEventListener("abort", stop);
    socket.close();
  }
}
