import { EngineError } from "../base/error.ts";
import { drainReader } from "../security/bounded-body.ts";

/** State of a stream during reading. */
export type StreamHead = {
  /** Returns the first bytes, at most the requested number. */
  readonly head: () => Uint8Array;
  readonly stream: ReadableStream<Uint8Array>;
};

/**
 * Limits a stream and keeps its first bytes. It fails with `payload_too_large` after more than `maxBytes`. Further
 * bytes from the client are received and dropped, within bounds, so that the client reads the answer.
 */
export function limitedStream(
  source: ReadableStream<Uint8Array>,
  {
    maxBytes,
    headBytes,
    tooLarge,
  }: { maxBytes: number; headBytes: number; tooLarge: () => EngineError },
): StreamHead {
  const reader = source.getReader();
  const start = new Uint8Array(headBytes);
  let kept = 0;
  let bytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          if (EngineError.is(cause)) throw cause;
          throw new EngineError("invalid_input", "the body broke off", { cause });
        });
        if (done) return controller.close();
        bytes += value.length;
        if (bytes > maxBytes) {
          await drainReader(reader);
          throw tooLarge();
        }
        const first = value.subarray(0, headBytes - kept);
        start.set(first, kept);
        kept += first.length;
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, head: () => start.subarray(0, kept) };
}
