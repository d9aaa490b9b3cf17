// What one provider does differently from the next: the real SDKs against a server that speaks all wire forms.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type {
  CallOptions,
  ContentPart,
  LanguageModel,
  Message,
  ModelRequest,
  ModelResponse,
  ToolCallDelta,
  ToolSpec,
} from "../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import {
  startModelServer,
  type ModelServer,
  type ServedReply,
  type ServedRequest,
} from "../../support/model-server.ts";

let server: ModelServer;
let reply: (request: ServedRequest) => ServedReply | string = () => "ok";

beforeAll(async () => {
  server = await startModelServer({ reply: (request) => reply(request) });
});
afterAll(() => server.stop());
beforeEach(() => {
  reply = () => "ok";
});

const HELLO: ModelRequest = { messages: [{ role: "user", content: "Hello?" }] };

const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  parameters: {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
    additionalProperties: false,
  },
});

function model(settings: Partial<ModelSettings> & { readonly model: string }): LanguageModel {
  const variables = {
    OPENAI_API_KEY: "k",
    ANTHROPIC_API_KEY: "k",
    MISTRAL_API_KEY: "k",
    GEMINI_API_KEY: "k",
    PERPLEXITY_API_KEY: "k",
    OPENAI_BASE_URL: `${server.url}/v1`,
    MISTRAL_BASE_URL: `${server.url}/v1`,
    GEMINI_BASE_URL: `${server.url}/v1`,
    PERPLEXITY_BASE_URL: `${server.url}/v1`,
    OLLAMA_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
  };
  return resolveModel(settings, { variables });
}

/** OpenAI's own address, as far as the model knows. */
function atOpenAI(settings: Partial<ModelSettings> & { readonly model: string }): LanguageModel {
  return resolveModel(settings, {
    variables: { OPENAI_API_KEY: "k" },
    fetch: (input, init) =>
      fetch(new Request(input).url.replace("https://api.openai.com", server.url), init),
  });
}

function ask(
  asked: LanguageModel,
  request: Partial<ModelRequest> = {},
  options: Partial<CallOptions> = {},
): Promise<ModelResponse> {
  return asked.generate(
    { ...HELLO, ...request },
    { signal: AbortSignal.timeout(20_000), ...options },
  );
}

function lastBody(): ServedRequest["body"] {
  const last = server.calls.at(-1);
  if (last === undefined) throw new Error("the server had no call");
  return last.body;
}

/** The conversation goes on after tool calls. */
function goOn({ text, toolCalls, providerParts }: ModelResponse): Message[] {
  return [
    ...HELLO.messages,
    {
      role: "assistant",
      content: text,
      toolCalls,
      ...(providerParts ? { providerParts } : {}),
    },
    ...toolCalls.map(({ id, name }): Message => {
      return { role: "tool", toolCallId: id, toolName: name, content: `result ${id}` };
    }),
  ];
}

const FORMS = [
  { form: "chat", settings: { model: "openai/gpt-4.1" } },
  { form: "responses", settings: { model: "openai/gpt-4.1", api: "responses" } },
  { form: "anthropic", settings: { model: "anthropic/claude-haiku-4-5" } },
] as const;

describe.each(FORMS)("$form", ({ form, settings }) => {
  it("separates thoughts from the answer during the stream", async () => {
    const thoughts: string[] = [];
    const texts: string[] = [];
    reply = () => ({ thinking: { text: "Let me see.", signature: "s" }, text: "It is four." });
    const { text } = await ask(model(settings), undefined, {
      onThinking: (piece) => thoughts.push(piece),
      onDelta: (piece) => texts.push(piece),
    });
    expect(thoughts).toEqual(["Let ", "me ", "see."]);
    expect(texts.join("")).toBe("It is four.");
    expect(text).toBe("It is four.");
  });

  it("streams for listeners of only thoughts or tool calls", async () => {
    await ask(model(settings), undefined, { onThinking: () => undefined });
    expect(server.calls.at(-1)?.stream).toBe(true);
  });

  it("passes tool calls piece by piece, each with its index", async () => {
    const pieces: ToolCallDelta[] = [];
    reply = () => ({
      text: "Looking.",
      toolCalls: [
        { name: "search", arguments: { query: "Rome" }, id: "a" },
        { name: "search", arguments: { query: "Oslo" }, id: "b" },
      ],
    });
    const { toolCalls } = await ask(
      model(settings),
      { tools: [tool("search")] },
      { onToolDelta: (piece) => pieces.push(piece) },
    );
    const joined = [0, 1].map((index) => {
      const own = pieces.filter((piece) => piece.index === index);
      return {
        id: own.at(-1)?.id,
        name: own[0]?.name,
        arguments: own.map((piece) => piece.arguments).join(""),
      };
    });
    expect(joined).toEqual(toolCalls);
    expect(pieces.length).toBeGreaterThan(4);
  });

  it("gives a thinking turn back as it came, streamed or whole", async () => {
    reply = () => ({
      thinking: { text: "Hm.", signature: "sig" },
      text: "Looking.",
      toolCalls: [{ name: "search", arguments: { query: "x" }, id: "c1" }],
    });
    const sent: string[] = [];
    for (const listening of [{}, { onDelta: () => undefined }]) {
      const talking = model(settings);
      const first = await ask(talking, { tools: [tool("search")] }, listening);
      await ask(talking, { messages: goOn(first), tools: [tool("search")] });
      sent.push(JSON.stringify(server.calls.at(-1)?.messages).replaceAll(/_\d+/g, "_n"));
    }
    expect(sent[0]).toBe(sent[1]);
    expect(sent[0]).toContain("Hm.");
    expect(sent[0]?.includes('"sig"')).toBe(form !== "chat");
  });

  it("counts tokens read from and written to a prompt cache", async () => {
    reply = () => ({ text: "ok", promptTokens: 100, cachedTokens: 60, cacheCreationTokens: 30 });
    const { usage } = await ask(model(settings));
    expect(usage.cachedPromptTokens).toBe(60);
    expect(usage.cacheCreationTokens).toBe(form === "chat" ? 0 : 30);
  });

  it("sends cache breakpoints to Anthropic and drops them elsewhere", async () => {
    await ask(model(settings), {
      messages: [
        { role: "system", content: "Be brief.", cacheBreakpoint: true },
        { role: "user", content: "Hello", cacheBreakpoint: true },
      ],
    });
    const text = JSON.stringify(lastBody());
    expect(text).not.toContain("cacheBreakpoint");
    expect(text.match(/"cache_control":\{"type":"ephemeral"\}/g) ?? []).toHaveLength(
      form === "anthropic" ? 2 : 0,
    );
  });

  it("sends images and files", async () => {
    const content: ContentPart[] = [
      { type: "text", text: "What is this?" },
      { type: "image", url: "https://a.test/cat.png" },
      { type: "image", data: "aGk=", mediaType: "image/png" },
      { type: "file", name: "a.pdf", data: "JVBERg==", mediaType: "application/pdf" },
      { type: "file", name: "a.txt", data: btoa("plain words"), mediaType: "text/plain" },
    ];
    await ask(model(settings), { messages: [{ role: "user", content }] });
    expect(server.calls.at(-1)?.messages.at(-1)?.content).toEqual(PARTS[form]);
  });

  it("refuses images for a model without vision, before any request", async () => {
    const before = server.calls.length;
    const call = ask(model({ ...settings, vision: false }), {
      messages: [{ role: "user", content: [{ type: "image", url: "https://a.test/cat.png" }] }],
    });
    await expect(call).rejects.toMatchObject({
      code: "model_rejected",
      message: expect.stringContaining("accepts text only") as string,
    });
    expect(server.calls.length).toBe(before);
  });

  it("shows requests and responses to the interceptor, and uses its changes", async () => {
    const seen: string[] = [];
    const intercepted = model({
      ...settings,
      interceptor: {
        onOutbound: async (request) => {
          seen.push(`${request.method} ${new URL(request.url).pathname}`);
          const headers = new Headers(request.headers);
          headers.set("x-tenant", "acme");
          return new Request(request, { headers });
        },
        onInbound: async (response) => {
          seen.push(String(response.status));
          const text = await response.text();
          return new Response(text.replaceAll("ok", "changed"), response);
        },
      },
    });
    expect((await ask(intercepted)).text).toBe("changed");
    expect(seen).toEqual([expect.stringMatching(/^POST \/v1\//), "200"]);
    expect(server.calls.at(-1)?.headers["x-tenant"]).toBe("acme");
  });

  it("gives answers the shape in the settings, unless the call has another", async () => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    };
    const shaped = model({ ...settings, responseFormat: schema });
    await ask(shaped);
    expect(JSON.stringify(lastBody())).toContain('"name":{"type":"string"}');
    const other = { ...schema, properties: { age: { type: "number" } }, required: ["age"] };
    await ask(shaped, { responseSchema: { name: "other", schema: other } });
    expect(JSON.stringify(lastBody())).toContain('"age"');
    expect(JSON.stringify(lastBody())).not.toContain('"name":{"type"');
  });
});

const PARTS = {
  chat: [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: "https://a.test/cat.png" } },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    {
      type: "file",
      file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
    },
    { type: "text", text: '<file name="a.txt">\nplain words\n</file>' },
  ],
  responses: [
    { type: "input_text", text: "What is this?" },
    { type: "input_image", image_url: "https://a.test/cat.png", detail: "auto" },
    { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" },
    {
      type: "input_file",
      filename: "a.pdf",
      file_data: "data:application/pdf;base64,JVBERg==",
    },
    { type: "input_text", text: '<file name="a.txt">\nplain words\n</file>' },
  ],
  anthropic: [
    { type: "text", text: "What is this?" },
    { type: "image", source: { type: "url", url: "https://a.test/cat.png" } },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
    },
    { type: "text", text: '<file name="a.txt">\nplain words\n</file>' },
  ],
};

describe("stop words a model refuses", () => {
  it.each([{ model: "openai/gpt-5-mini" }, { model: "openai/gpt-4.1", api: "responses" as const }])(
    "cut the answer of %o here, streamed or not",
    async (settings) => {
      reply = () => ({ text: "Thought: x\nObservation: made up\nEND" });
      const stop = ["END", "\nObservation:"];
      expect((await ask(model(settings), { stop })).text).toBe("Thought: x");
      const heard: string[] = [];
      const streamed = await ask(
        model(settings),
        { stop },
        { onDelta: (piece) => heard.push(piece) },
      );
      expect(streamed.text).toBe("Thought: x");
      expect(heard.join("")).toBe("Thought: x");
      expect(JSON.stringify(lastBody())).not.toContain("Observation");
    },
  );

  it("are found out once, then cut here", async () => {
    reply = ({ body }) =>
      "stop" in body
        ? { status: 400, error: "Unsupported parameter: 'stop' is not supported with this model." }
        : "one END two";
    const learning = model({ model: "openai/house-1" });
    const before = server.calls.length;
    expect((await ask(learning, { stop: ["END"] })).text).toBe("one");
    expect((await ask(learning, { stop: ["END"] })).text).toBe("one");
    expect(server.calls.length - before).toBe(3);
  });
});

describe("refusals of an endpoint", () => {
  const onlyResponses =
    "This model is only supported in v1/responses and not in v1/chat/completions.";
  const noEffort =
    "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. " +
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

  it("sends a model of the Responses API there at once, and from then on", async () => {
    reply = ({ dialect }) =>
      dialect === "openai" ? { status: 404, error: onlyResponses } : "from responses";
    const learning = model({ model: "openai/gpt-5-codex" });
    const before = server.calls.length;
    expect((await ask(learning, undefined, { idempotencyKey: "k-1" })).text).toBe("from responses");
    expect((await ask(learning)).text).toBe("from responses");
    const calls = server.calls.slice(before);
    expect(calls.map(({ dialect }) => dialect)).toEqual(["openai", "responses", "responses"]);
    expect(calls.slice(0, 2).map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k-1", "k-1"]);
  });

  it("stays with chat completions when the settings say so", async () => {
    reply = () => ({ status: 404, error: onlyResponses });
    const before = server.calls.length;
    const call = ask(model({ model: "openai/gpt-5-codex", api: "chat" }));
    await expect(call).rejects.toMatchObject({ code: "model_rejected" });
    expect(server.calls.length - before).toBe(1);
  });

  it("gives up the reasoning effort beside tools, and only there", async () => {
    reply = ({ body }) =>
      "tools" in body && body["reasoning_effort"] !== "none"
        ? { status: 400, error: noEffort }
        : "fine";
    const learning = model({ model: "openai/gpt-5.6-sol", reasoningEffort: "high" });
    const before = server.calls.length;
    expect((await ask(learning, { tools: [tool("search")] })).text).toBe("fine");
    await ask(learning, { tools: [tool("search")] });
    await ask(learning);
    const efforts = server.calls.slice(before).map(({ body }) => body["reasoning_effort"]);
    expect(efforts).toEqual(["high", "none", "none", "high"]);
  });

  it("keeps the effort by the Responses API at OpenAI itself", async () => {
    reply = ({ dialect }) => (dialect === "openai" ? { status: 400, error: noEffort } : "fine");
    const learning = atOpenAI({ model: "openai/gpt-5.6-sol", reasoningEffort: "high" });
    expect((await ask(learning, { tools: [tool("search")] })).text).toBe("fine");
    expect(lastBody()).toMatchObject({ reasoning: { effort: "high" } });
    const chat = atOpenAI({ model: "openai/gpt-5.6-sol", reasoningEffort: "high", api: "chat" });
    const call = ask(chat, { tools: [tool("search")] });
    await expect(call).rejects.toMatchObject({ code: "model_rejected" });
    // The setting is left out where its value "none" is refused, too (RFP1).
    expect(lastBody()).not.toHaveProperty("reasoning_effort");
  });

  it("makes user and assistant alternate for models that need it", async () => {
    const talk: Message[] = [
      { role: "system", content: "S" },
      { role: "user", content: "A" },
      { role: "user", content: "B" },
      { role: "assistant", content: "C" },
    ];
    reply = ({ messages }) =>
      messages.some(({ role }, index) => role === messages[index + 1]?.role)
        ? { status: 400, error: "Conversation roles must alternate user/assistant/user/assistant" }
        : "fine";
    expect((await ask(model({ model: "openai/gemma-2" }), { messages: talk })).text).toBe("fine");
    expect(lastBody()["messages"]).toEqual([
      { role: "system", content: "S" },
      { role: "user", content: "A\n\nB" },
      { role: "assistant", content: "C" },
    ]);
  });

  it("gives the error to the caller when the lesson does not help", async () => {
    reply = () => ({ status: 400, error: onlyResponses });
    const before = server.calls.length;
    await expect(ask(model({ model: "openai/gpt-5-codex" }))).rejects.toMatchObject({
      code: "model_rejected",
    });
    expect(server.calls.length - before).toBe(2);
  });
});

describe("roles", () => {
  const endsWithAssistant: Message[] = [
    { role: "system", content: "S" },
    { role: "assistant", content: "I am here." },
  ];

  it.each([
    ["openai/gpt-4.1", ["system", "assistant"]],
    ["mistral/mistral-small", ["system", "assistant", "user"]],
    ["ollama/llama3", ["system", "assistant", "user"]],
    ["perplexity/sonar", ["system", "user", "assistant", "user"]],
    ["openai/o1", ["developer", "assistant"]],
    ["openai/o1-mini", ["assistant", "assistant"]],
  ])("%s gets %j", async (name, roles) => {
    await ask(model({ model: name }), { messages: endsWithAssistant });
    expect(server.calls.at(-1)?.messages.map(({ role }) => role)).toEqual(roles);
  });
});

describe("the Responses API", () => {
  const settings = { model: "openai/gpt-5-mini", api: "responses" } as const;

  it("depends on no provider storage", async () => {
    await ask(
      model({ ...settings, maxTokens: 50, reasoningEffort: "low", instructions: "Always." }),
      {
        messages: [{ role: "system", content: "Be brief." }, ...HELLO.messages],
        tools: [tool("search")],
        responseSchema: {
          name: "a b",
          schema: { type: "object", properties: {}, additionalProperties: false },
        },
      },
    );
    expect(lastBody()).toEqual({
      model: "gpt-5-mini",
      store: false,
      stream: false,
      include: ["reasoning.encrypted_content"],
      instructions: "Always.\n\nBe brief.",
      input: [{ role: "user", content: "Hello?" }],
      max_output_tokens: 50,
      reasoning: { effort: "low" },
      tools: [
        {
          type: "function",
          name: "search",
          description: "Does search.",
          parameters: tool("search").parameters,
          strict: true,
        },
      ],
      text: {
        format: {
          type: "json_schema",
          name: "a_b",
          strict: true,
          schema: expect.any(Object) as object,
        },
      },
    });
  });

  it("gives the model its own items back in their order, with the results of its calls", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    reply = () => ({
      thinking: { text: "Hm.", signature: "enc" },
      parts: [search],
      text: "Looking.",
      toolCalls: [{ name: "search", arguments: { query: "x" }, id: "c1" }],
    });
    const talking = model(settings);
    const first = await ask(talking, { tools: [tool("search")] });
    await ask(talking, { messages: goOn(first), tools: [tool("search")] });
    const input = server.calls.at(-1)?.messages as readonly { type?: string }[];
    expect(input.map(({ type }) => type)).toEqual([
      undefined,
      "reasoning",
      "web_search_call",
      "message",
      "function_call",
      "function_call_output",
    ]);
    expect(input[1]).toMatchObject({ encrypted_content: "enc" });
    expect(input[4]).toMatchObject({ call_id: "c1", arguments: '{"query":"x"}' });
    expect(input[5]).toMatchObject({ call_id: "c1", output: "result c1" });

    await ask(model({ ...settings, autoChainReasoning: false }), { messages: goOn(first) });
    expect(JSON.stringify(lastBody())).not.toContain("reasoning");
  });

  it("returns the activity of the provider's own tools on request", async () => {
    const call = { type: "code_interpreter_call", id: "ci_1", code: "1+1", outputs: [] };
    reply = () => ({ parts: [call], text: "2" });
    const builtin = model({
      ...settings,
      builtinTools: [
        "web_search",
        "code_interpreter",
        { type: "file_search", vectorStoreIds: ["vs_1"] },
      ],
      include: ["file_search_call.results"],
      parseToolOutputs: true,
    });
    expect((await ask(builtin)).builtinToolCalls).toEqual([call]);
    expect(lastBody()).toMatchObject({
      include: ["file_search_call.results", "reasoning.encrypted_content"],
      tools: [
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto" } },
        { type: "file_search", vector_store_ids: ["vs_1"] },
      ],
    });
    expect(await ask(model(settings))).not.toHaveProperty("builtinToolCalls");
  });

  it("lets a tool of the agent's be the computer", async () => {
    const call = {
      type: "computer_call",
      id: "cu_1",
      call_id: "c9",
      status: "completed",
      actions: [{ type: "screenshot" }],
      pending_safety_checks: [],
    };
    reply = () => ({ parts: [call] });
    const talking = model({ ...settings, builtinTools: ["computer_use"] });
    const first = await ask(talking, { tools: [tool("computer_use"), tool("search")] });
    expect(first.toolCalls).toEqual([
      { id: "c9", name: "computer_use", arguments: '{"actions":[{"type":"screenshot"}]}' },
    ]);
    expect((lastBody()["tools"] as { type: string }[]).map(({ type }) => type)).toEqual([
      "computer",
      "function",
    ]);
    await ask(talking, { messages: goOn(first) });
    expect(server.calls.at(-1)?.messages.slice(1)).toEqual([
      call,
      {
        type: "computer_call_output",
        call_id: "c9",
        output: { type: "computer_screenshot", image_url: "result c9" },
      },
    ]);
  });

  it("continues from the stored response, and with the whole conversation when it is lost", async () => {
    const talking = model({ ...settings, autoChain: true });
    reply = () => ({ toolCalls: [{ name: "search", arguments: { query: "x" }, id: "c1" }] });
    const first = await ask(talking, { tools: [tool("search")] });
    expect(lastBody()).toMatchObject({ store: true });
    expect(lastBody()).not.toHaveProperty("include");
    const messages = goOn(first);

    reply = () => "Done.";
    await ask(talking, { messages });
    expect(lastBody()["previous_response_id"]).toBe(first.responseId);
    expect(server.calls.at(-1)?.messages).toEqual([
      { type: "function_call_output", call_id: "c1", output: "result c1" },
    ]);

    reply = ({ body }) =>
      "previous_response_id" in body
        ? { status: 400, error: `Previous response with id '${first.responseId}' not found.` }
        : "Whole.";
    expect((await ask(talking, { messages })).text).toBe("Whole.");
    expect(server.calls.at(-1)?.messages).toHaveLength(3);
  });

  it("marks an answer as cut", async () => {
    reply = () => ({ text: "half", stopReason: "max_output_tokens" });
    const cut = { text: "half", finishReason: "length", end: "cut" };
    expect(await ask(model(settings))).toMatchObject(cut);
    expect(await ask(model(settings), undefined, { onDelta: () => undefined })).toMatchObject(cut);
  });

  it("WA2: fails when a filter cut the answer", async () => {
    reply = () => ({ text: "half", stopReason: "content_filter" });
    const filtered = { code: "content_filtered", retryable: false };
    await expect(ask(model(settings))).rejects.toMatchObject(filtered);
    await expect(
      ask(model(settings), undefined, { onDelta: () => undefined }),
    ).rejects.toMatchObject(filtered);
  });
});

describe("Anthropic", () => {
  const settings = { model: "anthropic/claude-sonnet-5" } as const;

  it("puts tools behind a search from two on", async () => {
    const searching = model({ ...settings, toolSearch: true });
    await ask(searching, { tools: [tool("one")] });
    expect(lastBody()["tools"]).toHaveLength(1);
    await ask(searching, { tools: [tool("one"), tool("two")] });
    expect(lastBody()["tools"]).toMatchObject([
      { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
      { name: "one", defer_loading: true },
      { name: "two", defer_loading: true },
    ]);
    await ask(model({ ...settings, toolSearch: "regex" }), { tools: [tool("one"), tool("two")] });
    expect(lastBody()["tools"]).toMatchObject([{ name: "tool_search_tool_regex" }, {}, {}]);
  });

  it.each([{ way: "whole" }, { way: "streamed", onDelta: () => undefined }])(
    "gives back which tools it had found, $way",
    async ({ onDelta }) => {
      const found = [
        {
          type: "server_tool_use",
          id: "st_1",
          name: "tool_search_tool_bm25",
          input: { query: "x" },
        },
        { type: "tool_search_tool_result", tool_use_id: "st_1", content: { tool_references: [] } },
      ];
      reply = () => ({
        parts: found,
        text: "Found it.",
        toolCalls: [{ name: "one", arguments: { query: "x" }, id: "c1" }],
      });
      const talking = model({ ...settings, toolSearch: true });
      const first = await ask(talking, { tools: [tool("one"), tool("two")] }, { onDelta });
      await ask(talking, { messages: goOn(first) });
      expect(server.calls.at(-1)?.messages[1]?.content).toEqual([
        ...found,
        { type: "text", text: "Found it." },
        { type: "tool_use", id: "c1", name: "one", input: { query: "x" } },
      ]);
    },
  );

  it("takes the words of others for the effort", async () => {
    const sent = async (reasoningEffort: string): Promise<unknown> => {
      await ask(model({ ...settings, reasoningEffort }));
      return lastBody()["output_config"];
    };
    expect(await sent("high")).toEqual({ effort: "high" });
    expect(await sent("minimal")).toEqual({ effort: "low" });
    expect(await sent("none")).toBeUndefined();
  });
});

it("asks Gemini for its thoughts", async () => {
  await ask(
    model({ model: "gemini/gemini-2.5-flash", thinking: { type: "enabled", budgetTokens: 500 } }),
  );
  expect(lastBody()["extra_body"]).toEqual({
    google: { thinking_config: { include_thoughts: true, thinking_budget: 500 } },
  });
});
