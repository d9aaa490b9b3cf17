// Gemini's models, by Google's own API, and by its endpoint in OpenAI's dialect where a setting says so (NW1).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/base/bytes.ts";
import type {
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
import { mp4Bytes, pdfBytes, pngBytes } from "../../support/sample-files.ts";

let server: ModelServer;
let reply: ServedReply = { text: "ok" };
beforeAll(async () => void (server = await startModelServer({ reply: () => reply })));
afterAll(() => server.stop());
beforeEach(() => {
  (server.calls as unknown[]).length = 0;
  server.files.uploads.length = 0;
  reply = { text: "ok" };
});

const model = (settings: Partial<ModelSettings> = {}): LanguageModel =>
  resolveModel(
    { model: "gemini/gemini-3-flash", ...settings },
    {
      variables: { GEMINI_API_KEY: "key", GEMINI_BASE_URL: `${server.url}/v1beta` },
    },
  );
const signal = AbortSignal.timeout(20_000);
const ask = (request: ModelRequest, settings: Partial<ModelSettings> = {}) =>
  model(settings).generate(request, { signal });
const pdf = {
  type: "file",
  name: "a.pdf",
  data: toBase64(pdfBytes(1)),
  mediaType: "application/pdf",
} as const;
const video = {
  type: "video",
  data: toBase64(mp4Bytes("isom", 3)),
  mediaType: "video/mp4",
} as const;
const look: Message = { role: "user", content: [{ type: "text", text: "Look" }, pdf] };
const SEARCH: ToolSpec = {
  name: "search",
  description: "Searches.",
  parameters: { type: "object", properties: {} },
};
const body = () => server.calls.at(-1)?.body ?? {};

describe("Gemini", () => {
  it.each([
    { api: "chat", baseUrl: "" },
    { baseUrl: "/v1beta/openai" },
    { baseUrl: "/v1beta/openai/" },
    { baseUrl: "/some/proxy/v1" },
  ] as const)("NW1: is asked in OpenAI's dialect with %j", async ({ baseUrl, ...settings }) => {
    const image = {
      type: "image",
      data: toBase64(pngBytes(1, 1)),
      mediaType: "image/png",
    } as const;
    const own = { apiKey: "key", baseUrl: server.url + (baseUrl || "/v1beta/openai") };
    await ask(
      { messages: [{ role: "user", content: [{ type: "text", text: "Look" }, image] }] },
      { ...settings, ...own },
    );
    expect(server.calls[0]).toMatchObject({ dialect: "openai", model: "gemini-3-flash" });
    expect(server.calls[0]?.headers["authorization"]).toBe("Bearer key");
  });

  it("NW1: is asked by its own API, also for PDFs, sound and video (FT21)", async () => {
    const sound = { type: "audio", data: "AAAA", mediaType: "audio/mpeg" } as const;
    const { text, usage, responseId } = await ask({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Look" }, pdf, video, sound] },
      ],
    });
    expect({ text, responseId }).toEqual({ text: "ok", responseId: "gemini-0" });
    expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 5, totalTokens: 15 });
    const [call] = server.calls;
    expect(call).toMatchObject({
      dialect: "gemini",
      path: "/v1beta/models/gemini-3-flash:generateContent",
    });
    expect(call?.headers).toMatchObject({ "x-goog-api-key": "key" });
    expect(call?.headers["authorization"]).toBeUndefined();
    expect(body()).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        {
          role: "user",
          parts: [
            { text: "Look" },
            { inlineData: { mimeType: "application/pdf", data: pdf.data } },
            { inlineData: { mimeType: "video/mp4", data: video.data } },
            { inlineData: { mimeType: "audio/mpeg", data: "AAAA" } },
          ],
        },
      ],
    });
  });

  it("gets URLs and uploads as file data", async () => {
    const url = {
      type: "file",
      url: "https://example.com/a.pdf",
      mediaType: "application/pdf",
    } as const;
    await ask({ messages: [{ role: "user", content: [url] }] });
    expect(body()["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/a.pdf" } },
        ],
      },
    ]);
  });

  it("calls tools, gets their results, and its signatures back", async () => {
    reply = {
      thinking: { text: "hm", signature: "sig" },
      toolCalls: [{ name: "search", arguments: { q: "tea" } }],
    };
    const first = await ask({ messages: [look], tools: [SEARCH] });
    expect(first).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [{ name: "search", arguments: '{"q":"tea"}' }],
    });
    expect(body()["tools"]).toEqual([
      {
        functionDeclarations: [
          { name: "search", description: "Searches.", parametersJsonSchema: SEARCH.parameters },
        ],
      },
    ]);
    const { toolCalls, providerParts = [] } = first;
    const id = toolCalls[0]?.id ?? "";
    const messages: Message[] = [
      look,
      { role: "assistant", content: "", toolCalls, providerParts },
      { role: "tool", toolCallId: id, toolName: "search", content: "found" },
      { role: "user", content: "And?" },
    ];
    reply = { text: "done" };
    await ask({ messages, tools: [SEARCH], toolChoice: "none" });
    expect(body()["contents"]).toMatchObject([
      { role: "user" },
      {
        role: "model",
        parts: [{ functionCall: { name: "search", args: { q: "tea" } }, thoughtSignature: "sig" }],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "search", response: { result: "found" } } },
          { text: "And?" },
        ],
      },
    ]);
    expect(body()["toolConfig"]).toEqual({ functionCallingConfig: { mode: "NONE" } });
    await ask(
      { messages: messages.slice(1), tools: [SEARCH] },
      { api: "chat", baseUrl: `${server.url}/v1beta/openai`, apiKey: "key" },
    );
    expect(server.calls.at(-1)?.dialect).toBe("openai");
    expect(JSON.stringify(body())).toContain('"thought_signature":"sig"');
  });

  it("streams its text, its thoughts and its calls", async () => {
    reply = {
      thinking: { text: "hm", signature: "sig" },
      text: "Hello",
      toolCalls: [{ name: "search", arguments: {} }],
    };
    const told: unknown[] = [];
    const answer = await model().generate(
      { messages: [look], tools: [SEARCH] },
      {
        signal,
        onDelta: (text) => told.push(text),
        onThinking: (text) => told.push({ text }),
        onToolDelta: ({ name }) => told.push({ name }),
      },
    );
    expect(told).toEqual([{ text: "hm" }, "Hello", { name: "search" }]);
    expect(answer).toMatchObject({ text: "Hello", finishReason: "tool_calls" });
    expect(server.calls[0]?.path).toBe(
      "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
    );
  });

  it("gets its settings and a shape", async () => {
    const responseSchema = { name: "a", schema: { type: "object", properties: {} } } as const;
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 100,
      seed: 3,
      stop: "END",
      thinking: { type: "enabled", budgetTokens: 256 },
    };
    await ask({ messages: [look], responseSchema }, settings);
    expect(body()["generationConfig"]).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      seed: 3,
      stopSequences: ["END"],
      responseMimeType: "application/json",
      responseJsonSchema: responseSchema.schema,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 256 },
    });
    await ask({ messages: [look] }, { reasoningEffort: "low" });
    expect(body()["generationConfig"]).toEqual({ thinkingConfig: { thinkingLevel: "low" } });
    await ask({ messages: [look] }, { model: "gemini/gemini-2.5-pro", reasoningEffort: "low" });
    expect(body()["generationConfig"]).toEqual({ thinkingConfig: { thinkingBudget: 1024 } });
  });

  it.each([
    [{ status: 400, error: "bad" }, "model_rejected"],
    [{ status: 429, error: "slow" }, "model_rate_limited"],
    [{ status: 403, error: "no" }, "model_unauthorized"],
    [{ status: 503, error: "later" }, "model_unavailable"],
    [{ fault: "garbage" }, "model_failed"],
    [{ fault: "empty" }, "model_failed"],
    [{ fault: "reset" }, "model_unavailable"],
  ] as const)("fails as others do: %j is %s", async (failing, code) => {
    reply = failing;
    await expect(ask({ messages: [look] })).rejects.toMatchObject({ code });
  });

  it.each([
    ["SAFETY", "content_filtered"],
    ["OTHER", "model_failed"],
    ["A_NEW_REASON", "model_failed"],
  ])("WA1: fails for %s as %s", async (stopReason, code) => {
    reply = { text: "x", stopReason };
    await expect(ask({ messages: [look] })).rejects.toMatchObject({ code });
  });

  it("marks an answer as cut", async () => {
    reply = { text: "x", stopReason: "MAX_TOKENS" };
    expect(await ask({ messages: [look] })).toMatchObject({ finishReason: "length", end: "cut" });
  });

  it("keeps an upload once it is processed, and deletes it", async () => {
    server.files.processing = 2;
    const { files } = model();
    const bytes = mp4Bytes("isom", 3, 5000);
    const open = async () => new Response(new Uint8Array(bytes)).body ?? new ReadableStream();
    const file = { name: "a.mp4", mediaType: "video/mp4", bytes: bytes.length, open };
    const uploaded = await files?.upload?.(file, { signal, expiresInSeconds: 86_400 });
    expect(uploaded?.fileId).toBe(`${server.url}/v1beta/files/g1`);
    expect(uploaded?.expiresAtMs).toBeGreaterThan(Date.now() + 47 * 3_600_000);
    expect(server.files.uploads).toMatchObject([{ name: "a.mp4", mediaType: "video/mp4" }]);
    expect(Buffer.compare(server.files.uploads[0]?.bytes ?? new Uint8Array(), bytes)).toBe(0);
    const { fileId = "" } = uploaded ?? {};
    const part = { type: "video", fileId, provider: "gemini", mediaType: "video/mp4" } as const;
    await ask({ messages: [{ role: "user", content: [part] }] });
    expect(body()["contents"]).toEqual([
      { role: "user", parts: [{ fileData: { mimeType: "video/mp4", fileUri: fileId } }] },
    ]);
    await files?.remove?.(fileId, { signal });
    await expect(ask({ messages: [{ role: "user", content: [part] }] })).rejects.toMatchObject({
      code: "model_rejected",
    });
  }, 20_000);

  it("NW1: in OpenAI's dialect takes images alone", () => {
    const elsewhere = resolveModel(
      { model: "gemini/gemini-3-flash", baseUrl: "https://example.com/v1", apiKey: "k" },
      { variables: {} },
    );
    expect(elsewhere.capabilities).toMatchObject({ vision: true, pdf: false });
    expect(elsewhere.capabilities.video).toBeUndefined();
    expect(model().capabilities).toMatchObject({
      vision: true,
      pdf: true,
      audio: true,
      video: true,
    });
  });
});
