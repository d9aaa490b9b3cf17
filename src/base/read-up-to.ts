import { joinBytes } from "./bytes.ts";

/**
 * Reads a stream to its end and returns its bytes. Returns undefined as soon as it has more than `maxBytes`, without the
 * rest: the caller cancels or drains the reader.
 */
export async function readUpTo(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(pieces);
    bytes += value.byteLength;
    if (bytes > maxBytes) return undefined;
    pieces.push(value);
  }
}
