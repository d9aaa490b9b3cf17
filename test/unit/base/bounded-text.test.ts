import { describe, expect, it } from "vitest";
import { boundedText } from "../../../src/base/bounded-text.ts";

/** A body in pieces of ten bytes, and the number of pieces that were asked for. */
function piecewise(pieces: number, headers: Record<string, string> = {}) {
  const pulled = { count: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pulled.count === pieces) return controller.close();
        pulled.count++;
        controller.enqueue(new TextEncoder().encode("0123456789"));
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, { headers }), pulled };
}

describe("boundedText", () => {
  it.each([
    ["no declared length", {}],
    ["a declared length", { "content-length": "30" }],
    ["a packed body", { "content-length": "3", "content-encoding": "gzip" }],
  ])("returns the whole body with %s", async (_name, headers) => {
    const { response } = piecewise(3, headers);
    expect(await boundedText(response, 30)).toEqual({
      text: "0123456789".repeat(3),
      isWhole: true,
    });
  });

  it.each([
    ["no declared length", {}],
    ["a declared length beyond the bound", { "content-length": "1000" }],
    [
      "a packed body with a small declared length",
      { "content-length": "5", "content-encoding": "br" },
    ],
    ["a declared length without a number", { "content-length": "many" }],
  ])("stops at the bound with %s", async (_name, headers) => {
    const { response, pulled } = piecewise(100, headers);
    expect(await boundedText(response, 25)).toEqual({
      text: "0123456789012345678901234",
      isWhole: false,
    });
    expect(pulled.count).toBe(3);
  });

  it("returns an empty text when there is no body", async () => {
    expect(await boundedText(new Response(null), 10)).toEqual({ text: "", isWhole: true });
  });
});
