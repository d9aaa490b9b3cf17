// Situations of public reports about providers, each told in its own words: what a server sent or refused, and what comes of it.
import { describe, expect, it } from "vitest";
import type { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Message, ModelRequest, ModelResponse } from "../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";

type Body = JsonObject;
type Served = { readonly status?: number; readonly json: unknown } | { readonly events: string };

type Asked = {
  readonly bodies: readonly Body[];
  readonly answer: ModelResponse | undefined;
  readonly error: EngineError | undefined;
  readonly thoughts: string;
};

const VARIABLES = Object.fromEntries(
  ["OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER", "MOONSHOT", "DEEPSEEK", "MISTRAL", "HOUSE"].map(
    (name) => [`${name}_API_KEY`, "key"],
  ),
);
const USER: Message = { role: "user", content: "Hello" };

/** Asks a model once; `serve` answers each of its requests. */
async function ask(
  settings: ModelSettings,
  serve: (body: Body, index: number) => Served,
  request: Partial<ModelRequest> = {},
): Promise<Asked> {
  const bodies: Body[] = [];
  let thoughts = "";
  const variables = {
    ...VARIABLES,
    MOONSHOT_BASE_URL: "https://moonshot.test/v1",
    HOUSE_BASE_URL: "https://house.test/v1",
  };
  const model = resolveModel(
    { price: 0, ...settings },
    {
      variables,
      fetch: async (_, init) => {
        const body = JSON.parse(init?.body as string) as Body;
        bodies.push(body);
        if (bodies.length > 8) throw new Error("asked too often");
        const served = serve(body, bodies.length - 1);
        if ("events" in served) return new Response(served.events);
        return Response.json(served.json, { status: served.status ?? 200 });
      },
    },
  );
  const { signal } = new AbortController();
  const onThinking = (text: string): void => {
    thoughts += text;
  };
  try {
    const asked = { messages: [USER], ...request };
    const answer = await model.generate(asked, {
      signal,
      ...(settings.stream === true ? { onThinking } : undefined),
    });
    return { bodies, answer, error: undefined, thoughts };
  } catch (error) {
    return { bodies, answer: undefined, error: error as EngineError, thoughts };
  }
}

const chat = (message: object = { content: "ok" }, reason = "stop"): Served => ({
  json: { id: "c", choices: [{ index: 0, message, finish_reason: reason }] },
});
const refused = (message: string, more: object = {}, status = 400): Served => ({
  status,
  json: { error: { message, type: "invalid_request_error", param: null, code: null, ...more } },
});
const events = (...chunks: readonly (object | string)[]): Served => ({
  events: chunks
    .map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`)
    .join(""),
});
const delta = (value: object, reason?: string | null): object => ({
  choices: [{ index: 0, delta: value, ...(reason === undefined ? {} : { finish_reason: reason }) }],
});
const CALL = (piece: object, index: number | undefined = 0): object =>
  delta({
    tool_calls: [{ ...(index === undefined ? {} : { index }), type: "function", ...piece }],
  });
const HOUSE = { model: "house/m" } as const;
const STREAM = { model: "house/m", stream: true } as const;
const CALLED: readonly Message[] = [
  USER,
  { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "look", arguments: "{}" }] },
  { role: "tool", toolCallId: "call_1", toolName: "look", content: "42" },
];

describe("limits of an answer beyond the model's", () => {
  it.each([
    [
      "https://github.com/ChatGPTNextWeb/NextChat/issues/3195",
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      4096,
    ],
    [
      "https://github.com/Gitlawb/openclaude/issues/331",
      "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
      12_288,
    ],
    [
      "https://github.com/deepseek-ai/DeepSeek-V3/issues/69",
      "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
      8192,
    ],
    [
      "Groq",
      "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      16_384,
    ],
  ])("%s: sends the limit the message names instead", async (_, message, limit) => {
    const { bodies, answer } = await ask({ ...HOUSE, maxTokens: 32_000 }, (body) =>
      Number(body["max_tokens"]) > limit ? refused(message) : chat(),
    );
    expect(answer?.text).toBe("ok");
    expect(bodies.map((body) => body["max_tokens"])).toEqual([32_000, limit]);
  });

  it.each([
    [
      "https://github.com/ChatGPTNextWeb/NextChat/issues/3195 (gpt-4)",
      "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      8128,
    ],
    [
      "Text Generation Inference",
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 64 `inputs` tokens and 8192 `max_new_tokens`",
      4032,
    ],
  ])("%s: an answer gets the rest of the window", async (_, message, room) => {
    const { bodies, answer } = await ask({ ...HOUSE, maxTokens: 8192 }, (body) =>
      Number(body["max_tokens"]) > room ? refused(message) : chat(),
    );
    expect(answer?.text).toBe("ok");
    expect(bodies.map((body) => body["max_tokens"])).toEqual([8192, room]);
  });

  it("https://github.com/vercel/ai/pull/9546: Claude's answers may be as long as the model allows", async () => {
    const message: Served = {
      json: {
        id: "m",
        type: "message",
        content: [{ type: "text", text: "ok" }],
        stop_reason: "end_turn",
      },
    };
    const tried = [
      "claude-opus-5",
      "claude-sonnet-4-5",
      "claude-opus-4-1",
      "claude-3-5-haiku-latest",
    ].map(async (model) => {
      const { bodies } = await ask({ model: `anthropic/${model}` }, () => message);
      return bodies[0]?.["max_tokens"];
    });
    expect(await Promise.all(tried)).toEqual([128_000, 64_000, 32_000, 8192]);
    const { bodies } = await ask({ model: "anthropic/claude-next" }, (body) =>
      Number(body["max_tokens"]) > 16_000
        ? refused(
            "max_tokens: 64000 > 16000, which is the maximum allowed number of output tokens for claude-next",
          )
        : message,
    );
    expect(bodies.map((body) => body["max_tokens"])).toEqual([64_000, 16_000]);
  });

  it("a conversation too long for the window is not sent again", async () => {
    const message =
      "input length and `max_tokens` exceed context limit: 199900 + 8192 > 200000, decrease input length";
    const { bodies, error } = await ask({ model: "anthropic/claude-3-7-sonnet-latest" }, () => ({
      status: 400,
      json: { type: "error", error: { type: "invalid_request_error", message } },
    }));
    expect(error?.code).toBe("context_window_exceeded");
    expect(bodies).toHaveLength(1);
  });

  it("https://github.com/voideditor/void/issues/128: a limit under a forbidden name gets the other name", async () => {
    const text =
      "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 100}]";
    const { bodies, answer } = await ask({ model: "house/gpt-5", maxTokens: 100 }, (body) =>
      "max_completion_tokens" in body
        ? {
            status: 400,
            json: {
              object: "error",
              message: text,
              type: "BadRequestError",
              param: null,
              code: 400,
            },
          }
        : chat(),
    );
    expect(answer?.text).toBe("ok");
    expect(bodies[1]).toMatchObject({ max_tokens: 100 });
  });
});

describe("chunks without choices", () => {
  it.each([
    [
      "https://github.com/XSpoonAi/spoon-core/pull/179",
      { choices: [], usage: { prompt_tokens: 3 } },
    ],
    ["https://github.com/pydantic/pydantic-ai/pull/5170", { choices: null }],
    [
      "https://github.com/AndraxDev/speak-gpt/pull/162",
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
    ],
  ])("%s: change no answer at any place", async (_, chunk) => {
    const { answer } = await ask(STREAM, () =>
      events(chunk, delta({ content: "ok" }), chunk, delta({}, "stop"), chunk, "[DONE]"),
    );
    expect(answer).toMatchObject({ text: "ok", finishReason: "stop" });
  });
});

describe("thoughts", () => {
  it("https://github.com/BerriAI/litellm/issues/20246: come as `reasoning`, and stay out of the answer", async () => {
    const { answer, thoughts } = await ask(STREAM, () =>
      events(delta({ reasoning: "Hm. " }), delta({ content: "ok" }), delta({}, "stop"), "[DONE]"),
    );
    expect({ text: answer?.text, thoughts }).toEqual({ text: "ok", thoughts: "Hm. " });
  });

  it.each([
    [
      "https://github.com/NousResearch/hermes-agent/pull/24107",
      "Invalid signature in thinking block",
    ],
    [
      "https://github.com/anthropics/claude-code/issues/63284",
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    ],
  ])("%s: leaves out refused thoughts", async (_, message) => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "old" };
    const messages: readonly Message[] = [
      USER,
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call_1", name: "look", arguments: "{}" }],
        providerParts: [thinking, { type: "anthropic.tool_use", id: "call_1" }],
      },
      CALLED[2] as Message,
    ];
    const settings = {
      model: "anthropic/claude-sonnet-4-5",
      thinking: { type: "enabled", budgetTokens: 1024 },
    } as const;
    const { bodies, answer } = await ask(
      settings,
      (body) =>
        JSON.stringify(body).includes('"signature"')
          ? {
              status: 400,
              json: { type: "error", error: { type: "invalid_request_error", message } },
            }
          : {
              json: {
                id: "m",
                type: "message",
                content: [{ type: "text", text: "ok" }],
                stop_reason: "end_turn",
              },
            },
      { messages },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies).toHaveLength(2);
  });

  it("https://github.com/ggml-org/llama.cpp/issues/17040: are left out of turns with calls when a template takes only one", async () => {
    const message =
      "Cannot pass both content and thinking in an assistant message with tool calls! at row 290, column 178: {{- raise_exception(...) }}";
    const messages: readonly Message[] = [
      USER,
      {
        role: "assistant",
        content: "I look.",
        toolCalls: [{ id: "call_1", name: "look", arguments: "{}" }],
        providerParts: [{ type: "openai.message", fields: { reasoning_content: "Hm." } }],
      },
      CALLED[2] as Message,
    ];
    const { bodies, answer } = await ask(
      HOUSE,
      (body) =>
        JSON.stringify(body).includes("reasoning_content") ? refused(message, {}, 500) : chat(),
      { messages },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies).toHaveLength(2);
  });
});

describe("calls in a stream", () => {
  const cases: readonly (readonly [string, readonly object[], readonly object[]])[] = [
    [
      "https://github.com/vllm-project/vllm/issues/28806 (no arguments at all)",
      [CALL({ id: "a", function: { name: "now" } })],
      [{ name: "now", arguments: "{}" }],
    ],
    [
      "https://github.com/sgl-project/sglang/issues/23071 (the arguments in a call without a name)",
      [
        CALL({ id: "a", function: { name: "run", arguments: "" } }, 0),
        CALL({ id: null, function: { name: null, arguments: '{"command":"ls"}' } }, 1),
      ],
      [{ name: "run", arguments: '{"command":"ls"}' }],
    ],
    [
      "https://github.com/vllm-project/vllm/issues/51697 (the arguments twice)",
      [
        CALL({ id: "a", function: { name: "see", arguments: '{"city": "Rome"' } }),
        CALL({ function: { arguments: '}{"city": "Rome"}' } }),
      ],
      [{ name: "see", arguments: '{"city": "Rome"}' }],
    ],
    [
      "https://github.com/run-llama/llama_index/pull/23032 (two equal calls)",
      [
        CALL({ function: { name: "roll", arguments: "{}" } }, undefined),
        CALL({ function: { name: "roll", arguments: "{}" } }, undefined),
      ],
      [
        { name: "roll", arguments: "{}" },
        { name: "roll", arguments: "{}" },
      ],
    ],
  ];
  it.each(cases)("%s", async (_, chunks, calls) => {
    const { answer } = await ask(STREAM, () =>
      events(...chunks, delta({}, "tool_calls"), "[DONE]"),
    );
    expect(answer?.toolCalls).toMatchObject(calls);
    expect(answer?.toolCalls).toHaveLength(calls.length);
  });
});

describe("schemas of tools", () => {
  const parameters = {
    type: "object",
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: {
      unit: {
        anyOf: [
          { type: "string", const: "c" },
          { type: "string", const: "f" },
        ],
      },
      additionalProperties: { type: "string" },
      list: {
        type: "array",
        items: { type: "object", additionalProperties: false, properties: {} },
      },
    },
    additionalProperties: false,
  };
  const unknown = (...names: readonly string[]): string =>
    names
      .map(
        (name) =>
          `Invalid JSON payload received. Unknown name "${name}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
      )
      .join("\n");
  it.each([
    ["https://github.com/felinics/Memoh/issues/620", ["additionalProperties"]],
    ["https://github.com/zed-industries/zed/issues/44875", ["const"]],
    ["https://github.com/openswarm-ai/openswarm/issues/24", ["$schema", "additionalProperties"]],
  ])("%s: leaves out keywords unknown to a server, keeps fields", async (_, names) => {
    const tools = [{ name: "t", description: "d", parameters }];
    const { bodies, answer } = await ask(
      { model: "gemini/gemini-3-pro", api: "chat" },
      (body) => {
        const text = JSON.stringify(body);
        const found = names.filter((name) =>
          name === "additionalProperties"
            ? text.includes(`"${name}":false`)
            : text.includes(`"${name}":`),
        );
        return found.length > 0 ? refused(unknown(...found)) : chat();
      },
      { tools },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies.length).toBeLessThanOrEqual(1 + names.length);
    expect(JSON.stringify(bodies.at(-1))).toContain('"additionalProperties":{"type":"string"}');
  });

  it("https://github.com/usestrix/strix/issues/1088: list their properties, even an empty list", async () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object", required: [] } }];
    const { bodies } = await ask(HOUSE, () => chat(), { tools });
    expect(bodies[0]).toMatchObject({
      tools: [{ function: { parameters: { type: "object", properties: {} } } }],
    });
  });

  it("https://github.com/RooCodeInc/Roo-Code/issues/10334: are not strict for some tools alone", async () => {
    const strict = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const tools = [
      { name: "s", description: "d", parameters: strict },
      { name: "t", description: "d", parameters: { type: "object", properties: {} } },
    ];
    const { bodies } = await ask(HOUSE, () => chat(), { tools });
    expect(JSON.stringify(bodies[0])).not.toContain('"strict"');
  });
});

describe("hidden errors of servers", () => {
  it("https://github.com/nodetool-ai/nodetool/pull/5755: an error with HTTP 200 has the status in its body", async () => {
    const answers = await Promise.all(
      [
        { error: { message: "Rate limit exceeded", code: 429 } },
        {
          choices: [
            { finish_reason: "error", error: { message: "Rate limit exceeded", code: 429 } },
          ],
        },
      ].map((json) => ask({ model: "openrouter/x/y" }, () => ({ json }))),
    );
    for (const { error } of answers)
      expect(error).toMatchObject({ code: "model_rate_limited", retryable: true });
  });

  it("https://github.com/decolua/9router/issues/2727: an answer without choices may be tried again", async () => {
    const { error } = await ask(HOUSE, () => ({ json: { id: null, choices: null } }));
    expect(error).toMatchObject({ code: "model_failed", retryable: true });
  });

  it("https://github.com/open-webui/computer/issues/293: the reason is the upstream server's", async () => {
    const raw = "z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly";
    const { error } = await ask({ model: "openrouter/z-ai/glm-5.3-flash" }, () =>
      refused(
        "Provider returned error",
        { code: 429, metadata: { raw, provider_name: "BaseTen" } },
        429,
      ),
    );
    expect(error).toMatchObject({ code: "model_rate_limited", retryable: true });
    expect(error?.message).toContain("temporarily rate-limited upstream");
  });

  it("https://github.com/diegosouzapw/OmniRoute/issues/3044: a reason in JSON is read, and decides", async () => {
    const raw = JSON.stringify({
      error: {
        message: "This model's maximum context length is 8192 tokens",
        type: "invalid_request_error",
      },
    });
    const { error } = await ask({ model: "openrouter/x/y" }, () =>
      refused("Provider returned error", {
        code: 400,
        metadata: { raw, provider_name: "Crucible" },
      }),
    );
    expect(error).toMatchObject({ code: "context_window_exceeded", retryable: false });
  });

  it.each([
    [
      "https://github.com/anomalyco/opencode/issues/24462",
      {
        model: "moonshot/kimi-k2.5",
        status: 429,
        message:
          "Your account org-1 is suspended due to insufficient balance, please recharge your account or check your plan and billing details",
      },
    ],
    [
      "https://github.com/Aider-AI/aider/issues/4851",
      { model: "deepseek/deepseek-chat", status: 400, message: "Insufficient Balance" },
    ],
    [
      "https://github.com/continuedev/continue/issues/9853",
      { model: "deepseek/deepseek-chat", status: 402, message: "Insufficient Balance" },
    ],
  ])("%s: an empty account is final", async (_, { model, status, message }) => {
    const { error } = await ask({ model }, () => refused(message, {}, status));
    expect(error).toMatchObject({ code: "model_rate_limited", retryable: false });
  });

  it.each([
    ["https://github.com/BerriAI/litellm/pull/25078", 503, "model_unavailable"],
    ["https://github.com/continuedev/continue/issues/6185", 429, "model_rate_limited"],
  ])("%s: a server without room may be asked later (%d)", async (_, status, code) => {
    const { error } = await ask({ model: "mistral/codestral-latest" }, () => ({
      status,
      json: {
        object: "error",
        message: "Service tier capacity exceeded for this model.",
        type: "invalid_request_error",
        param: null,
        code: null,
      },
    }));
    expect(error).toMatchObject({ code, retryable: true });
  });
});

describe("errors in the middle of a stream", () => {
  const failing = (event: object): Promise<Asked> =>
    ask(STREAM, () => events(delta({ content: "Half" }), event, "[DONE]"));

  it("https://github.com/unslothai/unsloth/pull/9390: keep their reason, and decide", async () => {
    const message =
      "request (2358 tokens) exceeds the available context size (2048 tokens), try increasing it";
    const { error } = await failing({
      error: { code: 400, message, type: "exceed_context_size_error" },
    });
    expect(error).toMatchObject({ code: "context_window_exceeded", retryable: false });
    expect(error?.message).toContain("2358 tokens");
  });

  it("https://github.com/NousResearch/hermes-agent/issues/68451: are known by other names", async () => {
    const { error } = await failing({
      error_type: "context_length_exceeded",
      error_message: "This model's maximum context length is 163840 tokens.",
    });
    expect(error).toMatchObject({ code: "context_window_exceeded" });
  });

  it("https://github.com/odysseus-dev/odysseus/pull/736: a failing template is final", async () => {
    const { error } = await failing({ error: "Error rendering prompt with jinja template" });
    expect(error).toMatchObject({ code: "model_rejected", retryable: false });
  });

  it("https://github.com/apache/rocketmq-dashboard/issues/2178: are not an empty answer", async () => {
    const { error } = await failing({ error: { message: "quota exceeded" } });
    expect(error).toMatchObject({ code: "model_failed", retryable: true });
    expect(error?.message).toContain("quota exceeded");
  });

  it.each([
    { type: "error", code: "context_length_exceeded", message: "", param: "input" },
    {
      type: "error",
      error: { code: "context_length_exceeded", message: "", type: "invalid_request_error" },
    },
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "context_length_exceeded", message: "" } },
    },
  ])(
    "https://github.com/maximhq/bifrost/issues/4413: a code counts when there is no message: %j",
    async (event) => {
      const settings = { model: "openai/gpt-5", api: "responses", stream: true } as const;
      const { error } = await ask(settings, () => events(event));
      expect(error).toMatchObject({ code: "context_window_exceeded", retryable: false });
    },
  );
});

describe("messages refused by servers", () => {
  it.each([
    [
      "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/261",
      "Invalid 'content': 'content' field must be a string or an array of objects.",
    ],
    [
      "https://github.com/SAIL-Research-Lab/cheetahclaws/pull/72",
      "invalid message content type: <nil>",
    ],
  ])("%s: calls without words have an empty text", async (_, message) => {
    const { bodies, answer } = await ask(
      HOUSE,
      (body) => (JSON.stringify(body).includes('"content":null') ? refused(message) : chat()),
      { messages: CALLED },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies).toHaveLength(2);
  });

  it("https://github.com/tashfeenahmed/freellmapi/issues/165: an answer without words or calls is not sent", async () => {
    const messages: readonly Message[] = [USER, { role: "assistant", content: "" }, USER];
    const { bodies } = await ask(HOUSE, () => chat(), { messages });
    expect(JSON.stringify(bodies[0])).not.toContain("assistant");
  });

  it.each([
    ["https://github.com/crewAIInc/crewAI/issues/1633", "system"],
    ["https://github.com/agno-agi/agno/issues/1770", "developer"],
  ])("%s: a role unknown to a model becomes the user's", async (_, role) => {
    const message = `Unsupported value: 'messages[0].role' does not support '${role}' with this model.`;
    const { bodies, answer } = await ask(
      { model: role === "system" ? "house/prod" : "house/o1" },
      (body) =>
        JSON.stringify(body).includes(`"role":"${role}"`)
          ? refused(message, { param: "messages[0].role", code: "unsupported_value" })
          : chat(),
      { messages: [{ role: "system", content: "Be brief." }, USER] },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies[1]).toMatchObject({
      messages: [{ role: "user", content: "Be brief.\n\nHello" }],
    });
  });

  it("https://github.com/ggml-org/llama.cpp/issues/20733: system messages go to the beginning", async () => {
    const message =
      "Unable to generate parser for this template: System message must be at the beginning. {{- raise_exception('System message must be at the beginning.') }}";
    const { bodies, answer } = await ask(
      HOUSE,
      (body) => {
        const roles = (body["messages"] as readonly JsonObject[]).map((each) => each["role"]);
        return roles.lastIndexOf("system") > 0 ? refused(message, { code: 500 }, 500) : chat();
      },
      {
        messages: [
          { role: "system", content: "Be brief." },
          USER,
          { role: "system", content: "Answer in English." },
        ],
      },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies[1]).toMatchObject({
      messages: [{ role: "system", content: "Be brief.\n\nAnswer in English." }, { role: "user" }],
    });
  });

  const RESPONSE: Served = {
    json: {
      id: "r",
      object: "response",
      status: "completed",
      output: [{ type: "message", id: "m", content: [{ type: "output_text", text: "ok" }] }],
    },
  };
  const thought = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "x" };
  const THOUGHT: readonly Message[] = [
    USER,
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "call_1", name: "look", arguments: "{}" }],
      providerParts: [
        { type: "openai.item", item: thought },
        { type: "openai.call", callId: "call_1", id: "fc_1" },
      ],
    },
    CALLED[2] as Message,
  ];
  it.each([
    [
      "https://github.com/continuedev/continue/issues/8933",
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
    [
      "https://github.com/continuedev/continue/issues/11994",
      "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    ],
  ])("%s: leaves out reasoning that does not fit its neighbours", async (_, message) => {
    const { bodies, answer } = await ask(
      { model: "openai/gpt-5", api: "responses" },
      (body) =>
        /"(?:rs|fc)_1"/.test(JSON.stringify(body["input"]))
          ? refused(message, { param: "input" })
          : RESPONSE,
      { messages: THOUGHT },
    );
    expect(answer?.text).toBe("ok");
    expect(bodies).toHaveLength(2);
  });

  it("https://github.com/newo-ether/Agora/issues/141: reasoning keeps its empty summary", async () => {
    const { bodies } = await ask({ model: "openai/gpt-5", api: "responses" }, () => RESPONSE, {
      messages: THOUGHT,
    });
    expect(bodies[0]?.["input"]).toContainEqual(thought);
  });
});

describe("ends of streams", () => {
  it.each([
    ["https://github.com/waybarrios/vllm-mlx/issues/628", null],
    ["https://github.com/jakobdylanc/llmcord/issues/84", undefined],
  ])("%s: the end sign replaces a missing reason", async (_, reason) => {
    const { answer } = await ask(STREAM, () => events(delta({ content: "ok" }, reason), "[DONE]"));
    expect(answer).toMatchObject({ text: "ok", finishReason: "stop" });
  });

  it("https://github.com/earendil-works/pi/issues/8473: a stream without reason and sign is not an answer", async () => {
    const { error } = await ask(STREAM, () => events(delta({ content: "The first ha" })));
    expect(error).toMatchObject({ code: "model_failed", retryable: true });
  });

  it.each([
    "https://github.com/sgl-project/sglang/issues/3912",
    "https://github.com/ollama/ollama/issues/4357",
  ])("%s: an empty reason is ignored", async () => {
    const cut = await ask(STREAM, () => events(delta({ content: "The first ha" }, "")));
    expect(cut.error).toMatchObject({ code: "model_failed", retryable: true });
    const whole = await ask(STREAM, () =>
      events(delta({ content: "o" }, ""), delta({ content: "k" }, "stop"), "[DONE]"),
    );
    expect(whole.answer).toMatchObject({ text: "ok", finishReason: "stop" });
  });

  it("https://github.com/earendil-works/pi/issues/2107: `end` is an end", async () => {
    const { answer } = await ask(HOUSE, () => chat({ content: "ok" }, "end"));
    expect(answer).toMatchObject({ text: "ok", finishReason: "stop" });
  });
});
