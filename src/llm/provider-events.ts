import { createParser } from "eventsource-parser";

/** An event of a streamed answer. */
export type ProviderEvent = {
  readonly name: string | undefined;
  readonly data: string;
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
  const waiting: ProviderEvent[] = [];
  let isOpen = false;
  const parser = createParser({
    onEvent: ({ event, data }) => waiting.push({ name: event, data, isOpen }),
  });
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let isWhole = false;
  try {
    while (!isOpen) {
      const { done, value } = await reader.read();
      isOpen = done;
      parser.feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
      isWhole = done || waiting.some(({ data }) => data === DONE);
      for (const event of waiting.splice(0)) {
        if (event.data === DONE) return;
        yield event;
      }
    }
  } finally {
    // What is left of the answer may never come, so nobody waits for its end.
    if (!isWhole) stop.abort();
    reader.cancel().catch(() => undefined);
  }
}
