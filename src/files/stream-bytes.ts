import { readUpTo } from "../base/read-up-to.ts";

/** Returns all bytes of a stream. Beyond `maxBytes` it cancels the stream and returns undefined. */
export async function bytesOf(
  stream: ReadableStream<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = stream.getReader();
  const bytes = await readUpTo(reader, maxBytes);
  if (bytes === undefined) await reader.cancel().catch(() => undefined);
  return bytes;
}

/** Returns these bytes as a stream of one piece. */
export function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

const FIRST_BUFFER_BYTES = 64 * 1024;

/**
 * Splits a stream into parts of `size` bytes. The last part may be smaller, or empty for an empty stream. All parts
 * share one buffer: the next part overwrites the one before.
 */
export async function* partsOf(
  stream: ReadableStream<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly part: Uint8Array; readonly isLast: boolean }> {
  const reader = stream.getReader();
  let buffer = new Uint8Array(Math.min(size, FIRST_BUFFER_BYTES));
  let filled = 0;
  let piece: Uint8Array = new Uint8Array();
  let isOver = false;
  try {
    for (;;) {
      while (piece.length === 0 && !isOver) {
        const { done, value } = await reader.read();
        if (done) isOver = true;
        else piece = value;
      }
      if (isOver || filled === size) {
        yield { part: buffer.subarray(0, filled), isLast: isOver };
        if (isOver) return;
        filled = 0;
      }
      const taken = piece.subarray(0, size - filled);
      if (filled + taken.length > buffer.length)
        buffer = grown(buffer, filled + taken.length, size);
      buffer.set(taken, filled);
      filled += taken.length;
      piece = piece.subarray(taken.length);
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}

function grown(buffer: Uint8Array, needed: number, most: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(most, Math.max(needed, 4 * buffer.length)));
  larger.set(buffer);
  return larger;
}
