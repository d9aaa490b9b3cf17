// Reads answers of AWS that are event streams: frames of a length, headers and a payload, in binary.
import { badResponse } from "../base/service-failure.ts";

/** One frame. */
export type StreamEvent = {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
};

/** Lengths and their checksum before the headers, the checksum of the whole after the payload. */
const PRELUDE = 12;
const CHECKSUM = 4;
/** Bytes of header values by their type; types 6 and 7 say their own length. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const TEXT = 7;

/** The frames of an answer. Throws the failure `bad_response` for what is no event stream. */
export function streamEvents(bytes: Uint8Array, service: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    if (at + PRELUDE + CHECKSUM > bytes.length) throw badResponse(service, "no event stream");
    const length = view.getUint32(at);
    const headersEnd = at + PRELUDE + view.getUint32(at + 4);
    const end = at + length - CHECKSUM;
    if (length < PRELUDE + CHECKSUM || at + length > bytes.length || headersEnd > end)
      throw badResponse(service, "no event stream");
    const headers = headersOf(bytes.subarray(at + PRELUDE, headersEnd), service);
    events.push({ headers, payload: bytes.subarray(headersEnd, end) });
    at += length;
  }
  return events;
}

function headersOf(bytes: Uint8Array, service: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder();
  try {
    for (let at = 0; at < bytes.length;) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
      const type = view.getUint8(nameEnd);
      const fixed = VALUE_BYTES[type];
      const start = nameEnd + (fixed === undefined ? 3 : 1);
      const end = start + (fixed ?? view.getUint16(nameEnd + 1));
      if (end > bytes.length) throw badResponse(service, "no event stream");
      if (type === TEXT) headers[name] = decoder.decode(bytes.subarray(start, end));
      at = end;
    }
  } catch {
    throw badResponse(service, "no event stream");
  }
  return headers;
}
