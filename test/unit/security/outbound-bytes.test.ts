import { describe, expect, it } from "vitest";
import { outboundBytes } from "../../../src/security/outbound-bytes.ts";

const URL = "https://example.com/page.txt";

function load(answer: () => Response | Promise<Response>, maxBytes = 10) {
  const fetch = async (): Promise<Response> => answer();
  return outboundBytes(URL, { field: "url", fetch, maxBytes, timeoutMs: 1000 });
}

describe("the bytes of an address", () => {
  it("come with their declared type", async () => {
    const init = { headers: { "content-type": "text/csv" } };
    const { bytes, mediaType } = await load(() => new Response("a,b", init));
    expect(new TextDecoder().decode(bytes)).toBe("a,b");
    expect(mediaType).toBe("text/csv");
    expect(await load(() => new Response(null))).toEqual({ bytes: new Uint8Array() });
  });

  it("are not received beyond the limit", async () => {
    let pieces = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pieces++;
        controller.enqueue(new Uint8Array(4));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    expect((await load(() => new Response(body))).bytes).toBeUndefined();
    expect(pieces).toBeLessThan(6);
    expect(isCancelled).toBe(true);
  });

  it.each([
    [429, "unavailable", true],
    [503, "unavailable", true],
    [404, "invalid_input", false],
  ])("fail for the status %i with %s", async (status, code, retryable) => {
    await expect(load(() => new Response("no", { status }))).rejects.toMatchObject({
      code,
      retryable,
      message: `${URL} answered ${status}`,
    });
  });

  it("fail as unavailable without an answer, and in the middle of a body", async () => {
    const error = { code: "unavailable", retryable: true };
    const down = (): Promise<Response> => Promise.reject(new TypeError("the network is down"));
    await expect(load(down)).rejects.toMatchObject(error);
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new TypeError("cut off")),
    });
    await expect(load(() => new Response(broken))).rejects.toMatchObject(error);
  });

  it("fail with the caller's reason after an abort", async () => {
    const signal = AbortSignal.abort(new Error("cancelled"));
    const fetch = (): Promise<Response> => Promise.reject(new TypeError("aborted"));
    const request = { field: "url", fetch, maxBytes: 10, timeoutMs: 1000, signal };
    await expect(outboundBytes(URL, request)).rejects.toThrow("cancelled");
  });
});
