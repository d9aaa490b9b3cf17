import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAtStop, stopListeners } from "../../../src/llm/stop-words.ts";

function heard(pieces: readonly string[], stops: readonly string[]): string[] {
  const texts: string[] = [];
  const { listeners, end } = stopListeners({ onDelta: (text) => texts.push(text) }, stops);
  for (const piece of pieces) listeners.onDelta?.(piece);
  end();
  return texts;
}

describe("stop words", () => {
  it("cut at the earliest of them, and trim", () => {
    expect(cutAtStop("one \nSTOP two END", ["END", "STOP"])).toBe("one");
    expect(cutAtStop(" none ", ["END", ""])).toBe(" none ");
  });

  it("hold back only a possible beginning of one", () => {
    expect(heard(["a E", "N", "x", " EN", "D b"], ["END"])).toEqual(["a ", "ENx", " "]);
    expect(heard(["a EN"], ["END"])).toEqual(["a ", "EN"]);
    expect(heard(["xba", "b"], ["a", "bab"])).toEqual(["x"]);
    expect(heard(["xba", "c"], ["a", "bab"])).toEqual(["x", "b"]);
    expect(heard(["xba"], ["a", "bab"])).toEqual(["x", "b"]);
  });

  it("wait for a longer one that may have begun before the found one", () => {
    expect(heard(["a", "b", "b"], ["abb", "b"])).toEqual([]);
    expect(heard(["a", "b", "a"], ["abb", "b"]).join("")).toBe("a");
    expect(heard(["a", "b"], ["abb", "b"]).join("")).toBe("a");
  });

  it("leave the same text however it comes in pieces", () => {
    const piece = fc.stringMatching(/^[ab]{0,4}$/);
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece, { maxLength: 3 }), (pieces, stops) => {
        expect(heard(pieces, stops).join("").trim()).toBe(cutAtStop(pieces.join(""), stops));
      }),
    );
  });
});
