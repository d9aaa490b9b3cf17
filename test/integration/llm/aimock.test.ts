// Against somebody else's idea of the providers: @copilotkit/aimock.
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";

describe("aimock", () => {
  const mock = new LLMock({ port: 0 });
  const signal = AbortSignal.timeout(30_000);
  const tools = [
    {
      name: "get_weather",
      description: "The weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ];

  beforeAll(async () => {
    mock.onMessage("hello", { content: "Hi there, friend" });
    mock.onMessage("weather", {
      toolCalls: [
        { name: "get_weather", arguments: '{"city":"Rome"}' },
        { name: "get_weather", arguments: '{"city":"Oslo"}' },
      ],
    });
    await mock.start();
  });
  afterAll(() => mock.stop());

  function model(name: string): LanguageModel {
    return resolveModel(name, {
      variables: {
        OPENAI_API_KEY: "key",
        OPENAI_BASE_URL: `${mock.url}/v1`,
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: mock.url,
        GEMINI_API_KEY: "key",
        GEMINI_BASE_URL: `${mock.url}/v1beta`,
        BEDROCK_API_KEY: "key",
        BEDROCK_BASE_URL: mock.url,
      },
    });
  }

  describe.each([
    "openai/gpt-4o",
    "anthropic/claude-haiku-4-5",
    "gemini/gemini-2.5-flash",
    "bedrock/anthropic.claude-3-haiku-20240307-v1:0",
  ])("%s", (name) => {
    it.each([false, true])("gets text, streamed: %s", async (streamed) => {
      const deltas: string[] = [];
      const response = await model(name).generate(
        { messages: [{ role: "user", content: "hello" }] },
        { signal, ...(streamed ? { onDelta: (text) => deltas.push(text) } : {}) },
      );
      expect(response).toMatchObject({ text: "Hi there, friend", finishReason: "stop" });
      expect(deltas.join("")).toBe(streamed ? "Hi there, friend" : "");
    });

    it.each([false, true])("gets tool calls, streamed: %s", async (streamed) => {
      const response = await model(name).generate(
        { messages: [{ role: "user", content: "weather" }], tools },
        { signal, ...(streamed ? { onDelta: () => {} } : {}) },
      );
      expect(response.finishReason).toBe("tool_calls");
      expect(response.toolCalls.map((call) => [call.name, call.arguments])).toEqual([
        ["get_weather", '{"city":"Rome"}'],
        ["get_weather", '{"city":"Oslo"}'],
      ]);
    });

    it("maps an error answer", async () => {
      mock.nextRequestError(503, { message: "try later", type: "server_error" });
      const call = model(name).generate(
        { messages: [{ role: "user", content: "hello" }] },
        { signal },
      );
      await expect(call).rejects.toMatchObject({ code: "model_unavailable", retryable: true });
    });
  });
});
