// One behaviour suite for the network adapters: the real clients against a server that speaks all wire forms.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { NO_USAGE } from "../../../src/base/usage.ts";
import type {
  CallOptions,
  LanguageModel,
  Message,
  ModelRequest,
  ToolSpec,
} from "../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import {
  startModelServer,
  type ModelServer,
  type ServedReply,
} from "../../support/model-server.ts";

const ADAPTERS = [
  { adapter: "openai", provider: "openai", name: "openai/gpt-4.1-mini", path: "/v1", base: {} },
  {
    adapter: "gemini",
    provider: "gemini",
    name: "gemini/gemini-2.5-flash",
    path: "/v1beta",
    base: {},
  },
  {
    adapter: "bedrock",
    provider: "bedrock",
    name: "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0",
    path: "",
    base: {},
  },
  {
    adapter: "openai responses",
    provider: "openai",
    name: "openai/gpt-4.1-mini",
    path: "/v1",
    base: { api: "responses" },
  },
  {
    adapter: "anthropic",
    provider: "anthropic",
    name: "anthropic/claude-haiku-4-5",
    path: "",
    base: {},
  },
] as const;

/** Names of failures in the middle of a stream. */
const FAILURES = [
  ["overloaded_error", "model_unavailable", true],
  ["rate_limit_error", "model_rate_limited", true],
  ["invalid_request_error", "model_rejected", false],
  ["never heard of", "model_failed", true],
] as const;
const OWN_FAILURES = {
  gemini: [
    ["UNAVAILABLE", "model_unavailable", true],
    ["RESOURCE_EXHAUSTED", "model_rate_limited", true],
    ["INVALID_ARGUMENT", "model_rejected", false],
    ["PERMISSION_DENIED", "model_unauthorized", false],
    ["DEADLINE_EXCEEDED", "timeout", true],
    ["NEVER_HEARD_OF", "model_failed", true],
  ],
  bedrock: [
    ["internalServerException", "model_failed", true],
    ["modelStreamErrorException", "model_failed", true],
    ["throttlingException", "model_rate_limited", true],
    ["serviceUnavailableException", "model_unavailable", true],
    ["validationException", "model_rejected", false],
    ["neverHeardOfException", "model_failed", true],
  ],
} as const;

const HELLO: ModelRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello?" },
  ],
};

const SEARCH: ToolSpec = {
  name: "search",
  description: "Search the web.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
    additionalProperties: false,
  },
};

const TWO_CALLS: ServedReply = {
  text: "Looking.",
  toolCalls: [
    { name: "search", arguments: { query: "Rome" }, id: "call_a" },
    { name: "search", arguments: { query: 'Oslo – "é"' }, id: "call_b" },
  ],
};

function options(more: Partial<CallOptions> = {}): CallOptions {
  return { signal: AbortSignal.timeout(20_000), ...more };
}

describe.each(ADAPTERS)("$adapter", ({ provider, name, path, base }) => {
  let server: ModelServer;
  let reply: ServedReply | string = "ok";

  beforeAll(async () => {
    server = await startModelServer({ reply: () => reply });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    reply = "ok";
  });

  function model(settings: Partial<ModelSettings> = {}): LanguageModel {
    const prefix = provider.toUpperCase();
    const variables = {
      [`${prefix}_API_KEY`]: "secret",
      [`${prefix}_BASE_URL`]: server.url + path,
    };
    return resolveModel({ model: name, ...base, ...settings }, { variables });
  }

  async function failure(
    given: ServedReply,
    more: Partial<CallOptions> = {},
    settings: Partial<ModelSettings> = {},
  ): Promise<EngineError> {
    reply = given;
    const error: unknown = await model(settings)
      .generate(HELLO, options(more))
      .then(
        (response) => `answered ${JSON.stringify(response)}`,
        (thrown: unknown) => thrown,
      );
    if (!EngineError.is(error)) throw new Error(`expected an EngineError, got ${String(error)}`);
    return error;
  }

  /** How a call streams: both ways must give the same response. */
  const WAYS = [
    { way: "whole", deltas: undefined },
    { way: "streamed", deltas: [] as string[] },
  ];

  describe.each(WAYS)("$way", ({ deltas }) => {
    const listening = deltas ? { onDelta: (text: string): unknown => deltas.push(text) } : {};

    it("answers with text, usage and finish reason", async () => {
      reply = {
        text: "Hello to you, too.",
        promptTokens: 100,
        completionTokens: 7,
        cachedTokens: 40,
        reasoningTokens: 3,
      };
      deltas?.splice(0);
      const response = await model().generate(HELLO, options(listening));
      const prompt = provider === "anthropic" || provider === "bedrock" ? 140 : 100;
      // Converse does not count them; Gemini counts them beside the answer.
      const reasoningTokens = provider === "bedrock" ? 0 : 3;
      const completion = provider === "gemini" ? 10 : 7;
      expect(response).toMatchObject({
        text: "Hello to you, too.",
        toolCalls: [],
        finishReason: "stop",
        usage: {
          ...NO_USAGE,
          promptTokens: prompt,
          cachedPromptTokens: 40,
          completionTokens: completion,
          reasoningTokens,
          totalTokens: prompt + completion,
          requests: 1,
          costUsd: expect.any(Number) as number,
        },
      });
      expect(response.usage.costUsd).toBeGreaterThan(0);
      // Converse has none.
      expect(Boolean(response.responseId)).toBe(provider !== "bedrock");
      expect(deltas).toEqual(deltas && ["Hello ", "to ", "you, ", "too."]);
    });

    it("collects several tool calls of one turn", async () => {
      reply = TWO_CALLS;
      const response = await model().generate({ ...HELLO, tools: [SEARCH] }, options(listening));
      expect(response).toMatchObject({
        text: "Looking.",
        finishReason: "tool_calls",
        toolCalls: [
          { id: "call_a", name: "search", arguments: '{"query":"Rome"}' },
          { id: "call_b", name: "search", arguments: '{"query":"Oslo – \\"é\\""}' },
        ],
      });
    });

    it("rejects with the signal's reason when it is aborted before the answer", async () => {
      reply = { fault: "hang" };
      const controller = new AbortController();
      const reason = new EngineError("run_cancelled", "stopped by a person");
      const running = model().generate(HELLO, { ...listening, signal: controller.signal });
      const before = server.calls.length;
      await expect.poll(() => server.calls.length).toBeGreaterThan(before);
      controller.abort(reason);
      await expect(running).rejects.toBe(reason);
      await expect.poll(() => server.calls.at(-1)?.aborted).toBe(true);
    });

    it("sends no request when the signal is already aborted", async () => {
      const before = server.calls.length;
      const reason = new Error("over");
      const call = model().generate(HELLO, { ...listening, signal: AbortSignal.abort(reason) });
      await expect(call).rejects.toBe(reason);
      expect(server.calls.length).toBe(before);
    });

    it("gives up with `timeout` when the settings' limit passes, even in mid-answer", async () => {
      for (const fault of ["hang", "stall"] as const) {
        const given = { text: "one two three four", fault };
        const error = await failure(given, listening, { timeoutMs: 100 });
        expect(error).toMatchObject({ code: "timeout", retryable: true });
        expect(error.message).toContain("100 ms");
      }
    });

    it.each(["cut", "end", "reset", "garbage", "empty", "html"] as const)(
      "fails, retryable, when the answer is broken: %s",
      async (fault) => {
        const error = await failure({ text: "one two three four five", fault }, listening);
        const code = fault === "reset" ? "model_unavailable" : "model_failed";
        expect(error).toMatchObject({ code, retryable: true });
        expect(error.message).toContain(name);
      },
    );
  });

  it("quotes a response without an answer", async () => {
    expect((await failure({ fault: "html" })).message).toContain("<h1>Welcome</h1>");
    expect((await failure({ fault: "empty" })).message).toContain("{}");
  });

  const failures =
    provider === "gemini" || provider === "bedrock" ? OWN_FAILURES[provider] : FAILURES;
  it.each([...failures])("maps an error in mid-stream: %s", async (type, code, retryable) => {
    const error = { type: "error", error: { type, status: type, message: "that is why" } };
    const given: ServedReply = { text: "one two three four", fault: "error", error };
    expect(await failure(given, { onDelta: () => {} })).toMatchObject({
      code,
      retryable,
      message: expect.stringContaining("that is why") as string,
    });
  });

  it("rejects with the signal's reason when it is aborted in mid-stream", async () => {
    reply = { text: "one two three", fault: "stall" };
    const controller = new AbortController();
    const reason = new Error("enough");
    const running = model().generate(HELLO, {
      signal: controller.signal,
      onDelta: () => controller.abort(reason),
    });
    await expect(running).rejects.toBe(reason);
  });

  it.each([
    [400, "model_rejected", false],
    [401, "model_unauthorized", false],
    [403, "model_unauthorized", false],
    [404, "model_rejected", false],
    [408, "timeout", true],
    [422, "model_rejected", false],
    [429, "model_rate_limited", true],
    [500, "model_failed", true],
    [503, "model_unavailable", true],
    [529, "model_unavailable", true],
  ] as const)(
    "answers status %i with %s, retryable %s, after one request",
    async (status, code, retryable) => {
      const before = server.calls.length;
      const error = await failure({ status, error: "that is why" });
      expect(error).toMatchObject({ code, retryable });
      expect(error.message).toContain("that is why");
      expect(server.calls.length).toBe(before + 1);
    },
  );

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [
      { "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
      5000,
    ],
    [{}, undefined],
  ])("reads the wait asked for from %o", async (headers, retryAfterMs) => {
    const error = await failure({ status: 429, headers });
    expect(error.retryAfterMs).toBe(retryAfterMs);
  });

  it.each([
    "This model's maximum context length is 8192 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
  ])("knows a full context window by its words: %s", async (error) => {
    expect(await failure({ status: 400, error })).toMatchObject({
      code: "context_window_exceeded",
      retryable: false,
    });
  });

  it("takes `too many tokens` with a 429 for a rate", async () => {
    const error = await failure({ status: 429, error: "Too many tokens, please wait" });
    expect(error.code).toBe("model_rate_limited");
  });

  it("fails, retryable, on an unreachable server", async () => {
    const gone = await startModelServer();
    await gone.stop();
    const prefix = provider.toUpperCase();
    const call = resolveModel(name, {
      variables: { [`${prefix}_API_KEY`]: "secret", [`${prefix}_BASE_URL`]: gone.url + path },
    }).generate(HELLO, options());
    await expect(call).rejects.toMatchObject({ code: "model_unavailable", retryable: true });
  });

  it("fails with `model_unauthorized`, naming the variable, when there is no key", async () => {
    const call = resolveModel(name, { variables: {} }).generate(HELLO, options());
    await expect(call).rejects.toMatchObject({
      code: "model_unauthorized",
      retryable: false,
      message: expect.stringContaining(`${provider.toUpperCase()}_API_KEY`) as string,
    });
  });

  it("sends the idempotency key with the request", async () => {
    await model().generate(HELLO, options({ idempotencyKey: "run-1:task:a/turn:1" }));
    expect(server.calls.at(-1)?.idempotencyKey).toBe("run-1:task:a/turn:1");
  });

  it("streams without a listener when the settings say so", async () => {
    const response = await model({ stream: true }).generate(HELLO, options());
    expect(server.calls.at(-1)?.stream).toBe(true);
    expect(response).toMatchObject({ text: "ok", usage: { completionTokens: 5 } });
  });

  it("passes unknown settings through", async () => {
    await model({ params: { service_tier: "auto" }, temperature: 0.5, maxTokens: 77 }).generate(
      HELLO,
      options(),
    );
    const { body } = server.calls.at(-1) ?? {};
    const own = { service_tier: "auto" };
    expect(body).toMatchObject(
      provider === "gemini"
        ? { ...own, generationConfig: { temperature: 0.5, maxOutputTokens: 77 } }
        : provider === "bedrock"
          ? {
              additionalModelRequestFields: own,
              inferenceConfig: { temperature: 0.5, maxTokens: 77 },
            }
          : { ...own, temperature: 0.5 },
    );
  });

  it("sends a growing conversation whole, however often it comes", async () => {
    const messages: Message[] = [...HELLO.messages];
    const talking = model();
    reply = TWO_CALLS;
    const first = await talking.generate({ messages, tools: [SEARCH] }, options());
    messages.push({ role: "assistant", content: first.text, toolCalls: first.toolCalls });
    for (const { id } of first.toolCalls) {
      messages.push({ role: "tool", toolCallId: id, toolName: "search", content: `result ${id}` });
    }
    reply = "Done.";
    await talking.generate({ messages, tools: [SEARCH] }, options());
    const grown = server.calls.at(-1)?.messages;
    await model().generate({ messages: [...messages], tools: [SEARCH] }, options());
    expect(grown).toEqual(server.calls.at(-1)?.messages);
    expect(JSON.stringify(grown)).toContain("result call_b");
  });

  it("converts the messages again when the conversation was shortened or its end replaced", async () => {
    const messages: Message[] = [...HELLO.messages, { role: "assistant", content: "Yes?" }];
    messages.push({ role: "user", content: "old" });
    const talking = model();
    await talking.generate({ messages }, options());
    messages[3] = { role: "user", content: "new" };
    await talking.generate({ messages }, options());
    expect(JSON.stringify(server.calls.at(-1)?.messages)).toMatch(/new(?!.*old)/);
    messages.length = 2;
    await talking.generate({ messages }, options());
    expect(JSON.stringify(server.calls.at(-1)?.messages)).not.toMatch(/old|new|Yes/);
  });
});
