import { eventStreamParser, type EventSourceMessage } from "../base/event-stream-parser.ts";

/** An event of a streamed answer. */
export type ProviderEvent = EventSourceMessage & {
  /** The stream ended before the event did: its data may be cut off. */
  readonly isOpen: boolean;
};

/** OpenAI's way to say that no more events come. */
const DONE = "[DONE]";

/** The events of a streamed answer as they come. Ending the iteration early aborts the request. */
export async function* eventsIn(
  { body }: Response,
  stop: AbortController,
): AsyncGenerator<ProviderEvent> {
  if (body === null) return;
  const parse = eventStreamParser();
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let isOpen = false;
  let isWhole = false;
  try {
    while (!isOpen) {
      const { done, value } = await reader.read();
      isOpen = done;
      const events = parse(done ? "\n\n" : decoder.decode(value, { stream: true }));
      isWhole = done || events.some(({ data }) => data === DONE);
      for (const event of events) {
        if (event.data === DONE) return;
        yield { ...event, isOpen };
      }
    }
  } finally {
    // What is left of the answer may never come, so nobody waits for its end.
    if (!isWhole) stop.abort();
    reader.cancel().catch(() => undefined);
  }
}
