import { describe, expect, it } from "vitest";
import { fingerprint, fraction } from "../../../src/base/hash.ts";

describe("a fingerprint", () => {
  it("is 16 hex digits, and the same in every version of the code, as journals store it", () => {
    expect([
      fingerprint(""),
      fingerprint("tea"),
      fingerprint("Größe 💡"),
      fingerprint("tea", "seed"),
    ]).toEqual(["110bfc050dfcc3af", "0630581a9863df24", "328ffdbdaa39314c", "ed7456c1287b3984"]);
    for (let n = 0; n < 1000; n++) expect(fingerprint(`text ${n}`)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("differs for almost equal texts", () => {
    const texts = new Set<string>();
    for (let n = 0; n < 100_000; n++) texts.add(`task:research/turn:${n}`);
    for (let first = 0; first < 128; first++)
      for (let second = 0; second < 128; second++) texts.add(String.fromCharCode(first, second));
    for (let length = 0; length < 2000; length++)
      for (const filler of ["a", "\u0000", " "]) texts.add(filler.repeat(length));
    expect(new Set(Array.from(texts, (text) => fingerprint(text))).size).toBe(texts.size);
  });

  it("changes about half of its bits with any one character", () => {
    const text = "The quick brown fox jumps over the lazy dog";
    let changed = 0;
    let trials = 0;
    for (let index = 0; index < text.length; index++) {
      const other = `${text.slice(0, index)}${String.fromCharCode(text.charCodeAt(index) ^ 1)}${text.slice(index + 1)}`;
      changed += bits(BigInt(`0x${fingerprint(text)}`) ^ BigInt(`0x${fingerprint(other)}`));
      trials++;
    }
    expect(changed / trials / 64).toBeGreaterThan(0.42);
    expect(changed / trials / 64).toBeLessThan(0.58);
  });

  it("spreads evenly over every group of bits", () => {
    for (let byte = 0; byte < 8; byte++) {
      const buckets = Array.from({ length: 256 }, () => 0);
      for (let n = 0; n < 25_600; n++) {
        const bucket = Number.parseInt(fingerprint(`key ${n}`).slice(2 * byte, 2 * byte + 2), 16);
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      }
      const chiSquared = buckets.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
      // 255 degrees of freedom: five standard deviations above and below.
      expect(chiSquared).toBeGreaterThan(142);
      expect(chiSquared).toBeLessThan(368);
    }
  });

  it("chains: it depends on every item, on their order, and on their boundaries", () => {
    const chain = (items: readonly string[]): string =>
      items.reduce((seed, item) => fingerprint(item, seed), "");
    const lists = [
      ["a", "b"],
      ["b", "a"],
      ["ab"],
      ["a", "b", ""],
      ["", "a", "b"],
      ["a", "", "b"],
      ["a"],
      ["b"],
      [],
    ];
    expect(new Set(lists.map(chain)).size).toBe(lists.length);
    expect(fingerprint("b", "a")).not.toBe(fingerprint("ab"));
    expect(fingerprint("bc", "a")).not.toBe(fingerprint("c", "ab"));
  });

  it("of a long list costs only its new items", () => {
    const long = fingerprint("x".repeat(1_000_000));
    expect(fingerprint("next", long)).toBe(fingerprint("next", fingerprint("x".repeat(1_000_000))));
  });
});

describe("a fraction", () => {
  it("lies in [0, 1), evenly", () => {
    const values = Array.from({ length: 10_000 }, (_, n) => fraction(`key ${n}`));
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.015);
  });

  it("depends on the text alone", () => {
    expect(fraction("a")).toBe(fraction("a"));
    expect(fraction("a")).not.toBe(fraction("b"));
  });
});

function bits(value: bigint): number {
  return value.toString(2).replaceAll("0", "").length;
}
