// Refusals in the words of providers, each taken from a public report or a reference.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Message, ModelRequest } from "../../../src/llm/language-model.ts";
import { refusedPart } from "../../../src/llm/known-refusals.ts";
import { resolveModel, type ModelSpec } from "../../../src/llm/resolve-model.ts";

const signal = new AbortController().signal;
const variables = {
  OPENAI_API_KEY: "k",
  ANTHROPIC_API_KEY: "k",
  AZURE_API_KEY: "k",
  GROQ_API_KEY: "k",
  DASHSCOPE_API_KEY: "k",
};

type Body = Readonly<Record<string, unknown>>;
type Refuses = (body: Body) => string | undefined;

const COMPLETION = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };
const MESSAGE = {
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

/** A server that refuses some requests, and the requests that it got for two calls of one model. */
async function sent(
  llm: ModelSpec,
  refuses: Refuses,
  request: Partial<ModelRequest> = {},
): Promise<Body[]> {
  const bodies: Body[] = [];
  const model = resolveModel(llm, {
    variables,
    fetch: async (input, init) => {
      const asked = new Request(input, init);
      const body = (await asked.json()) as Body;
      bodies.push(body);
      const message = refuses(body);
      const type = "invalid_request_error";
      if (message !== undefined)
        return Response.json({ error: { message, type } }, { status: 400 });
      if (body["stream"] === true)
        return new Response(
          'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        );
      return Response.json(asked.url.includes("/messages") ? MESSAGE : COMPLETION);
    },
  });
  for (let call = 0; call < 2; call++) {
    const messages: Message[] = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Go" },
    ];
    const { text } = await model.generate({ messages, ...request }, { signal });
    expect(text).toBe("ok");
  }
  return bodies;
}

const when =
  (name: string, message: string): Refuses =>
  (body) =>
    name in body ? message : undefined;

describe("RFP1, RFP2: a setting refused by a model is left out, and not sent again", () => {
  it.each<[string, ModelSpec, string]>([
    [
      "temperature",
      { model: "openai/gpt-5", temperature: 0.2 },
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    ],
    [
      "temperature",
      {
        model: "anthropic/claude-sonnet-4-5",
        temperature: 0.3,
        thinking: { type: "enabled", budgetTokens: 1024 },
      },
      "`temperature` may only be set to 1 when thinking is enabled.",
    ],
    [
      "temperature",
      { model: "anthropic/claude-next", temperature: 0.3 },
      "`temperature` is deprecated for this model.",
    ],
    ["seed", { model: "groq/llama", seed: 7 }, "property 'seed' is unsupported"],
    [
      "presence_penalty",
      { model: "openai/x", presencePenalty: 1 },
      "Unrecognized request argument supplied: presence_penalty",
    ],
    ["n", { model: "groq/llama", n: 2 }, "'n' : number must be at most 1: not supported"],
  ])("%s: %j", async (name, llm, message) => {
    const bodies = await sent(llm, when(name, message));
    expect(bodies.map((body) => name in body)).toEqual([true, false, false]);
  });

  it("top_p, when it may not stand beside temperature", async () => {
    const message =
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
    const bodies = await sent(
      { model: "anthropic/claude-sonnet-4-5", temperature: 0.3, topP: 0.9 },
      (body) => ("temperature" in body && "top_p" in body ? message : undefined),
    );
    expect(bodies.map(({ temperature, top_p }) => [temperature, top_p])).toEqual([
      [0.3, 0.9],
      [0.3, undefined],
      [0.3, undefined],
    ]);
  });

  it("max_tokens has another name behind a deployment", async () => {
    const bodies = await sent(
      { model: "azure/prod-chat", baseUrl: "https://x.test", maxTokens: 500 },
      when(
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
    );
    expect(bodies.map((body) => body["max_completion_tokens"])).toEqual([undefined, 500, 500]);
  });
});

describe("RFP1: the form of an answer", () => {
  const responseSchema = {
    name: "answer",
    schema: {
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
      additionalProperties: false,
    } as JsonObject,
  };
  const typeOf = (body: Body): unknown =>
    (body["response_format"] as { readonly type?: unknown } | undefined)?.type;

  it("is JSON when a model has no schema", async () => {
    const bodies = await sent(
      "groq/llama-3.3-70b-versatile",
      (body) =>
        typeOf(body) === "json_schema"
          ? "This model does not support response format `json_schema`."
          : undefined,
      { responseSchema },
    );
    expect(bodies.map(typeOf)).toEqual(["json_schema", "json_object", "json_object"]);
  });

  it("is in words alone when a server has neither", async () => {
    const bodies = await sent(
      { model: "openai/x", baseUrl: "https://x.test" },
      (body) =>
        typeOf(body) === undefined
          ? undefined
          : `guided decoding is not supported: response_format ${String(typeOf(body))}`,
      { responseSchema },
    );
    expect(bodies.map(typeOf)).toEqual(["json_schema", "json_object", undefined, undefined]);
  });

  it("is a non-binding schema when a strict one is refused", async () => {
    const strict = (body: Body): unknown =>
      (body["response_format"] as { json_schema?: { strict?: boolean } }).json_schema?.strict;
    const bodies = await sent(
      "openai/gpt-4o",
      (body) =>
        strict(body) === true
          ? "Invalid schema for response_format 'answer': 'strict' is not allowed here."
          : undefined,
      { responseSchema },
    );
    expect(bodies.map(strict)).toEqual([true, false, false]);
  });
});

describe("RFP1: the conversation", () => {
  it("begins with the system's words as the user's when the model has no system role", async () => {
    const bodies = await sent(
      { model: "openai/gemma", baseUrl: "https://x.test" },
      ({ messages }) =>
        JSON.stringify(messages).includes('"system"')
          ? "Developer instruction is not enabled for models/gemma-3-27b-it"
          : undefined,
    );
    expect(bodies).toHaveLength(3);
    expect(bodies.at(-1)?.["messages"]).toEqual([{ role: "user", content: "Be kind.\n\nGo" }]);
  });

  it("names its tools when calls without tools are refused", async () => {
    const messages: Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "look", arguments: "{}" }] },
      { role: "tool", toolCallId: "a", toolName: "look", content: "seen" },
    ];
    const bodies = await sent(
      { model: "openai/x", baseUrl: "https://x.test" },
      ({ tools }) =>
        tools === undefined
          ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
          : undefined,
      { messages },
    );
    expect(bodies.at(-1)).toMatchObject({
      tools: [{ type: "function", function: { name: "look" } }],
      tool_choice: "none",
    });
  });

  it("is streamed when a model only streams", async () => {
    const bodies = await sent("dashscope/qwen3-32b", ({ stream }) =>
      stream === true
        ? undefined
        : "parameter.enable_thinking must be set to false for non-streaming calls",
    );
    expect(bodies.map(({ stream }) => stream)).toEqual([false, true, true]);
  });

  it("forces no tool when the model refuses it", async () => {
    const tools = [{ name: "t", description: "T.", parameters: { type: "object" } }];
    const bodies = await sent(
      { model: "openai/x", baseUrl: "https://x.test" },
      when("tool_choice", "tool_choice 'required' is incompatible with thinking enabled"),
      { tools, toolChoice: "required" },
    );
    expect(bodies.map(({ tool_choice }) => tool_choice)).toEqual([
      "required",
      undefined,
      undefined,
    ]);
  });
});

describe("RFP1: options of a stream", () => {
  it("are left out when a server refuses them", async () => {
    const bodies = await sent(
      { model: "openai/x", baseUrl: "https://x.test", stream: true },
      when("stream_options", "Unrecognized request argument supplied: stream_options"),
    );
    expect(bodies.map((body) => "stream_options" in body)).toEqual([true, false, false]);
  });
});

describe("RFP1: a refusal stands", () => {
  it.each([
    "max_tokens must be at most 8192",
    "Invalid 'temperature': must be at most 2",
    "Unknown model: seed-1",
    "Your request was not allowed.",
    "The user is not permitted to do this",
    "n",
  ])("when the message means no part: %s", (message) => {
    const body = { temperature: 3, max_tokens: 9, n: 1, messages: [] };
    expect(refusedPart(message, body)).toBeUndefined();
  });

  it("when the request has no such part", () => {
    expect(refusedPart("'seed' is not supported", { messages: [] })).toBeUndefined();
  });

  it("is an error after the request without the part is refused, too", async () => {
    await expect(
      sent({ model: "openai/gpt-4o", temperature: 1 }, () => "'temperature' is not supported"),
    ).rejects.toMatchObject({ code: "model_rejected" });
  });
});
