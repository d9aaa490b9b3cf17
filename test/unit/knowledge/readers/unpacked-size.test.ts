import { zlibSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  flateSize,
  fromAscii,
  lzwSize,
  runLengthSize,
} from "../../../../src/knowledge/readers/unpacked-size.ts";

const ENOUGH = 100_000_000;
const texts: ReadonlyArray<readonly [string, Uint8Array]> = [
  ["nothing", new Uint8Array(0)],
  ["one byte", new Uint8Array([7])],
  ["noise", new Uint8Array(70_000).map((_, at) => Math.imul(at + 1, 2_654_435_761) >>> 23)],
  ["blanks", new Uint8Array(100_000)],
  ["text", new TextEncoder().encode("the quick brown fox ".repeat(3000))],
];

/** LZW as PDF has it, with the codes in a list of bits. */
function lzw(bytes: Uint8Array, isLate: boolean): Uint8Array {
  const out: number[] = [];
  let [held, count] = [0, 0];
  let table = new Map<string, number>();
  let next = 258;
  const put = (code: number): void => {
    const width = Math.min(12, Math.max(9, 32 - Math.clz32(next + (isLate ? -1 : 0))));
    held = ((held << width) | code) & 0xfffffff;
    for (count += width; count >= 8; count -= 8) out.push((held >> (count - 8)) & 255);
  };
  const codeOf = (text: string): number => table.get(text) ?? text.charCodeAt(0);
  put(256);
  let known = "";
  for (const byte of bytes) {
    const letter = String.fromCharCode(byte);
    if (known === "" || table.has(known + letter)) {
      known += letter;
      continue;
    }
    put(codeOf(known));
    table.set(known + letter, next++);
    known = letter;
    if (next < 4000) continue;
    put(codeOf(known));
    next++;
    put(256);
    [known, table, next] = ["", new Map(), 258];
  }
  if (known !== "") {
    put(codeOf(known));
    next++;
  }
  put(257);
  out.push((held << (8 - count)) & 255, 0, 0);
  return Uint8Array.from(out);
}

describe("sizes of packed data", () => {
  it.each(texts)("counts %s packed by deflate", (_, bytes) => {
    for (const level of [0, 1, 6, 9] as const)
      expect(flateSize(zlibSync(bytes, { level }), ENOUGH)).toBe(bytes.length);
  });

  it("counts up to a bound, and up to a fault", () => {
    const blanks = zlibSync(new Uint8Array(1_000_000));
    expect(flateSize(blanks, 1000)).toBeLessThan(2000);
    expect(flateSize(blanks.subarray(0, 500), ENOUGH)).toBeGreaterThan(300_000);
    expect(flateSize(new Uint8Array([0x78, 0x9c, 0xff, 0xff]), ENOUGH)).toBe(0);
  });

  it.each(texts)("counts %s packed by LZW", (_, bytes) => {
    for (const isLate of [false, true])
      expect(lzwSize(lzw(bytes, isLate), ENOUGH, isLate)).toBe(bytes.length);
  });

  it("counts run lengths", () => {
    expect(runLengthSize(new Uint8Array([2, 1, 2, 3, 255, 9, 129, 9, 128, 5]), ENOUGH)).toBe(
      3 + 2 + 128,
    );
  });

  it("is read from text", () => {
    const text = new TextEncoder();
    expect(fromAscii(text.encode("48 65 6C6c 6F7>99"), 16)).toEqual(text.encode("Hellop"));
    expect(fromAscii(text.encode('87cURD]i,"Ebo80~>x'), 85)).toEqual(text.encode("Hello World!"));
    expect(fromAscii(text.encode("z~>"), 85)).toEqual(new Uint8Array(4));
  });
});
