// Refusals and failures of Gemini's API in its own words, each from a public report or its reference.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";

const signal = new AbortController().signal;
type Body = Readonly<Record<string, unknown>>;

const ok = (text = "ok"): Response =>
  Response.json({ candidates: [{ content: { parts: [{ text }] }, finishReason: "STOP" }] });
const refusal = (message: string, more: object = {}, code = 400): Response =>
  Response.json(
    { error: { code, message, status: "INVALID_ARGUMENT", ...more } },
    { status: code },
  );

function gemini(
  answers: (body: Body, index: number) => Response,
  settings: Partial<ModelSettings> = {},
): {
  readonly bodies: Body[];
  readonly ask: (request?: Partial<ModelRequest>) => Promise<string>;
} {
  const bodies: Body[] = [];
  const model = resolveModel(
    { model: "gemini/gemini-2.5-flash", ...settings },
    {
      variables: { GEMINI_API_KEY: "key" },
      fetch: async (input, init) => {
        const body = (await new Request(input, init).json()) as Body;
        bodies.push(body);
        return answers(body, bodies.length - 1);
      },
    },
  );
  const messages = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Go" },
  ] as const;
  return {
    bodies,
    ask: async (request = {}) => (await model.generate({ messages, ...request }, { signal })).text,
  };
}

const config = (body: Body | undefined): Body => (body?.["generationConfig"] ?? {}) as Body;
const tools = [{ name: "t", description: "T.", parameters: { type: "object", properties: {} } }];
const responseSchema = {
  name: "a",
  schema: { type: "object", properties: { a: { type: "number" } } },
} as const;

describe("RFP1, RFP2: Gemini", () => {
  it("goes without the form of an answer beside tools, and keeps it elsewhere", async () => {
    const message = "Function calling with a response mime type: 'application/json' is unsupported";
    const { bodies, ask } = gemini((body) =>
      "tools" in body && "responseMimeType" in config(body) ? refusal(message) : ok(),
    );
    await ask({ tools, responseSchema });
    await ask({ tools, responseSchema });
    await ask({ responseSchema });
    expect(bodies.map((body) => "responseJsonSchema" in config(body))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it("goes from a schema to JSON, and from JSON to words", async () => {
    const { bodies, ask } = gemini((body) => {
      if ("responseJsonSchema" in config(body))
        return refusal("The specified schema produces a constraint that is not supported.");
      return "responseMimeType" in config(body)
        ? refusal("JSON mode is not enabled for models/gemma-3-27b-it")
        : ok();
    });
    await ask({ responseSchema });
    expect(bodies.map((body) => Object.keys(config(body)).toSorted())).toEqual([
      ["responseJsonSchema", "responseMimeType"],
      ["responseMimeType"],
      [],
    ]);
  });

  it.each([
    [
      { reasoningEffort: "none" },
      "Budget 0 is invalid. This model only works in thinking mode.",
      "thinkingConfig",
    ],
    [
      { model: "gemini/gemini-3-pro", reasoningEffort: "minimal" },
      "Thinking level MINIMAL is not supported for this model.",
      "thinkingConfig",
    ],
    [
      { frequencyPenalty: 1 },
      "Penalty is not enabled for models/gemini-2.5-flash-lite",
      "frequencyPenalty",
    ],
    [{ seed: 3 }, "Unknown name \"seed\" at 'generation_config': Cannot find field.", "seed"],
  ])("goes without %j", async (settings, message, name) => {
    const { bodies, ask } = gemini(
      (body) => (name in config(body) ? refusal(`Invalid request: ${message}`) : ok()),
      settings,
    );
    await ask();
    await ask();
    expect(bodies.map((body) => name in config(body))).toEqual([true, false, false]);
  });

  it("moves the system's words into a user message", async () => {
    const { bodies, ask } = gemini((body) =>
      "systemInstruction" in body
        ? refusal("Developer instruction is not enabled for models/gemma-3-27b-it")
        : ok(),
    );
    await ask();
    expect(bodies[1]?.["contents"]).toEqual([
      { role: "user", parts: [{ text: "Be kind." }, { text: "Go" }] },
    ]);
  });

  it("NW3: signs calls again in one conversation when signatures are refused", async () => {
    const message = "Function call is missing a thought_signature in functionCall parts.";
    const { bodies, ask } = gemini((body) =>
      JSON.stringify(body).includes("stale") ? refusal(message) : ok(),
    );
    const signed = (thought_signature: string): Partial<ModelRequest> => ({
      messages: [
        { role: "user", content: "Go" },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "a", name: "t", arguments: "{}" }],
          providerParts: [
            {
              type: "openai.tool_call",
              id: "a",
              fields: { extra_content: { google: { thought_signature } } },
            },
          ],
        },
        { role: "tool", toolCallId: "a", toolName: "t", content: "1" },
      ],
    });
    await ask(signed("stale"));
    await ask(signed("fresh"));
    const signatures = bodies.map((body) =>
      /"thoughtSignature":"(\w+)"/.exec(JSON.stringify(body)),
    );
    expect(signatures.map((found) => found?.[1])).toEqual([
      "stale",
      "skip_thought_signature_validator",
      "fresh",
    ]);
  });
});

describe("a request to Gemini", () => {
  it("has five stop words, and is cut at the others here", async () => {
    const { bodies, ask } = gemini(() => ok("one SIX two"));
    const stop = ["A1", "B2", "C3", "D4", "E5", "SIX"];
    expect(await ask({ stop })).toBe("one");
    expect(config(bodies[0])["stopSequences"]).toEqual(stop.slice(0, 5));
  });

  it("has unknown settings at their place", async () => {
    const { bodies, ask } = gemini(() => ok(), {
      params: {
        topK: 4,
        safetySettings: [],
        generationConfig: { responseModalities: ["TEXT"] },
      },
    });
    await ask();
    expect(bodies[0]).toMatchObject({
      safetySettings: [],
      generationConfig: { topK: 4, responseModalities: ["TEXT"] },
    });
  });

  it("SOF1: may be answered without an optional field", async () => {
    const { bodies, ask } = gemini(() => ok());
    await ask({ responseSchema });
    expect(config(bodies[0])["responseJsonSchema"]).toEqual({
      ...responseSchema.schema,
      required: [],
      additionalProperties: false,
    });
  });
});

describe("a failure of Gemini", () => {
  const RETRY = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" };
  const quota = (quotaId: string): object => ({
    status: "RESOURCE_EXHAUSTED",
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] },
      RETRY,
    ],
  });
  it.each([
    [
      refusal("Quota exceeded.", quota("GenerateRequestsPerMinutePerProjectPerModel"), 429),
      { code: "model_rate_limited", retryable: true, retryAfterMs: 34_070 },
    ],
    [
      refusal("Quota exceeded.", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), 429),
      { code: "model_rate_limited", retryable: false },
    ],
    [
      refusal("API key not valid. Please pass a valid API key.", {
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        ],
      }),
      { code: "model_unauthorized", retryable: false },
    ],
    [
      refusal("The input token count exceeds the maximum number of tokens allowed 1048576."),
      { code: "context_window_exceeded", retryable: false },
    ],
    [
      Response.json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
      { code: "content_filtered", retryable: false },
    ],
    [
      Response.json({ candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] }),
      { code: "model_failed", retryable: true },
    ],
  ])("%#: has the kind of its error", async (response, expected) => {
    const { ask } = gemini(() => response);
    await expect(ask()).rejects.toMatchObject(expected);
  });
});
