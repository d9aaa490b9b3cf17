import { Stream as AnthropicStream } from "@anthropic-ai/sdk/core/streaming";
import * as fc from "fast-check";
import { Stream as OpenAIStream } from "openai/core/streaming";
import { describe, expect, it } from "vitest";
import { APIError } from "../../../src/llm/api-error.ts";
import { anthropicClient } from "../../../src/llm/anthropic/client.ts";
import { toEngineError as anthropicFailure } from "../../../src/llm/anthropic/errors.ts";
import { openaiClient } from "../../../src/llm/openai/client.ts";
import { toEngineError as openaiFailure } from "../../../src/llm/openai/errors.ts";
import type { ProviderClient, ProviderClientOptions } from "../../../src/llm/provider-client.ts";

const SILENT = { logLevel: "off" } as never;

const DIALECTS = [
  {
    provider: "openai",
    client: openaiClient,
    failure: openaiFailure,
    theirs: (response: Response, stop: AbortController): AsyncIterable<unknown> =>
      OpenAIStream.fromSSEResponse(response, stop, SILENT),
  },
  {
    provider: "anthropic",
    client: anthropicClient,
    failure: anthropicFailure,
    theirs: (response: Response, stop: AbortController): AsyncIterable<unknown> =>
      AnthropicStream.fromSSEResponse(response, stop, SILENT),
  },
] as const;

function clientOf(
  make: (options: ProviderClientOptions) => ProviderClient,
  answer: (signal: AbortSignal) => Response,
): ProviderClient {
  return make({
    connection: {
      baseUrl: "https://provider.test",
      apiKey: "key",
      missingKey: undefined,
      model: "m",
      headers: {},
      query: {},
      isOwnEndpoint: false,
    },
    fetch: async (_, init) => answer(init?.signal as AbortSignal),
  });
}

/** A body that comes in these pieces. */
function inPieces(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const ends = [...cuts, bytes.length].toSorted((a, b) => a - b);
  const starts = [0, ...ends];
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of ends.entries())
        if (end > (starts[index] ?? 0)) controller.enqueue(bytes.slice(starts[index], end));
      controller.close();
    },
  });
}

type Read = { readonly events: readonly unknown[]; readonly error?: unknown };

async function readAll(stream: AsyncIterable<unknown>): Promise<Read> {
  const events: unknown[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

const json = fc.oneof(
  fc.record({ type: fc.constantFrom("delta", "message_start", "ping") }),
  fc.record({ text: fc.string({ unit: "grapheme" }) }),
  fc.constant({ choices: [{ delta: { content: "é – 🎉" } }] }),
);
const failing = fc.constantFrom(
  { error: { message: "Overloaded", type: "overloaded_error" } },
  { type: "error", error: { message: "No", type: "api_error" } },
);
const event = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom("delta", "message"), json) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("error"), failing) },
);

const streams = fc
  .record({
    events: fc.array(event, { maxLength: 8 }),
    end: fc.constantFrom("\n", "\r\n"),
    comment: fc.constantFrom("", ": keep-alive"),
    cuts: fc.array(fc.nat(400), { maxLength: 6 }),
  })
  .map(({ events, end, comment, cuts }) => {
    const text = events
      .map(([name, data]) => `event: ${name}${end}data: ${JSON.stringify(data)}${end}${end}`)
      .join(comment === "" ? "" : comment + end + end);
    const bytes = new TextEncoder().encode(text);
    return { bytes, cuts: cuts.map((cut) => Math.min(cut, bytes.length)) };
  });

describe.each(DIALECTS)("streams of $provider", ({ client, failure, theirs }) => {
  it("yield the events and errors of the SDK, in any pieces", async () => {
    const told = (error: unknown): unknown => {
      if (error === undefined) return undefined;
      const { error: said } = error as { readonly error?: unknown };
      const ours = said === undefined ? error : new APIError({ error: said });
      return failure(ours, { modelId: "m", nowMs: 0 }).toRecord();
    };
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(streams, async ({ bytes, cuts }) => {
        const ours = clientOf(client, () => new Response(inPieces(bytes, cuts)));
        const { signal } = new AbortController();
        const mine = await readAll(await ours.stream("/v1/x", { body: {}, signal }));
        const response = new Response(inPieces(bytes, cuts));
        const other = await readAll(theirs(response, new AbortController()));
        expect(mine.events).toEqual(other.events);
        expect(told(mine.error)).toEqual(told(other.error));
      }),
      { numRuns: 300 },
    );
  });

  it("abort their request when the reader stops early, and not at their own end", async () => {
    const asked: AbortSignal[] = [];
    const ours = clientOf(client, (signal) => {
      asked.push(signal);
      const end = asked.length === 2 ? "data: [DONE]\n\n" : "";
      return new Response(`event: a\ndata: {"n":1}\n\nevent: a\ndata: {"n":2}\n\n${end}`);
    });
    const request = { body: {}, signal: new AbortController().signal };
    for await (const one of await ours.stream("/v1/x", request)) if (one !== undefined) break;
    for await (const one of await ours.stream("/v1/x", request)) expect(one).toBeDefined();
    for await (const one of await ours.stream("/v1/x", request)) expect(one).toBeDefined();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, false, false]);
  });

  it("may end without the blank line, and drop a truncated event", async () => {
    const ends = ['data: {"n":2}', 'data: {"n":2}\n', 'data: {"n":', "event: a", "dat"];
    const read = ends.map(async (end) => {
      const text = `event: a\ndata: {"n":1}\n\nevent: a\n${end}`;
      const ours = clientOf(client, () => new Response(text));
      const { signal } = new AbortController();
      return readAll(await ours.stream("/v1/x", { body: {}, signal }));
    });
    const both = { events: [{ n: 1 }, { n: 2 }] };
    const first = { events: [{ n: 1 }] };
    expect(await Promise.all(read)).toEqual([both, both, first, first, first]);
  });

  it("fail when an event is not JSON", async () => {
    const ours = clientOf(client, () => new Response("event: a\ndata: {oops\n\n"));
    const { signal } = new AbortController();
    const { error } = await readAll(await ours.stream("/v1/x", { body: {}, signal }));
    expect(failure(error, { modelId: "m", nowMs: 0 }).message).toContain("{oops");
  });
});

describe.each(DIALECTS)("an unreachable server of $provider", ({ client, failure }) => {
  it.each([
    [
      new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") }),
      "no answer from https://provider.test (fetch failed: connect ECONNREFUSED 127.0.0.1:9)",
    ],
    [
      new TypeError("fetch failed", {
        cause: new AggregateError([new Error("connect ECONNREFUSED ::1:9"), new Error("other")]),
      }),
      "no answer from https://provider.test (fetch failed: connect ECONNREFUSED ::1:9)",
    ],
    [
      new Error("Network connection lost."),
      "no answer from https://provider.test (Network connection lost.)",
    ],
  ])("is named by its address, with the deepest reason of %s", async (thrown, expected) => {
    const ours = clientOf(client, () => {
      throw thrown;
    });
    const { signal } = new AbortController();
    const error = await ours.json("/v1/x", { body: {}, signal }).catch((each: unknown) => each);
    expect(failure(error, { modelId: "openai/m", nowMs: 0 })).toMatchObject({
      code: "model_unavailable",
      retryable: true,
      message: `openai/m failed: ${expected}`,
    });
  });
});
