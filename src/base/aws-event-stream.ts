// Format of AWS's event streams (`application/vnd.amazon.eventstream`): binary frames with a length, headers and a
// payload, each with two checksums. Source: smithy.io/2.0/aws/amazon-eventstream.html, looked up in November 2026.

/** One frame. */
export type AwsEvent = {
  /** Headers with text values: `:message-type`, `:event-type`, `:exception-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
};

/** Two lengths and their checksum before the headers, the checksum of the whole after the payload. */
const PRELUDE = 12;
const CHECKSUM = 4;
/** Largest frame allowed by the format. */
const MAX_FRAME = 24 << 20;
/** Bytes of header values by their type; types 6 and 7 carry their own length. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const TEXT = 7;

/** Reads a stream piece by piece. */
export class AwsEventReader {
  #unread: Uint8Array = new Uint8Array(0);

  /** True while a frame has begun and is not whole. */
  get isOpen(): boolean {
    return this.#unread.length > 0;
  }

  /** Returns the frames completed by a piece. Throws a `SyntaxError` for bytes that are not an event stream. */
  read(piece: Uint8Array): AwsEvent[] {
    const bytes = joined(this.#unread, piece);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const events: AwsEvent[] = [];
    let at = 0;
    while (bytes.length - at >= PRELUDE) {
      const length = view.getUint32(at);
      const headersEnd = at + PRELUDE + view.getUint32(at + 4);
      const end = at + length - CHECKSUM;
      check(view.getUint32(at + 8), bytes.subarray(at, at + 8));
      if (length > MAX_FRAME || headersEnd > end) throw fault("lengths that do not fit");
      if (end + CHECKSUM > bytes.length) break;
      check(view.getUint32(end), bytes.subarray(at, end));
      const headers = headersOf(bytes.subarray(at + PRELUDE, headersEnd));
      events.push({ headers, payload: bytes.subarray(headersEnd, end) });
      at += length;
    }
    this.#unread = bytes.slice(at);
    return events;
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) return right;
  const whole = new Uint8Array(left.length + right.length);
  whole.set(left);
  whole.set(right, left.length);
  return whole;
}

function headersOf(bytes: Uint8Array): Record<string, string> {
  const headers: Record<string, string> = {};
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder();
  try {
    for (let at = 0; at < bytes.length;) {
      const nameEnd = at + 1 + view.getUint8(at);
      const type = view.getUint8(nameEnd);
      const fixed = VALUE_BYTES[type];
      const start = nameEnd + (fixed === undefined ? 3 : 1);
      const end = start + (fixed ?? view.getUint16(nameEnd + 1));
      if (end > bytes.length) throw fault("headers that do not fit");
      if (type === TEXT)
        headers[decoder.decode(bytes.subarray(at + 1, nameEnd))] = decoder.decode(
          bytes.subarray(start, end),
        );
      at = end;
    }
  } catch (error) {
    // Reads beyond the end throw a `RangeError`.
    throw error instanceof SyntaxError ? error : fault("headers that do not fit");
  }
  return headers;
}

function check(expected: number, bytes: Uint8Array): void {
  if (crc32(bytes) !== expected) throw fault("a checksum that is wrong");
}

function fault(what: string): SyntaxError {
  return new SyntaxError(`an event stream of AWS has ${what}`);
}

let table: Uint32Array | undefined;

/** CRC-32 as in gzip. */
export function crc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
    return rest;
  });
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xffffffff) >>> 0;
}
