// Changes of runs as Server-Sent Events, from the Worker. They keep no object in memory.
import { beginAt, look, Pauses, type Looking, type ReportedChange } from "./look-for-changes.ts";

const MAX_STREAM_MS = 5 * 60_000;
const KEEP_ALIVE_MS = 15_000;
const RECONNECT_MS = 1_000;
/** Maximum number of queries; a Worker's request may query its database a thousand times. */
const MAX_LOOKS = 800;

/**
 * Streams the changes after a place, or from now on. The stream ends after five minutes, when the reader leaves, or
 * when the database fails; the reader returns with `Last-Event-ID`.
 */
export function changeStream(
  looking: Looking,
  { after, signal }: { readonly after: number | undefined; readonly signal?: AbortSignal | null },
): Response {
  const encoder = new TextEncoder();
  const left = new AbortController();
  const leaving = signal ? AbortSignal.any([left.signal, signal]) : left.signal;
  const pieces = piecesOf(looking, after, leaving);

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = await pieces.next();
        if (leaving.aborted) return;
        if (piece.done === true) {
          controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
          return controller.close();
        }
        controller.enqueue(encoder.encode(piece.value));
      } catch {
        // The reader has left, or the database failed: a present reader reconnects.
        if (left.signal.aborted) return;
        if (!leaving.aborted) controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
        controller.close();
      }
    },
    cancel: () => left.abort(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

/** Yields the pieces of the stream: its place, the changes, and keep-alives. */
async function* piecesOf(
  looking: Looking,
  after: number | undefined,
  leaving: AbortSignal,
): AsyncGenerator<string, void> {
  const { clock } = looking;
  const untilMs = clock.now() + MAX_STREAM_MS;
  const pauses = new Pauses(clock);
  const { place: first, isReset } = await beginAt(looking, after);
  let place = first;
  let writtenAtMs = clock.now();
  yield frame(isReset ? "reset" : "position", { change: place });
  for (let looks = 0; clock.now() < untilMs && looks < MAX_LOOKS; looks++) {
    const { items, next, more } = await look(looking, place);
    if (next !== place) pauses.restart();
    place = next;
    // Clients note an id even without an event.
    const isIdle = clock.now() - writtenAtMs >= KEEP_ALIVE_MS;
    const piece = items.map(frameOf).join("") || (isIdle ? `: keep-alive\nid: ${place}\n\n` : "");
    if (piece !== "") {
      writtenAtMs = clock.now();
      yield piece;
    }
    if (!more) await pauses.wait(untilMs, leaving);
  }
}

function frameOf({ ...change }: ReportedChange): string {
  if (!("gone" in change)) return frame("run", change);
  const { gone: _, ...gone } = change;
  return frame("gone", gone);
}

function frame(event: string, data: { readonly change: number }): string {
  return `id: ${data.change}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
