// Pages of a run's log and the bytes of its events, shared by all readers of the same place.
//
//   SHP1. Readers of one place hold one page, which is parsed once. The last of them to go on frees it.
//   SHP2. An event is encoded once for all readers, while any of them holds it.
//   SHP3. A stream is sent in pieces of bounded length, so an idle reader holds one piece of its own.
import type { EventLog } from "../../events/event-log.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { RunReader } from "../../runtime/run-reader.ts";

/** Maximum length of the events of one page, in UTF-16 units of JSON; a longer event is a page of its own. */
const MAX_PAGE_LENGTH = 64 * 1024;
/** Maximum bytes of one piece of a stream. */
export const MAX_PIECE_BYTES = 16 * 1024;

type Page = readonly RunEvent[];
type Held = { readonly page: Page; readers: number };
type AnyEvent = RunEvent | LiveEvent;

const pagesOf = new WeakMap<EventLog, Map<string, Held>>();

/** One reader's view of the log: holds one page at a time. */
export class SharedPages {
  readonly #reader: Pick<RunReader, "events" | "record">;
  readonly #pages: Map<string, Held>;
  #at: string | undefined;

  constructor(reader: Pick<RunReader, "events" | "record">, events: EventLog) {
    this.#reader = reader;
    let pages = pagesOf.get(events);
    if (pages === undefined) pagesOf.set(events, (pages = new Map()));
    this.#pages = pages;
  }

  record(): ReturnType<RunReader["record"]> {
    return this.#reader.record();
  }

  /** Returns the page after a place, and gives up the one before. */
  events(afterSeq: number, limit: number): Page {
    const key = `${afterSeq}:${limit}`;
    const held = this.#pages.get(key) ?? {
      page: this.#reader.events(afterSeq, limit, MAX_PAGE_LENGTH),
      readers: 0,
    };
    held.readers++;
    this.#pages.set(key, held);
    this.leave();
    this.#at = key;
    return held.page;
  }

  /** Gives up the present page. */
  leave(): void {
    const key = this.#at;
    const held = key === undefined ? undefined : this.#pages.get(key);
    this.#at = undefined;
    if (key === undefined || held === undefined) return;
    held.readers--;
    if (held.readers === 0) this.#pages.delete(key);
  }
}

/** Number of log pages that readers hold at present. */
export function heldPages(events: EventLog): number {
  return pagesOf.get(events)?.size ?? 0;
}

const encoder = new TextEncoder();
/** Events as Server-Sent Events in UTF-8, shared by all readers. */
const encoded = new WeakMap<AnyEvent, Uint8Array>();

/** Returns an event as a Server-Sent Event. */
export function encodedEvent(event: AnyEvent): Uint8Array {
  const known = encoded.get(event);
  if (known !== undefined) return known;
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  const bytes = encoder.encode(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  encoded.set(event, bytes);
  return bytes;
}

/** Yields the bytes of events in pieces: small events together, a large one as views of its shared bytes. */
export function* piecesOf(events: Iterable<AnyEvent>): Generator<Uint8Array, void> {
  let small: Uint8Array[] = [];
  let length = 0;
  for (const event of events) {
    const bytes = encodedEvent(event);
    if (length + bytes.length > MAX_PIECE_BYTES && length > 0) {
      yield joined(small, length);
      small = [];
      length = 0;
    }
    if (bytes.length <= MAX_PIECE_BYTES) {
      small.push(bytes);
      length += bytes.length;
      continue;
    }
    for (let start = 0; start < bytes.length; start += MAX_PIECE_BYTES)
      yield bytes.subarray(start, start + MAX_PIECE_BYTES);
  }
  if (length > 0) yield joined(small, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
