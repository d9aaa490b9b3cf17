// Frames of AWS's event streams, as its servers write them.
import { crc32 } from "node:zlib";

/** One frame, with its checksums. Headers are texts. */
export function awsFrame(
  headers: Readonly<Record<string, string>>,
  payload: object | string,
): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        size,
        Buffer.from(value),
      ]);
    }),
  );
  return awsFrameOf(head, typeof payload === "string" ? payload : JSON.stringify(payload));
}

/** A frame of encoded headers and a payload. */
export function awsFrameOf(head: Uint8Array, payload: string): Buffer {
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, head, body, Buffer.alloc(4)]);
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
  return whole;
}
