// Bedrock's Converse: requests, answers, and refusals in the words of AWS, each from a public report or its reference.
import { describe, expect, it } from "vitest";
import type {
  CallOptions,
  Message,
  ModelRequest,
  ModelResponse,
} from "../../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import { withoutSecrets } from "../../../../src/security/known-secrets.ts";
import { awsFrame } from "../../../support/aws-frames.ts";

const signal = new AbortController().signal;
type Body = Readonly<Record<string, unknown>>;
type Sent = { readonly url: string; readonly headers: Headers; readonly body: Body };

const CLAUDE = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const LLAMA = "bedrock/us.meta.llama4-scout-17b-instruct-v1:0";

const converse = (content: object[], stopReason = "end_turn"): Response =>
  Response.json({
    output: { message: { role: "assistant", content } },
    stopReason,
    usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
  });
const ok = (): Response => converse([{ text: "ok" }]);
const exception = (type: string, message: string, status = 400): Response =>
  Response.json(
    { message },
    { status, headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` } },
  );
const invalid = (message: string): Response => exception("ValidationException", message);
const event = (name: string, payload: object): Buffer =>
  awsFrame({ ":message-type": "event", ":event-type": name }, payload);
const stream = (...frames: Uint8Array[]): Response =>
  new Response(Buffer.concat(frames), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });

function bedrock(
  answers: (body: Body, sent: Sent) => Response,
  settings: Partial<ModelSettings> = {},
  variables: Record<string, string> = { AWS_BEARER_TOKEN_BEDROCK: "bearer-key" },
): {
  readonly sent: Sent[];
  readonly bodies: () => Body[];
  readonly ask: (
    request?: Partial<ModelRequest>,
    options?: Partial<CallOptions>,
  ) => Promise<ModelResponse>;
} {
  const sent: Sent[] = [];
  const model = resolveModel(
    { model: CLAUDE, ...settings },
    {
      variables,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const body = (await request.json()) as Body;
        sent.push({ url: request.url, headers: request.headers, body });
        return answers(body, sent.at(-1) as Sent);
      },
    },
  );
  const messages: Message[] = [{ role: "user", content: "Go" }];
  return {
    sent,
    bodies: () => sent.map(({ body }) => body),
    ask: (request = {}, options = {}) =>
      model.generate({ messages, ...request }, { signal, ...options }),
  };
}

const tool = (name: string) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
});
const tools = [tool("search")];
const responseSchema = {
  name: "a",
  schema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
} as const;
const toolNames = (body: Body | undefined): unknown => {
  const { tools: offered = [] } = (body?.["toolConfig"] ?? {}) as {
    readonly tools?: ReadonlyArray<{ readonly toolSpec: { readonly name: string } }>;
  };
  return offered.map(({ toolSpec }) => toolSpec.name);
};
const turns = (body: Body | undefined): readonly Body[] =>
  (body?.["messages"] ?? []) as readonly Body[];
const choice = (body: Body | undefined): unknown =>
  ((body?.["toolConfig"] ?? {}) as Body)["toolChoice"];

describe("NW4: requests to Bedrock", () => {
  const KEYS = {
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI-secret",
    AWS_SESSION_TOKEN: "session-token",
    AWS_REGION: "eu-central-1",
  };

  it("have a bearer token when there is one", async () => {
    const { sent, ask } = bedrock(ok, {}, { ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "bearer-key" });
    await ask();
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer bearer-key");
    expect(sent[0]?.headers.get("x-amz-date")).toBeNull();
    expect(sent[0]?.url).toBe(
      "https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    );
  });

  it("are signed with an access key when there is no API key", async () => {
    const { sent, ask } = bedrock(ok, {}, KEYS);
    await ask();
    const { headers } = sent[0] as Sent;
    expect(headers.get("authorization")).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
    expect(headers.get("x-amz-security-token")).toBe("session-token");
    expect(withoutSecrets("the key wJalrXUtnFEMI-secret")).not.toContain("wJalrXUtnFEMI");
  });

  it("are signed for the region of their address", async () => {
    const address = "https://vpce-1.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com";
    const { sent, ask } = bedrock(ok, {}, { ...KEYS, BEDROCK_BASE_URL: address });
    await ask();
    expect(sent[0]?.headers.get("authorization")).toContain("/ap-southeast-2/bedrock/");
  });

  it("are never signed with the environment's key for an address of the settings", async () => {
    const { sent, ask } = bedrock(ok, { baseUrl: "https://elsewhere.test" }, KEYS);
    await ask();
    expect(sent[0]?.headers.get("authorization")).toBeNull();
    expect(JSON.stringify([...(sent[0] as Sent).headers])).not.toContain("session-token");
  });

  it("say which keys are missing", async () => {
    const { ask } = bedrock(ok, {}, { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE" });
    await expect(ask()).rejects.toMatchObject({
      code: "model_unauthorized",
      message: `${CLAUDE}: no key for bedrock: set AWS_BEARER_TOKEN_BEDROCK or BEDROCK_API_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    });
  });

  it("NW1: use OpenAI's dialect when a setting or the address asks for it", async () => {
    const completion = (): Response =>
      Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
    const chat = bedrock(completion, { api: "chat" });
    await chat.ask();
    expect(chat.sent[0]?.url).toBe(
      "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1/chat/completions",
    );
    const proxy = bedrock(completion, { baseUrl: "https://proxy.test/v1", apiKey: "k" });
    await proxy.ask();
    expect(proxy.sent[0]?.url).toBe("https://proxy.test/v1/chat/completions");
  });

  it("have the settings of the model, unknown ones among the model's own", async () => {
    const { bodies, ask } = bedrock(ok, {
      temperature: 0.2,
      maxTokens: 500,
      thinking: { type: "enabled", budgetTokens: 1024 },
      params: { top_k: 5, guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" } },
    });
    await ask();
    expect(bodies()[0]).toMatchObject({
      inferenceConfig: { temperature: 0.2, maxTokens: 1524 },
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
      additionalModelRequestFields: {
        top_k: 5,
        thinking: { type: "enabled", budget_tokens: 1024 },
      },
    });
  });

  it("mark cacheable parts for models with a cache", async () => {
    const messages: Message[] = [
      { role: "system", content: "Rules.", cacheBreakpoint: true },
      { role: "user", content: "Go", cacheBreakpoint: true },
    ];
    const point = { cachePoint: { type: "default" } };
    const claude = bedrock(ok);
    await claude.ask({ messages });
    expect(claude.bodies()[0]).toMatchObject({
      system: [{ text: "Rules." }, point],
      messages: [{ role: "user", content: [{ text: "Go" }, point] }],
    });
    const llama = bedrock(ok, { model: LLAMA });
    await llama.ask({ messages });
    expect(JSON.stringify(llama.bodies()[0])).not.toContain("cachePoint");
  });

  it.each([
    [{ type: "image", url: "https://example.com/a.png" }, /base64 or in S3/],
    [{ type: "file", url: "https://example.com/a.pdf" }, /base64 or in S3/],
  ] as const)("are not sent with %j", async (part, message) => {
    const { sent, ask } = bedrock(ok);
    const asked = ask({ messages: [{ role: "user", content: [part] }] });
    await expect(asked).rejects.toMatchObject({ code: "model_rejected", message });
    expect(sent).toEqual([]);
  });

  it("name files in S3", async () => {
    const { bodies, ask } = bedrock(ok);
    const file = {
      type: "file",
      url: "s3://bucket/a.docx",
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      name: "my_plan.v2.docx",
    } as const;
    await ask({ messages: [{ role: "user", content: [{ type: "text", text: "Look" }, file] }] });
    expect(bodies()[0]?.["messages"]).toEqual([
      {
        role: "user",
        content: [
          { text: "Look" },
          {
            document: {
              format: "docx",
              name: "my plan v2 docx",
              source: { s3Location: { uri: file.url } },
            },
          },
        ],
      },
    ]);
  });
});

describe("NW7: when no tool may be called", () => {
  const messages: Message[] = [
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "a", name: "search", arguments: '{"q":1}' }],
    },
    { role: "tool", toolCallId: "a", toolName: "search", content: "found" },
  ];

  it("a conversation with calls names its tools, without use for them", async () => {
    const { bodies, ask } = bedrock(ok);
    await ask({ messages, tools: [tool("search"), tool("other")], toolChoice: "none" });
    await ask({ messages });
    for (const body of bodies()) {
      expect(toolNames(body)).toEqual(["search"]);
      expect(JSON.stringify(body["toolConfig"])).toContain("answer in words");
      expect(choice(body)).toBeUndefined();
    }
  });

  it("a conversation without calls names no tools", async () => {
    const { bodies, ask } = bedrock(ok);
    await ask({ tools, toolChoice: "none" });
    expect(bodies()[0]).not.toHaveProperty("toolConfig");
  });
});

describe("NW6: the form of an answer", () => {
  it("is a schema for models with enforced schemas", async () => {
    const { bodies, ask } = bedrock(() => converse([{ text: '{"a":1}' }]));
    expect((await ask({ responseSchema, tools })).text).toBe('{"a":1}');
    expect(bodies()[0]?.["outputConfig"]).toMatchObject({ textFormat: { type: "json_schema" } });
    expect(toolNames(bodies()[0])).toEqual(["search"]);
  });

  const answered = (): Response =>
    converse(
      [{ toolUse: { toolUseId: "t1", name: "structured_output", input: { a: 1 } } }],
      "tool_use",
    );

  it("is a tool for others, and after a refusal", async () => {
    const llama = bedrock(answered, { model: LLAMA });
    expect(await llama.ask({ responseSchema })).toMatchObject({
      text: '{"a":1}',
      toolCalls: [],
      finishReason: "stop",
    });
    expect(choice(llama.bodies()[0])).toEqual({ tool: { name: "structured_output" } });
    const claude = bedrock((body) =>
      "outputConfig" in body
        ? invalid(
            "This model doesn't support the outputConfig.textFormat field. Remove it and try again.",
          )
        : answered(),
    );
    await claude.ask({ responseSchema });
    expect((await claude.ask({ responseSchema })).text).toBe('{"a":1}');
    expect(claude.bodies().map(toolNames)).toEqual([
      [],
      ["structured_output"],
      ["structured_output"],
    ]);
  });

  it("is described in the prompt for a model without tools", async () => {
    const { bodies, ask } = bedrock(
      (body) => ("toolConfig" in body ? invalid("This model doesn't support tool use.") : ok()),
      { model: "bedrock/deepseek.r1-v1:0" },
    );
    expect((await ask({ responseSchema })).text).toBe("ok");
    expect(bodies()).toHaveLength(2);
  });

  it("forces no tool on a thinking model", async () => {
    const { bodies, ask } = bedrock(answered, {
      model: "bedrock/us.anthropic.claude-3-7-sonnet-20250219-v1:0",
      thinking: { type: "enabled", budgetTokens: 1024 },
    });
    await ask({ responseSchema });
    expect(toolNames(bodies()[0])).toEqual(["structured_output"]);
    expect(choice(bodies()[0])).toBeUndefined();
  });
});

describe("RFP1, RFP2: Bedrock", () => {
  it("does not stream when the model cannot stream with tools, and still notifies its listeners", async () => {
    const content = [
      { text: "Looking." },
      { toolUse: { toolUseId: "t1", name: "search", input: { q: "x" } } },
    ];
    const { sent, ask } = bedrock(
      (_, { url }) =>
        url.endsWith("-stream")
          ? invalid("This model doesn't support tool use in streaming mode.")
          : converse(content, "tool_use"),
      { model: LLAMA },
    );
    const told: unknown[] = [];
    const listeners: Partial<CallOptions> = {
      onDelta: (text) => told.push(text),
      onToolDelta: ({ name }) => told.push({ name }),
    };
    await ask({ tools }, listeners);
    expect(await ask({ tools }, listeners)).toMatchObject({
      text: "Looking.",
      toolCalls: [{ id: "t1", name: "search", arguments: '{"q":"x"}' }],
    });
    expect(sent.map(({ url }) => url.split("/").at(-1))).toEqual([
      "converse-stream",
      "converse",
      "converse",
    ]);
    expect(told).toEqual(["Looking.", { name: "search" }, "Looking.", { name: "search" }]);
    expect(sent[0]?.body).not.toHaveProperty("stream");
  });

  it("goes without a choice of tools", async () => {
    const { bodies, ask } = bedrock((body) =>
      choice(body) === undefined
        ? ok()
        : invalid(
            "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
          ),
    );
    await ask({ tools, toolChoice: "required" });
    expect(bodies().map(choice)).toEqual([{ any: {} }, undefined]);
  });

  it("goes without stop words, and is cut here", async () => {
    const { bodies, ask } = bedrock((body) =>
      "stopSequences" in (body["inferenceConfig"] as Body)
        ? invalid(
            "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
          )
        : converse([{ text: "one END two" }]),
    );
    expect((await ask({ stop: ["END"] })).text).toBe("one");
    expect(bodies()).toHaveLength(2);
  });

  it.each([
    [
      { temperature: 0.1, topP: 0.2 },
      "topP",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ],
    [
      { temperature: 0.1 },
      "temperature",
      "The model returned the following errors: `temperature` is deprecated for this model.",
    ],
  ])("goes without a part of %j", async (settings, name, message) => {
    const { bodies, ask } = bedrock(
      (body) => (name in (body["inferenceConfig"] as Body) ? invalid(message) : ok()),
      settings,
    );
    await ask();
    await ask();
    expect(bodies().map((body) => name in (body["inferenceConfig"] as Body))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("caps answers at the model's limit", async () => {
    const limit = (body: Body): unknown => (body["inferenceConfig"] as Body)["maxTokens"];
    const { bodies, ask } = bedrock(
      (body) =>
        Number(limit(body)) > 8192
          ? invalid(
              "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
            )
          : ok(),
      { maxTokens: 99_999 },
    );
    await ask();
    await ask();
    expect(bodies().map(limit)).toEqual([99_999, 8192, 8192]);
  });

  it("goes without a field of the model's own", async () => {
    const { bodies, ask } = bedrock(
      (body) =>
        JSON.stringify(body).includes("seed")
          ? invalid(
              "Malformed input request: extraneous key [seed] is not permitted, please reformat your input and try again.",
            )
          : ok(),
      { params: { seed: 4 } },
    );
    await ask();
    expect(bodies()[1]?.["additionalModelRequestFields"]).toEqual({});
  });

  it("moves the system's words into a user message", async () => {
    const { bodies, ask } = bedrock((body) =>
      "system" in body
        ? invalid(
            "This model doesn't support system messages. Try again without specifying any system messages or ensure that the system message array is empty.",
          )
        : ok(),
    );
    await ask({
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Go" },
      ],
    });
    expect(bodies()[1]?.["messages"]).toEqual([
      { role: "user", content: [{ text: "Be kind." }, { text: "Go" }] },
    ]);
  });
});

describe("NW8: thoughts", () => {
  const thought = { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } };
  const hidden = { reasoningContent: { redactedContent: "AAEC" } };
  const use = { toolUse: { toolUseId: "t1", name: "search", input: { q: 1 } } };
  const frames = [
    event("messageStart", { role: "assistant" }),
    event("contentBlockDelta", {
      contentBlockIndex: 0,
      delta: { reasoningContent: { text: "Hm." } },
    }),
    event("contentBlockDelta", {
      contentBlockIndex: 0,
      delta: { reasoningContent: { signature: "sig" } },
    }),
    event("contentBlockDelta", {
      contentBlockIndex: 1,
      delta: { reasoningContent: { redactedContent: "AAEC" } },
    }),
    event("contentBlockDelta", { contentBlockIndex: 2, delta: { text: "Looking." } }),
    event("contentBlockStart", {
      contentBlockIndex: 3,
      start: { toolUse: { toolUseId: "t1", name: "search" } },
    }),
    event("contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: '{"q"' } } }),
    event("contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: ":1}" } } }),
    event("messageStop", { stopReason: "tool_use" }),
    event("metadata", { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
  ];

  it.each([
    ["whole", () => converse([thought, hidden, { text: "Looking." }, use], "tool_use"), {}],
    ["streamed", () => stream(...frames), { onDelta: () => undefined }],
  ] as const)("go back signed and in their order, %s", async (_, response, listeners) => {
    const { bodies, ask } = bedrock((body) =>
      JSON.stringify(body).includes("toolResult") ? ok() : response(),
    );
    const { text, toolCalls, providerParts = [] } = await ask({ tools }, listeners);
    expect([text, toolCalls[0]?.arguments]).toEqual(["Looking.", '{"q":1}']);
    await ask({
      tools,
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: text, toolCalls, providerParts },
        { role: "tool", toolCallId: "t1", toolName: "search", content: "found" },
      ],
    });
    expect(turns(bodies()[1])[1]).toEqual({
      role: "assistant",
      content: [thought, hidden, { text: "Looking." }, use],
    });
  });

  it("without signatures are not sent back", async () => {
    const { reasoningText } = { reasoningText: { text: "Hm." } };
    const { bodies, ask } = bedrock(() =>
      converse([{ reasoningContent: { reasoningText } }, { text: "Rome." }]),
    );
    const { text, providerParts = [] } = await ask();
    expect(text).toBe("Rome.");
    await ask({
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: text, providerParts },
        { role: "user", content: "And?" },
      ],
    });
    expect(turns(bodies()[1])[1]).toEqual({
      role: "assistant",
      content: [{ text: "Rome." }],
    });
  });
});

describe("NW5: an answer of Bedrock", () => {
  const whole = [
    event("messageStart", { role: "assistant" }),
    event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello" } }),
    event("messageStop", { stopReason: "end_turn" }),
    event("metadata", { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
  ];
  const listening = { onDelta: () => undefined };

  it.each([
    ["is cut in a frame", stream(...whole.slice(0, 2), (whole[2] as Buffer).subarray(0, 20))],
    ["has no end", stream(...whole.slice(0, 2))],
    [
      "has a changed byte",
      stream(...whole.map((frame, index) => (index === 1 ? flipped(frame) : frame))),
    ],
  ])("fails, to be tried again, when it %s", async (_, response) => {
    const { ask } = bedrock(() => response);
    await expect(ask({}, listening)).rejects.toMatchObject({
      code: "model_failed",
      retryable: true,
    });
  });

  it("is read when a server sends whole JSON in place of a stream", async () => {
    const { ask } = bedrock(() => converse([{ text: "Hello" }]));
    expect((await ask({}, listening)).text).toBe("Hello");
  });

  it("has the words of blocks with sources", async () => {
    const { ask } = bedrock(() =>
      converse([{ citationsContent: { content: [{ text: "Rome" }], citations: [] } }]),
    );
    expect((await ask()).text).toBe("Rome");
  });

  it("fails after one request when a guardrail intervenes", async () => {
    const { sent, ask } = bedrock(() => converse([{ text: "Sorry." }], "guardrail_intervened"));
    await expect(ask()).rejects.toMatchObject({
      code: "content_filtered",
      message: `${CLAUDE} filtered the answer (guardrail_intervened): "Sorry."`,
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [
      exception("ThrottlingException", "Too many requests, please wait before trying again.", 429),
      "model_rate_limited",
      true,
    ],
    [
      exception(
        "ThrottlingException",
        "Too many tokens per day, please wait before trying again.",
        429,
      ),
      "model_rate_limited",
      false,
    ],
    [
      exception("ModelNotReadyException", "Model is not ready for inference.", 429),
      "model_rate_limited",
      true,
    ],
    [
      exception("ModelErrorException", "The system encountered an unexpected error.", 424),
      "model_failed",
      true,
    ],
    [exception("ModelTimeoutException", "Model has timed out.", 408), "timeout", true],
    [
      exception("ServiceUnavailableException", "Bedrock is unable to process your request.", 503),
      "model_unavailable",
      true,
    ],
    [
      exception("AccessDeniedException", "You don't have access to the model.", 403),
      "model_unauthorized",
      false,
    ],
    [
      exception(
        "ExpiredTokenException",
        "The security token included in the request is expired",
        403,
      ),
      "model_unauthorized",
      false,
    ],
    [
      exception("ServiceQuotaExceededException", "Quota exceeded.", 400),
      "model_rate_limited",
      false,
    ],
    [
      exception("ValidationException", "Input is too long for requested model."),
      "context_window_exceeded",
      false,
    ],
    [
      exception("ResourceNotFoundException", "Could not resolve the model.", 404),
      "model_rejected",
      false,
    ],
    [
      Response.json(
        { Message: "User is not authorized", __type: "com.amazon#AccessDeniedException" },
        { status: 403 },
      ),
      "model_unauthorized",
      false,
    ],
  ] as const)("has the kind of its error: %#", async (response, code, retryable) => {
    const { ask } = bedrock(() => response);
    await expect(ask()).rejects.toMatchObject({ code, retryable });
  });

  it("fails with AWS's words in the middle of a stream", async () => {
    const failing = awsFrame(
      { ":message-type": "exception", ":exception-type": "modelStreamErrorException" },
      { message: "An error occurred while streaming.", originalStatusCode: 500 },
    );
    const { ask } = bedrock(() => stream(...whole.slice(0, 2), failing));
    await expect(ask({}, listening)).rejects.toMatchObject({
      code: "model_failed",
      retryable: true,
      message: `${CLAUDE} failed: An error occurred while streaming.`,
    });
    const error = awsFrame(
      {
        ":message-type": "error",
        ":error-code": "throttlingException",
        ":error-message": "Slow down",
      },
      "",
    );
    const other = bedrock(() => stream(...whole.slice(0, 2), error));
    await expect(other.ask({}, listening)).rejects.toMatchObject({
      code: "model_rate_limited",
      message: `${CLAUDE} failed: Slow down`,
    });
  });
});

/** The frame with a bit of its payload turned. */
function flipped(frame: Buffer): Buffer {
  const changed = Buffer.from(frame);
  const at = changed.length - 10;
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
