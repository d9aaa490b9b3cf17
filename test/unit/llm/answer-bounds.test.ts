import { describe, expect, it } from "vitest";
import {
  ANSWER_BOUNDS,
  answerText,
  refusalText,
  StreamBound,
  TextBound,
  vectorBytes,
} from "../../../src/llm/answer-bounds.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

const server = "https://models.test";
const HELLO = { messages: [{ role: "user", content: "Hello" }] } as const;
const TOO_LARGE = { code: "answer_too_large", retryable: false };

/** A body of pieces of 64 KiB, with a count of those that were taken. */
function pieces(count: number): { readonly body: ReadableStream<Uint8Array>; taken: number } {
  const state = {
    taken: 0,
    body: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (state.taken === count) return controller.close();
          state.taken += 1;
          controller.enqueue(new Uint8Array(65_536).fill(97));
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return state;
}

describe("bounds of answers", () => {
  it("ANB1: let an answer of exactly the bound through, in any pieces", async () => {
    const text = "aé日🎉".repeat(3);
    const maxBytes = new TextEncoder().encode(text).length;
    expect(await answerText(new Response(text), { server, maxBytes })).toBe(text);
    await expect(
      answerText(new Response(text), { server, maxBytes: maxBytes - 1 }),
    ).rejects.toMatchObject({
      ...TOO_LARGE,
      message: `https://models.test sent an answer of more than ${maxBytes - 1} bytes, the most that is read; the rest was not received`,
    });
  });

  it("ANB1: receive no bytes after the bound", async () => {
    const source = pieces(1_000);
    await expect(answerText(new Response(source.body), { server })).rejects.toMatchObject(
      TOO_LARGE,
    );
    expect(source.taken).toBe(ANSWER_BOUNDS.answerBytes / 65_536 + 1);
  });

  it("ANB2: keep the beginning of a refusal, and end a fault of the server", async () => {
    const refused = new Response(pieces(100).body, { status: 400 });
    expect(await refusalText(refused, server)).toHaveLength(ANSWER_BOUNDS.errorBytes);
    const failed = new Response(pieces(100).body, { status: 503 });
    await expect(refusalText(failed, server)).rejects.toMatchObject({
      ...TOO_LARGE,
      message: expect.stringContaining("an error (503) of more than 1048576 bytes") as string,
    });
  });

  it("ANB1: count a line without an end, large events and all events of a stream", () => {
    const piece = new Uint8Array(65_536);
    const line = new StreamBound({ server, maxBytes: 200_000 });
    const events = new StreamBound({ server, maxBytes: 200_000 });
    const feed = (bound: StreamBound, times: number, event?: string): void => {
      for (let time = 0; time < times; time++) {
        bound.piece(piece);
        if (event !== undefined) bound.event(event);
      }
    };
    expect(() => feed(line, 4)).toThrow("an event of a stream of more than 200000 bytes");
    expect(() => feed(events, 4, "a".repeat(65_536))).toThrow("a streamed answer of more than");
    const many = new StreamBound({ server });
    const most = (ANSWER_BOUNDS.streamBytes + ANSWER_BOUNDS.answerBytes) / 65_536;
    feed(many, most, "short");
    expect(() => feed(many, 1, "short")).toThrow(`a stream of more than ${most * 65_536} bytes`);
  });

  it("ANB1: count the text of small events", () => {
    const bound = new TextBound("openai/m");
    bound.add(ANSWER_BOUNDS.streamedText);
    expect(() => bound.add(1)).toThrow("openai/m sent a streamed answer of more than 4194304");
  });

  it("grow with the number of embedded texts", () => {
    expect(vectorBytes(100) - vectorBytes(99)).toBe(131_072);
  });
});

const EVENT = "a".repeat(1_000);
const SMALL_EVENTS = {
  openai: { choices: [{ index: 0, delta: { content: EVENT } }] },
  "tool calls": { choices: [{ delta: { tool_calls: [{ function: { arguments: EVENT } }] } }] },
  reasoning: { choices: [{ index: 0, delta: { reasoning_content: EVENT } }] },
  responses: { type: "response.output_text.delta", delta: EVENT },
  anthropic: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: EVENT } },
  thinking: {
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: EVENT },
  },
};
const START = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };

describe.each([
  ["openai", "openai/gpt-5", {}],
  ["tool calls", "openai/gpt-5", {}],
  ["reasoning", "openai/gpt-5", {}],
  ["responses", "openai/gpt-5", { api: "responses" }],
  ["anthropic", "anthropic/claude-haiku-4-5", {}],
  ["thinking", "anthropic/claude-haiku-4-5", {}],
] as const)("a stream of small events without an end, %s", (form, model, settings) => {
  it("ANB1: ends with one failure, after one request", async () => {
    let asked = 0;
    let sent = 0;
    const line = `data: ${JSON.stringify(SMALL_EVENTS[form])}\n\n`;
    const piece = new TextEncoder().encode(line.repeat(60));
    const fetched = async (): Promise<Response> => {
      asked += 1;
      return new Response(
        new ReadableStream<Uint8Array>(
          {
            start: (controller) =>
              controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(START)}\n\n`)),
            pull: (controller) => {
              sent += 60_000;
              controller.enqueue(piece);
              if (sent > 20_000_000) controller.close();
            },
          },
          { highWaterMark: 0 },
        ),
      );
    };
    const variables = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
    const tested = resolveModel(
      { model, stream: true, ...settings },
      { variables, fetch: fetched },
    );
    const { signal } = new AbortController();
    await expect(tested.generate(HELLO, { signal })).rejects.toMatchObject(TOO_LARGE);
    expect(asked).toBe(1);
    expect(sent).toBeLessThan(6_000_000);
  });
});

describe("a stream of the AI binding without an end", () => {
  it("ANB1: is broken off as well", async () => {
    let isCancelled = false;
    let sent = 0;
    const piece = new TextEncoder().encode(
      `data: ${JSON.stringify({ response: EVENT })}\n\n`.repeat(60),
    );
    const run = async (): Promise<unknown> =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 60_000;
          controller.enqueue(piece);
          if (sent > 20_000_000) controller.close();
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const model = resolveModel("workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct", {
      variables: {},
      ai: { run },
    });
    const { signal } = new AbortController();
    await expect(model.generate(HELLO, { signal, onDelta: () => undefined })).rejects.toMatchObject(
      TOO_LARGE,
    );
    await expect.poll(() => isCancelled).toBe(true);
  });
});

describe("a list whose first model sends too much", () => {
  it("asks the next one (FBK2)", async () => {
    const huge = resolveModel("openai/gpt-5", {
      variables: { OPENAI_API_KEY: "k" },
      fetch: async () => new Response(pieces(1_000).body),
    });
    const list = fallbackModel([huge, scriptedModel(["Hello."])]);
    const { signal } = new AbortController();
    expect(await list.generate(HELLO, { signal })).toMatchObject({ text: "Hello." });
  });
});
