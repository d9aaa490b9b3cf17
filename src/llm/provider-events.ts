import { eventStreamParser, type EventSourceMessage } from "../base/event-stream-parser.ts";
import type { StreamBound } from "./answer-bounds.ts";

/** An event of a streamed answer. */
export type ProviderEvent = EventSourceMessage & {
  /** The stream ended before the event did: its data may be cut off. */
  readonly isOpen: boolean;
};

/** OpenAI's marker for the end of events. */
export const DONE = "[DONE]";

/** Follows the last event of a stream that ends with `[DONE]`. */
export const STREAM_END = { end: DONE } as const;

/** Looks at each piece of a stream as it comes. */
export type StreamWatch = {
  readonly bound: StreamBound;
  /** Called with each piece. */
  readonly onSign: (() => void) | undefined;
};

type Parser = (piece: string, isEnd: boolean) => readonly EventSourceMessage[];

/** Returns the parser for an answer with this beginning: no line of an event stream begins with a bracket. */
function parserOf(start: string): Parser {
  if (!/^\s*[{[]/.test(start)) return eventStreamParser();
  let whole = "";
  return (piece, isEnd) => {
    whole += piece;
    return isEnd ? [{ data: whole.trim() }] : [];
  };
}

/**
 * Reads the events of a streamed answer; an answer of whole JSON, from a server without streaming, is one event. Ending
 * the iteration early aborts the request.
 */
export async function* eventsIn(
  { body }: Response,
  stop: AbortController,
  { bound, onSign }: StreamWatch,
): AsyncGenerator<ProviderEvent> {
  if (body === null) return;
  let parse: Parser | undefined;
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let isOpen = false;
  let isWhole = false;
  try {
    while (!isOpen) {
      const { done, value } = await reader.read();
      onSign?.();
      isOpen = done;
      if (!done) bound.piece(value);
      const text = done ? "\n\n" : decoder.decode(value, { stream: true });
      parse ??= text.trim() === "" ? undefined : parserOf(text);
      const events = parse?.(text, done) ?? [];
      isWhole = done || events.some(({ data }) => data === DONE);
      for (const event of events) {
        bound.event(event.data);
        yield { ...event, isOpen };
        if (event.data === DONE) return;
      }
    }
  } finally {
    // The rest of the answer may never arrive, so its end is not awaited.
    if (!isWhole) stop.abort();
    reader.cancel().catch(() => undefined);
  }
}
