import { describe, expect, it } from "vitest";
import { readModelSettings } from "../../../src/llm/model-settings.ts";

describe("model settings", () => {
  it("mean the same in snake_case and camelCase", () => {
    const camel = { model: "m", topP: 0.5, maxTokens: 9, contextWindowSize: 2048, timeoutMs: 5 };
    const snake = {
      model: "m",
      top_p: 0.5,
      max_tokens: 9,
      context_window_size: 2048,
      timeout_ms: 5,
    };
    expect(readModelSettings(snake)).toEqual(readModelSettings(camel));
  });

  it.each(["model", "model_name", "deployment_name"])("take the model from %s", (key) => {
    expect(readModelSettings({ [key]: " gpt-4o " }).model).toBe("gpt-4o");
  });

  it("turn stop words into a list", () => {
    expect(readModelSettings({ model: "m", stop: "END" }).stop).toEqual(["END"]);
    expect(readModelSettings({ model: "m", stop_sequences: ["A", "B"] }).stop).toEqual(["A", "B"]);
    expect(readModelSettings({ model: "m", stop: null }).stop).toEqual([]);
  });

  it("keep unknown keys as parameters, named as they came", () => {
    const { params } = readModelSettings({
      model: "m",
      top_k: 3,
      params: { n: 1 },
      logprobs: null,
    });
    expect(params).toEqual({ top_k: 3, n: 1 });
  });

  it("read a timeout in seconds", () => {
    expect(readModelSettings({ model: "m", timeout: 1.5 }).timeoutMs).toBe(1500);
  });

  it.each([
    [{ temperature: "hot" }, /temperature must be a number from 0 to 2, got "hot"/],
    [{ temperature: 2.1 }, /temperature must be a number from 0 to 2, got 2.1/],
    [{ top_p: -0.1 }, /top_p must be a number from 0 to 1/],
    [{ price: [1] }, /price must be a number >= 0, or two of them/],
    [{ hide_tools: "always" }, /hide_tools must be "never", "if_any_run", "if_all_run"/],
    [{ cacheTtlSeconds: 59 }, /cacheTtlSeconds must be an integer >= 60, got 59/],
    [{ cache: {} }, /cache must be an object with get and set/],
    [{ headers: { a: 1 } }, /headers must be an object of texts, got object/],
    [{ aws_secret_access_key: "x" }, /would be sent in the request: give the key as apiKey/],
    [{ api_type: "watson" }, /api_type must be one of openai, .*cerebras, got "watson"/],
    [{ model_client_cls: "Mine" }, /model_client_cls is not a setting here: use a LanguageModel/],
    [{ max_tokens: 0 }, /max_tokens must be an integer >= 1, got 0/],
    [{ stream: 1 }, /stream must be true or false/],
    [{ api: "assistants" }, /api must be "chat" or "responses", got "assistants"/],
    [{ toolSearch: "fuzzy" }, /toolSearch must be true, false, "regex" or "bm25", got "fuzzy"/],
    [{ include: "all" }, /include must be a list of strings/],
    [{ builtin_tools: [1] }, /builtin_tools must be a list of names and objects/],
    [{ responseFormat: { type: "array" } }, /responseFormat must be .*json_object/],
    [{ interceptor: {} }, /interceptor must be an object with onOutbound or onInbound/],
    [{ toolCalling: "xml" }, /toolCalling must be "native" or "text"/],
    [{ contextWindowSize: 1000 }, /from 1024 to 2097152, got 1000/],
    [{ extra: () => 1 }, /extra must be JSON, got function/],
  ])("refuse %o", (given, message) => {
    expect(() => readModelSettings({ model: "m", ...given })).toThrow(message);
  });
});
