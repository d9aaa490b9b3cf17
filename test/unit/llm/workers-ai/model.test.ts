import { describe, expect, it } from "vitest";
import type {
  CallOptions,
  LanguageModel,
  ModelRequest,
} from "../../../../src/llm/language-model.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const NAME = "workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct";
const HELLO: ModelRequest = { messages: [{ role: "user", content: "Hello" }] };
const options = (more: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  ...more,
});

type Run = { readonly model: string; readonly input: unknown; readonly options: unknown };

function bound(
  answer: (run: Run) => unknown,
  variables: Record<string, string> = {},
): { readonly model: LanguageModel; readonly runs: Run[] } {
  const runs: Run[] = [];
  const ai = {
    run: async (model: string, input: unknown, runOptions?: unknown): Promise<unknown> => {
      const run = { model, input, options: runOptions };
      runs.push(run);
      return answer(run);
    },
  };
  return { runs, model: resolveModel(NAME, { variables, ai }) };
}

function sse(...events: (object | string)[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(
    events
      .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
      .join(""),
  );
  // Pieces of seven bytes: lines and characters are cut anywhere.
  let sent = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, (sent += 7)));
    },
  });
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

describe("the AI binding", () => {
  it("gets the conversation, the tools and the settings", async () => {
    const { model, runs } = bound(() => ({ response: "ok" }), {
      AI_GATEWAY_URL: "https://gateway.ai.cloudflare.com/v1/acc/gw",
    });
    const call = { id: "c", name: "t", arguments: "{}" };
    await model.generate(
      {
        messages: [
          ...HELLO.messages,
          { role: "assistant", content: "", toolCalls: [call] },
          { role: "tool", toolCallId: "c", toolName: "t", content: "1" },
        ],
        tools: [{ name: "t", description: "T.", parameters: { type: "object" } }],
        stop: ["END"],
      },
      options(),
    );
    expect(runs).toMatchObject([
      {
        model: "@cf/meta/llama-4-scout-17b-16e-instruct",
        input: {
          messages: [
            { role: "user", content: "Hello" },
            { role: "assistant", tool_calls: [{ id: "c", function: { name: "t" } }] },
            { role: "tool", tool_call_id: "c", name: "t", content: "1" },
          ],
          tools: [{ type: "function", function: { name: "t", description: "T." } }],
          stop: ["END"],
        },
        options: { gateway: { id: "gw", skipCache: true } },
      },
    ]);
  });

  it.each([
    ["its own", { response: "Hi", usage }],
    [
      "OpenAI's",
      { id: "x", choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage },
    ],
  ])("answers in %s form", async (_, answer) => {
    const response = await bound(() => answer).model.generate(HELLO, options());
    expect(response).toMatchObject({
      text: "Hi",
      toolCalls: [],
      finishReason: "stop",
      usage: { promptTokens: 3, completionTokens: 2, requests: 1 },
    });
  });

  it.each([
    ["flat", [{ name: "t", arguments: { x: 1 } }]],
    ["nested", [{ function: { name: "t", arguments: '{"x":1}' } }]],
  ])("makes tool calls: %s", async (_, tool_calls) => {
    const response = await bound(() => ({ response: null, tool_calls })).model.generate(
      HELLO,
      options(),
    );
    expect(response).toMatchObject({
      text: "",
      finishReason: "tool_calls",
      toolCalls: [{ id: "call_1_0", name: "t", arguments: '{"x":1}' }],
    });
  });

  it("gets a limit, which the window leaves, unless one is set", async () => {
    const { model, runs } = bound(() => ({ response: "Hi" }));
    await model.generate(HELLO, options());
    await model.generate(
      { messages: [{ role: "user", content: "字".repeat(model.contextWindow - 1_000) }] },
      options(),
    );
    await model.generate(
      { messages: [{ role: "user", content: "one word ".repeat(model.contextWindow) }] },
      options(),
    );
    const [first, second = 0, third] = runs.map(
      ({ input }) => (input as { max_tokens?: number }).max_tokens,
    );
    expect([first, third]).toEqual([4_096, 256]);
    expect(second).toBeGreaterThan(1_000);
    expect(second).toBeLessThan(4_096);
  });

  it("leaves more or less of its window to answers, as the model has counted before", async () => {
    const limits = async (counted: number): Promise<number | undefined> => {
      const { model, runs } = bound(() => ({
        response: "Hi",
        usage: { prompt_tokens: counted, completion_tokens: 2 },
      }));
      const asked: ModelRequest = {
        messages: [{ role: "user", content: "字".repeat(model.contextWindow - 1_000) }],
      };
      for (let time = 0; time < 4; time++) await model.generate(asked, options());
      return (runs.at(-1)?.input as { max_tokens?: number } | undefined)?.max_tokens;
    };
    expect([await limits(2_000), await limits(8_000)]).toEqual([4_096, 256]);
  });

  it("does not count the bytes of an image as words", async () => {
    const { model, runs } = bound(() => ({ response: "Hi" }));
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image", data: "A".repeat(400_000), mediaType: "image/png" },
    ] as const;
    await model.generate({ messages: [{ role: "user", content }] }, options());
    expect(runs[0]?.input).toMatchObject({ max_tokens: 4_096 });
  });

  it("WA1: marks an answer as long as its limit as cut", async () => {
    const cut = { response: "Half", usage: { prompt_tokens: 3, completion_tokens: 4_096 } };
    expect(await bound(() => cut).model.generate(HELLO, options())).toMatchObject({
      finishReason: "length",
      end: "cut",
    });
    const { model } = bound(() =>
      sse({ response: "Half" }, { response: "", usage: cut.usage }, "[DONE]"),
    );
    expect(await model.generate(HELLO, options({ onDelta: () => undefined }))).toMatchObject({
      text: "Half",
      end: "cut",
    });
  });

  it("returns JSON answers as text", async () => {
    const { model } = bound(() => ({ response: { name: "Ada" } }));
    expect((await model.generate(HELLO, options())).text).toBe('{"name":"Ada"}');
  });

  it.each([
    ["its own", [{ response: "Hé" }, { response: "llo" }, { response: "", usage }, "[DONE]"]],
    [
      "OpenAI's",
      [
        { id: "x", choices: [{ delta: { content: "Hé" } }] },
        { choices: [{ delta: { content: "llo" }, finish_reason: "stop" }] },
        { choices: [], usage },
        "[DONE]",
      ],
    ],
  ])("streams in %s form", async (_, events) => {
    const deltas: string[] = [];
    const { model, runs } = bound(() => sse(...events));
    const onDelta = (text: string): unknown => deltas.push(text);
    const response = await model.generate(HELLO, options({ onDelta }));
    expect(response).toMatchObject({ text: "Héllo", usage: { totalTokens: 5 } });
    expect(deltas).toEqual(["Hé", "llo"]);
    expect(runs).toMatchObject([{ input: { stream: true } }]);
  });

  it.each([
    ["a truncated stream", (): unknown => sse({ response: "Hi" })],
    [
      "a truncated stream of OpenAI's",
      (): unknown => sse({ choices: [{ delta: { content: "Hi" } }] }),
    ],
    ["nothing", (): unknown => undefined],
    ["something else", (): unknown => ({ image: "…" })],
  ])("fails, retryable, on %s", async (_, answer) => {
    const call = bound(answer).model.generate(HELLO, options({ onDelta: () => {} }));
    await expect(call).rejects.toMatchObject({ code: "model_failed", retryable: true });
  });

  it.each([
    ["AiError: 3040: Capacity temporarily exceeded, please try again.", "model_rate_limited", true],
    ["4006: you have used up your daily free allocation", "model_rate_limited", false],
    ["AiError: 3036: Daily free allocation used up", "model_rate_limited", false],
    ["InferenceUpstreamError: 5007: No such model @cf/x or task", "model_rejected", false],
    ["3023: Service unavailable for account", "model_unauthorized", false],
    ["3007: Request timeout", "timeout", true],
    ["3006: Request is too large", "context_window_exceeded", false],
    [
      "5021: The estimated number of input and maximum output tokens exceeded this model context window limit: too many tokens",
      "context_window_exceeded",
      false,
    ],
    ["socket hang up", "model_failed", true],
  ])("maps %s", async (message, code, retryable) => {
    const { model } = bound(() => {
      throw new Error(message);
    });
    await expect(model.generate(HELLO, options())).rejects.toMatchObject({ code, retryable });
  });

  it("is not waited for after an abort", async () => {
    const controller = new AbortController();
    const { model } = bound(() => new Promise(() => {}));
    const running = model.generate(HELLO, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  it("ends its stream when aborted", async () => {
    const controller = new AbortController();
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(new TextEncoder().encode('data: {"response":"x"}\n\n')),
      cancel: () => {
        isCancelled = true;
      },
    });
    const running = bound(() => endless).model.generate(HELLO, {
      signal: controller.signal,
      onDelta: () => controller.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
    await expect.poll(() => isCancelled).toBe(true);
  });

  it("is not waited for after the time limit", async () => {
    const clock = new SimulatedClock();
    const ai = { run: () => new Promise(() => {}) };
    const model = resolveModel({ model: NAME, timeoutMs: 500 }, { variables: {}, ai, clock });
    const running = model.generate(HELLO, options());
    await Promise.all([
      expect(running).rejects.toMatchObject({ code: "timeout", retryable: true }),
      clock.advance(500),
    ]);
  });

  it("gets images as others do", async () => {
    const { model, runs } = bound(() => ({ response: "a cat" }));
    await model.generate(
      {
        messages: [
          { role: "user", content: [{ type: "image", data: "aGk=", mediaType: "image/png" }] },
        ],
      },
      options(),
    );
    expect(runs[0]?.input).toMatchObject({
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }],
        },
      ],
    });
  });

  it("answers in JSON of a schema when the model can, and does not stream then", async () => {
    const runs: unknown[] = [];
    const ai = {
      run: async (_: string, input: unknown) => {
        runs.push(input);
        return { response: { name: "Ada" } };
      },
    };
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const request = { ...HELLO, responseSchema: { name: "a", schema } };
    const json = resolveModel("@cf/meta/llama-3.3-70b-instruct-fp8-fast", { variables: {}, ai });
    const { text } = await json.generate(request, options({ onDelta: () => undefined }));
    expect(text).toBe('{"name":"Ada"}');
    expect(runs[0]).toMatchObject({
      response_format: { type: "json_schema", json_schema: schema },
    });
    expect(runs[0]).not.toHaveProperty("stream");
    expect(json.capabilities.responseSchema).toBe(true);

    const other = resolveModel(NAME, { variables: {}, ai });
    expect(other.capabilities.responseSchema).toBe(false);
    await other.generate(request, options());
    expect(runs[1]).not.toHaveProperty("response_format");
  });

  it("may be asked again when it found no JSON of the schema", async () => {
    const { model } = bound(() => {
      throw new Error("5024: JSON Mode couldn't be met");
    });
    await expect(model.generate(HELLO, options())).rejects.toMatchObject({
      code: "model_failed",
      retryable: true,
    });
  });
});
