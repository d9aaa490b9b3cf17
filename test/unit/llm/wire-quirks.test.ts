// Answers as servers really send them; each is taken from a public report.
import { describe, expect, it } from "vitest";
import type { ModelResponse } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";

const signal = new AbortController().signal;
const VARIABLES = {
  OPENAI_API_KEY: "k",
  ANTHROPIC_API_KEY: "k",
  MISTRAL_API_KEY: "k",
  GEMINI_API_KEY: "k",
};

async function answered(
  model: string,
  response: () => Response,
  { stream = false }: { readonly stream?: boolean } = {},
): Promise<ModelResponse & { readonly words: string; readonly thoughts: string }> {
  const words: string[] = [];
  const thoughts: string[] = [];
  const settings =
    model === "responses" ? { model: "openai/gpt-5", api: "responses" as const } : model;
  const found = resolveModel(settings, { variables: VARIABLES, fetch: async () => response() });
  const listeners = stream
    ? {
        onDelta: (text: string) => void words.push(text),
        onThinking: (text: string) => void thoughts.push(text),
      }
    : {};
  const request = { messages: [{ role: "user" as const, content: "Go" }] };
  const answer = await found.generate(request, { signal, ...listeners });
  return { ...answer, words: words.join(""), thoughts: thoughts.join("") };
}

const json = (body: unknown, init?: ResponseInit) => (): Response => Response.json(body, init);
const events =
  (...chunks: unknown[]) =>
  (): Response =>
    new Response(
      chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n",
      { headers: { "content-type": "text/event-stream" } },
    );
const delta = (fields: object, finish: string | null = null): object => ({
  id: "c",
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const called = (fields: object): object => ({ type: "function", ...fields });

describe("content in parts", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
    { type: "text", text: "Rome " },
    { type: "text", text: "it is." },
  ];

  it("is read from a whole answer", async () => {
    const choices = [{ message: { role: "assistant", content }, finish_reason: "stop" }];
    const { text } = await answered("mistral/magistral-medium-latest", json({ choices }));
    expect(text).toBe("Rome it is.");
  });

  it("is read from a stream, thoughts apart", async () => {
    const chunks = events(
      delta({ content: content.slice(0, 1) }),
      delta({ content: content.slice(1) }),
      delta({}, "stop"),
    );
    const model = "mistral/magistral-medium-latest";
    expect(await answered(model, chunks, { stream: true })).toMatchObject({
      text: "Rome it is.",
      words: "Rome it is.",
      thoughts: "Hm.",
    });
  });
});

describe("parallel calls of a stream", () => {
  const rome = { name: "weather", arguments: '{"city":"Rome"}' };
  const oslo = { name: "weather", arguments: '{"city":"Oslo"}' };
  it.each([
    [
      "without index and id, in one chunk",
      [delta({ tool_calls: [called({ id: "", function: rome }), called({ function: oslo })] })],
    ],
    [
      "all numbered 0 and without ids, in two chunks",
      [
        delta({ tool_calls: [called({ index: 0, id: "", function: rome })] }),
        delta({ tool_calls: [called({ index: 0, id: "", function: oslo })] }),
      ],
    ],
    [
      "with names in every piece",
      [
        delta({
          tool_calls: [
            called({ index: 0, id: "a", function: { name: "weather", arguments: '{"city":' } }),
          ],
        }),
        delta({
          tool_calls: [
            called({ index: 0, id: "", function: { name: "weather", arguments: '"Rome"}' } }),
          ],
        }),
        delta({
          tool_calls: [called({ index: 0, id: "", function: { name: "weather", arguments: "" } })],
        }),
        delta({ tool_calls: [called({ index: 1, id: "b", function: oslo })] }),
      ],
    ],
  ])("%s are two", async (_, chunks) => {
    const stream = events(...chunks, delta({}, "tool_calls"));
    const { toolCalls } = await answered("openai/gpt-4o", stream, { stream: true });
    expect(toolCalls.map(({ arguments: text }) => text)).toEqual([rome.arguments, oslo.arguments]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it("without arguments are distinguished by their names", async () => {
    const stream = events(
      delta({ tool_calls: [called({ function: { name: "ping", arguments: "" } })] }),
      delta({ tool_calls: [called({ function: { name: "pong", arguments: "" } })] }),
      delta({}, "tool_calls"),
    );
    const { toolCalls } = await answered("openai/gpt-4o", stream, { stream: true });
    expect(toolCalls.map(({ name }) => name)).toEqual(["ping", "pong"]);
  });
});

describe("a server without streaming", () => {
  const message = {
    role: "assistant",
    content: "Whole.",
    tool_calls: [
      called({ id: "a", function: { name: "one", arguments: "{}" } }),
      called({ id: "b", function: { name: "two", arguments: "{}" } }),
    ],
  };
  const calls = ["one", "two"];
  it.each([
    ["openai/gpt-4o", { choices: [{ message, finish_reason: "tool_calls" }] }],
    [
      "anthropic/claude-haiku-4-5",
      {
        id: "m",
        type: "message",
        role: "assistant",
        content: [
          { type: "text", text: "Whole." },
          { type: "tool_use", id: "a", name: "one", input: {} },
          { type: "tool_use", id: "b", name: "two", input: {} },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 1, output_tokens: 2 },
      },
    ],
    [
      "responses",
      {
        id: "r",
        object: "response",
        status: "completed",
        output: [
          { type: "message", id: "m", content: [{ type: "output_text", text: "Whole." }] },
          { type: "function_call", id: "f1", call_id: "a", name: "one", arguments: "{}" },
          { type: "function_call", id: "f2", call_id: "b", name: "two", arguments: "{}" },
        ],
      },
    ],
  ])("answers %s with whole JSON, which is read", async (model, body) => {
    for (const text of [JSON.stringify(body), `\n${JSON.stringify(body, undefined, 2)}\n`]) {
      const answer = await answered(model, () => new Response(text), { stream: true });
      expect([answer.text, answer.words]).toEqual(["Whole.", "Whole."]);
      expect(answer.toolCalls.map(({ name }) => name)).toEqual(calls);
      expect(answer.finishReason).toBe("tool_calls");
    }
  });

  it("fails with the error of a whole JSON body with a success status", async () => {
    const body = json({ error: { code: 502, message: "Provider disconnected" } });
    await expect(answered("openai/gpt-4o", body, { stream: true })).rejects.toThrow(
      "Provider disconnected",
    );
  });
});

describe("a refusal", () => {
  it("of Gemini in a list is read, with its wait", async () => {
    const error = {
      code: 429,
      message: "You exceeded your current quota.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }],
    };
    await expect(
      answered("gemini/gemini-2.5-flash", json([{ error }], { status: 429 })),
    ).rejects.toMatchObject({
      code: "model_rate_limited",
      retryAfterMs: 34_000,
      message: "gemini/gemini-2.5-flash answered 429: You exceeded your current quota.",
    });
  });

  it("with a page of HTML is quoted by its start", async () => {
    const page = `<html><head><title>502 Bad Gateway</title></head>${"<p>x</p>".repeat(25_000)}`;
    const refused = answered("openai/gpt-4o", () => new Response(page, { status: 502 }));
    await expect(refused).rejects.toMatchObject({ code: "model_unavailable", retryable: true });
    const { message } = (await refused.catch((error: unknown) => error)) as Error;
    expect(message).toContain("<title>502 Bad Gateway</title>");
    expect(message.length).toBeLessThan(600);
  });

  it.each([
    ["https://models.example/v1", "openai/m at https://models.example answered 400: no such thing"],
    [undefined, "openai/m answered 400: no such thing"],
  ])("with the base URL %s names the server in place of the provider", async (baseUrl, message) => {
    const model = settled({ model: "openai/m", apiKey: "k", baseUrl });
    expect(model.id).toBe("openai/m");
    await expect(model.generate()).rejects.toMatchObject({ code: "model_rejected", message });
  });
});

/** A model whose server refuses each request. */
function settled({
  baseUrl,
  ...spec
}: {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
}): { readonly id: string; generate(): Promise<ModelResponse> } {
  const refusal = { error: { message: "no such thing" } };
  const model = resolveModel(
    { ...spec, ...(baseUrl === undefined ? undefined : { baseUrl }) },
    { variables: {}, fetch: async () => Response.json(refusal, { status: 400 }) },
  );
  const messages = [{ role: "user" as const, content: "Hello" }];
  return {
    id: model.id,
    generate: () => model.generate({ messages }, { signal: new AbortController().signal }),
  };
}
