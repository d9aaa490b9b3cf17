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
  const { clock } = looking;
  const encoder = new TextEncoder();
  const left = new AbortController();
  const leaving = signal ? AbortSignal.any([left.signal, signal]) : left.signal;
  const untilMs = clock.now() + MAX_STREAM_MS;
  const pauses = new Pauses(clock);
  let writtenAtMs = clock.now();
  let place: number | undefined;
  let looks = 0;
  let rests = false;

  /** Returns the next piece of the stream; undefined at its end. */
  async function nextPiece(): Promise<string | undefined> {
    if (place === undefined) {
      const begin = await beginAt(looking, after);
      place = begin.place;
      return frame(begin.isReset ? "reset" : "position", { change: place });
    }
    while (clock.now() < untilMs && looks < MAX_LOOKS) {
      looks++;
      const { items, next, more } = await look(looking, place);
      if (next !== place) pauses.restart();
      place = next;
      rests = !more;
      if (items.length > 0) return items.map(frameOf).join("");
      // Clients note an id even without an event.
      if (clock.now() - writtenAtMs >= KEEP_ALIVE_MS) return `: keep-alive\nid: ${place}\n\n`;
      if (rests) await pauses.wait(untilMs, leaving);
    }
    return undefined;
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (rests) await pauses.wait(untilMs, leaving);
        const piece = await nextPiece();
        if (leaving.aborted) return;
        if (piece === undefined) {
          controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
          return controller.close();
        }
        writtenAtMs = clock.now();
        controller.enqueue(encoder.encode(piece));
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

function frameOf({ ...change }: ReportedChange): string {
  if (!("gone" in change)) return frame("run", change);
  const { gone: _, ...gone } = change;
  return frame("gone", gone);
}

function frame(event: string, data: { readonly change: number }): string {
  return `id: ${data.change}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
