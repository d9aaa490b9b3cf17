import { EngineError } from "../base/error.ts";

/** All bytes of a request's body; undefined when it has none. Throws `payload_too_large` before all of a larger one was read. */
export async function boundedBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes, `${declared}`);
  if (request.body === null) return undefined;
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => undefined);
      throw tooLarge(maxBytes, "more");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

/** Throws `invalid_input` for bytes that are not UTF-8. A byte order mark is left out. */
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
