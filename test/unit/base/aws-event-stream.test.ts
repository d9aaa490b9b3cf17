import { readFileSync } from "node:fs";
import { crc32 as crc } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AwsEventReader, type AwsEvent } from "../../../src/base/aws-event-stream.ts";
import { awsFrame } from "../../support/aws-frames.ts";

type Vector = {
  readonly name: string;
  readonly base64: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
};

/** Encoded by AWS's own library. */
const { frames } = JSON.parse(
  readFileSync(new URL("../../fixtures/aws/event-frames.json", import.meta.url), "utf8"),
) as { readonly frames: readonly Vector[] };

const text = ({ payload }: AwsEvent): string => new TextDecoder().decode(payload);

describe("event streams of AWS", () => {
  it.each(frames)("has $name as AWS's library encodes it", ({ base64, headers, payload }) => {
    const reader = new AwsEventReader();
    const [event, ...more] = reader.read(Buffer.from(base64, "base64"));
    expect(more).toEqual([]);
    expect(event?.headers).toEqual(headers);
    expect(event && text(event)).toBe(payload);
    expect(reader.isOpen).toBe(false);
  });

  it("come to the same events for any split", () => {
    const whole = Buffer.concat(frames.map(({ base64 }) => Buffer.from(base64, "base64")));
    const expected = frames.map(({ payload }) => payload);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const ends = [...cuts, whole.length].toSorted((a, b) => a - b);
        const reader = new AwsEventReader();
        const read = ends.flatMap((end, index) =>
          reader.read(whole.subarray(ends[index - 1] ?? 0, end)).map(text),
        );
        expect(read).toEqual(expected);
        expect(reader.isOpen).toBe(false);
      }),
    );
  });

  it("are open in the middle of a frame", () => {
    const frame = awsFrame({ ":message-type": "event" }, { a: 1 });
    for (const length of [1, 12, frame.length - 1]) {
      const reader = new AwsEventReader();
      expect(reader.read(frame.subarray(0, length))).toEqual([]);
      expect(reader.isOpen).toBe(true);
    }
  });

  it("are refused with any byte changed", () => {
    const frame = awsFrame({ ":message-type": "event", ":event-type": "x" }, { text: "Hello" });
    for (let at = 0; at < frame.length; at++) {
      const changed = Buffer.from(frame);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      expect(() => new AwsEventReader().read(changed)).toThrow(SyntaxError);
    }
  });

  it("are refused when lengths or headers lie, also with right checksums", () => {
    const lying = Buffer.from(awsFrame({}, "{}"));
    lying.writeUInt32BE(0x7fffffff, 0);
    expect(() => new AwsEventReader().read(lying)).toThrow(/checksum/);
    for (const length of [0, 12, 25 << 20])
      expect(() => new AwsEventReader().read(prelude(length, 0))).toThrow(/lengths/);
    expect(() => new AwsEventReader().read(prelude(100, 90))).toThrow(/lengths/);
  });
});

/** The beginning of a frame, with a right checksum. */
function prelude(length: number, headers: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(length);
  bytes.writeUInt32BE(headers, 4);
  bytes.writeUInt32BE(crc(bytes.subarray(0, 8)), 8);
  return bytes;
}
