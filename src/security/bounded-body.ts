import { sleep } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { readUpTo } from "../base/read-up-to.ts";
import { systemClock } from "../base/system.ts";

/** Maximum bytes of a refused body to receive and drop: a client does not read its answer while it is sending. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024;
const MAX_DRAIN_MS = 2_000;

/**
 * Reads all bytes of a body; undefined without one. Throws `payload_too_large` before more than the limit is in memory.
 */
export async function boundedBody(
  request: Pick<Request, "body" | "headers">,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (request.body === null) {
    if (declared > maxBytes) throw tooLarge(maxBytes, `${declared}`);
    return undefined;
  }
  const reader = request.body.getReader();
  if (declared > maxBytes) {
    await drainReader(reader);
    throw tooLarge(maxBytes, `${declared}`);
  }
  const bytes = await readUpTo(reader, maxBytes);
  if (bytes !== undefined) return bytes;
  await drainReader(reader);
  throw tooLarge(maxBytes, "more");
}

/** Receives the rest of an unused body, within bounds. */
export async function drainBody({ body, bodyUsed }: Request): Promise<void> {
  if (body !== null && !bodyUsed && !body.locked) await drainReader(body.getReader());
}

/** Receives the rest of a stream, within bounds, and cancels the remainder. */
export async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const isOver = new AbortController();
  const receive = async (): Promise<void> => {
    for (let bytes = 0; bytes < MAX_DRAINED_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
  };
  await Promise.race([receive(), sleep(systemClock, MAX_DRAIN_MS, isOver.signal)]).catch(
    () => undefined,
  );
  isOver.abort();
  void reader.cancel().catch(() => undefined);
}

/** Throws `invalid_input` for bytes other than UTF-8. A byte order mark is left out. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new EngineError(
      "invalid_input",
      "the request body must be UTF-8 text, got bytes that are not",
      { cause },
    );
  }
}

function tooLarge(maxBytes: number, got: string): EngineError {
  return new EngineError(
    "payload_too_large",
    `the request body may have at most ${maxBytes} bytes, got ${got}`,
  );
}
