import { llm } from "../../../src/agent/llm.ts";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import type { ModelSettings } from "../../../src/llm/model-settings.ts";
import { resolveModel, type ModelSpec } from "../../../src/llm/resolve-model.ts";
import type { ModelEnvironment } from "../../../src/llm/model-environment.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { recordedFetch, type Sent } from "../../support/recorded-fetch.ts";

const KEYS = { OPENAI_API_KEY: "openai-key", ANTHROPIC_API_KEY: "anthropic-key" };
const signal = new AbortController().signal;

/** Resolves, makes one call, and returns what was sent. */
async function send(
  spec: ModelSpec | undefined,
  environment: Partial<ModelEnvironment> = {},
): Promise<Sent & { readonly model: LanguageModel }> {
  const { sent, fetch } = recordedFetch();
  const model = resolveModel(spec, { variables: KEYS, fetch, ...environment });
  await model.generate({ messages: [{ role: "user", content: "Hello" }] }, { signal });
  const [first] = sent;
  if (first === undefined) throw new Error("nothing was sent");
  return { ...first, model };
}

function resolve(spec: unknown, variables: ModelEnvironment["variables"] = KEYS): LanguageModel {
  return resolveModel(spec as ModelSpec, { variables });
}

describe("model names", () => {
  it("M2: openai/gpt-4o is OpenAI's gpt-4o", async () => {
    const { url, body, headers, model } = await send("openai/gpt-4o");
    expect(model.id).toBe("openai/gpt-4o");
    expect(url).toBe("https://api.openai.com/v1/chat/completions");
    expect(body["model"]).toBe("gpt-4o");
    expect(headers.get("authorization")).toBe("Bearer openai-key");
  });

  it("M3: claude-3-5-sonnet-20241022 is Anthropic's", async () => {
    const { url, body, headers, model } = await send("claude-3-5-sonnet-20241022");
    expect(model.id).toBe("anthropic/claude-3-5-sonnet-20241022");
    expect(url).toBe("https://api.anthropic.com/v1/messages");
    expect(body).toMatchObject({ model: "claude-3-5-sonnet-20241022", max_tokens: 8192 });
    expect(headers.get("authorization")).toBe("Bearer anthropic-key");
  });

  it("M2: google/gemini-2.5-flash is Gemini's", async () => {
    const { url, headers, model } = await send("google/gemini-2.5-flash", {
      variables: { GEMINI_API_KEY: "key" },
    });
    expect(model.id).toBe("gemini/gemini-2.5-flash");
    expect(url).toBe(
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
    );
    expect(headers.get("x-goog-api-key")).toBe("key");
  });

  it("M3: my-model goes to OpenAI", () => {
    expect(resolve("my-model").id).toBe("openai/my-model");
  });

  it("M2: groq/llama-3.1-8b goes to Groq; an unknown provider is refused, naming those known", async () => {
    const { url } = await send("groq/llama-3.1-8b", { variables: { GROQ_API_KEY: "key" } });
    expect(url).toBe("https://api.groq.com/openai/v1/chat/completions");
    expect(() => resolve("acme/m-1")).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringMatching(
          /unknown provider "acme".*openai, anthropic.*ACME_BASE_URL.*baseUrl/,
        ) as string,
      }),
    );
  });

  it("M2: openai/my-local with a base URL calls its address", async () => {
    const { url, body } = await send({
      model: "openai/my-local",
      base_url: "http://localhost:1234/v1",
    } as ModelSpec);
    expect(url).toBe("http://localhost:1234/v1/chat/completions");
    expect(body["model"]).toBe("my-local");
  });

  it("M4: MODEL=ollama/llama3 alone calls Ollama's default address with /v1", async () => {
    const { url, headers, model } = await send(undefined, {
      variables: { MODEL: "ollama/llama3" },
    });
    expect(model.id).toBe("ollama/llama3");
    expect(url).toBe("http://localhost:11434/v1/chat/completions");
    expect(headers.get("authorization")).toBe("Bearer ollama");
  });

  it.each([
    ["CLAUDE/claude-haiku-4-5", "anthropic/claude-haiku-4-5"],
    ["gemini-2.5-pro", "gemini/gemini-2.5-pro"],
    [
      "anthropic.claude-3-5-sonnet-20241022-v2:0",
      "bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0",
    ],
    ["openrouter/meta-llama/llama-3.3-70b", "openrouter/meta-llama/llama-3.3-70b"],
    [{ model: "meta-llama/Llama-3.3", provider: "together" }, "together/meta-llama/Llama-3.3"],
    [
      { model: "meta-llama/Llama-3.3", baseUrl: "http://gpu:8000/v1" },
      "openai/meta-llama/Llama-3.3",
    ],
    [{ deployment_name: "gpt-4o" }, "openai/gpt-4o"],
  ])("%o is %s", (spec, id) => {
    expect(resolve(spec).id).toBe(id);
  });

  it.each([
    "",
    "  ",
    "openai/",
    7,
    null,
    {},
    [],
    { model: 3 },
    "workers-ai/@cf/meta/llama",
    "offline/other",
  ])("M5: refuses %o", (spec) => {
    expect(() => resolve(spec)).toThrow(expect.objectContaining({ code: "invalid_definition" }));
  });

  it("lists the received keys when the model's name is missing", () => {
    expect(() => resolve({ name: "gpt-4o", temperature: 1 })).toThrow(/name, temperature/);
  });
});

describe("without a name", () => {
  it.each([
    [{ MODEL: "groq/a", MODEL_NAME: "groq/b", ...KEYS }, "groq/a"],
    [{ MODEL_NAME: "groq/b", OPENAI_MODEL_NAME: "c" }, "groq/b"],
    [{ OPENAI_MODEL_NAME: "c" }, "openai/c"],
    [KEYS, "openai/gpt-4.1-mini"],
    [{ ANTHROPIC_API_KEY: "key" }, "anthropic/claude-haiku-4-5"],
    [{ MODEL: " ", OPENAI_API_KEY: "" }, "offline/demo"],
    [{}, "offline/demo"],
  ])("takes from %o the model %s", (variables, id) => {
    expect(resolve(undefined, variables).id).toBe(id);
  });
});

describe("the user's own models", () => {
  const mine = scriptedModel(["hi"], { id: "my/own" });

  it("are taken as they are", () => {
    expect(resolve(mine)).toBe(mine);
  });

  it("M1: are found by their registered name before any provider", () => {
    const environment = { variables: {}, models: { "openai/gpt-4o": mine, house: mine } };
    expect(resolveModel("openai/gpt-4o", environment)).toBe(mine);
    expect(resolveModel("house", environment)).toBe(mine);
  });

  it("stand in a chain", () => {
    const chain = resolveModel(["openai/gpt-4.1", mine], { variables: KEYS });
    expect(chain.id).toBe("openai/gpt-4.1");
    expect(chain.contextWindow).toBe(200_000);
  });
});

describe("interceptors", () => {
  it("of the environment see every model's requests, before those of the model's settings", async () => {
    const seen: string[] = [];
    const named = (name: string) => ({
      onOutbound: () => void seen.push(`${name} out`),
      onInbound: () => void seen.push(`${name} in`),
    });
    await send(
      { model: "claude-haiku-4-5", interceptor: named("model") },
      {
        interceptor: named("all"),
      },
    );
    expect(seen).toEqual(["all out", "model out", "model in", "all in"]);
  });

  it("are refused when no HTTP request is made", () => {
    const spec = { model: "@cf/meta/llama-3.1-8b-instruct", interceptor: { onInbound: () => {} } };
    const environment = { variables: {}, ai: { run: async () => ({}) } };
    expect(() => resolveModel(spec, environment)).toThrow(/the AI binding makes none/);
  });

  it("fail the call with their error", async () => {
    const call = send({
      model: "gpt-4.1",
      interceptor: {
        onOutbound: () => {
          throw new EngineError("model_rejected", "not from here");
        },
      },
    });
    await expect(call).rejects.toThrow("not from here");
  });
});

describe("settings", () => {
  it("are sent in OpenAI's words", async () => {
    const settings: ModelSettings = {
      model: "gpt-4.1",
      temperature: 0.2,
      topP: 0.9,
      maxTokens: 50,
      seed: 7,
      stop: ["END"],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      reasoningEffort: "low",
      params: { user: "u-1" },
    };
    const { body } = await send(settings);
    expect(body).toEqual({
      model: "gpt-4.1",
      temperature: 0.2,
      top_p: 0.9,
      max_completion_tokens: 50,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      reasoning_effort: "low",
      user: "u-1",
      messages: [{ role: "user", content: "Hello" }],
      stream: false,
    });
  });

  it("are sent in OpenAI's words, the rarer ones too", async () => {
    const { body } = await send({
      model: "gpt-4.1",
      n: 2,
      logitBias: { "50256": -100 },
      logprobs: true,
      topLogprobs: 3,
      store: true,
      responseFormat: { type: "json_object" },
    });
    expect(body).toMatchObject({
      n: 2,
      logit_bias: { "50256": -100 },
      logprobs: true,
      top_logprobs: 3,
      store: true,
      response_format: { type: "json_object" },
    });
  });

  it("of other crews without a meaning here are not sent", async () => {
    const { body } = await send({
      model: "gpt-4.1",
      is_litellm: true,
      max_retries: 2,
      prefer_upload: false,
      api: "completions",
    } as unknown as ModelSpec);
    expect(Object.keys(body).toSorted()).toEqual(["messages", "model", "stream"]);
  });

  it.each([
    [{ model: "gpt-4.1", instructions: "x" }, /instructions is a setting of the responses API/],
    [{ model: "gpt-4.1", autoChain: true }, /autoChain is a setting of the responses API/],
    [{ model: "gpt-4.1", api: "responses", seed: 1 }, /seed is a setting of the chat API/],
    [
      { model: "gpt-4.1", api: "responses", builtinTools: ["file_search"] },
      /file_search must name its stores/,
    ],
    [
      { model: "gpt-4.1", api: "responses", builtinTools: ["bing"] },
      /builtinTools must be web_search, .*got "bing"/,
    ],
    [{ model: "claude-haiku-4-5", api: "responses" }, /has no Responses API/],
    [{ model: "claude-haiku-4-5", include: ["x"] }, /include is a setting of OpenAI's alone/],
    [
      { model: "claude-haiku-4-5", responseFormat: { type: "json_object" } },
      /json_object is not known to Anthropic/,
    ],
    [
      { model: "bedrock/amazon.nova-lite-v1:0", responseFormat: { type: "json_object" } },
      /json_object is not known to Bedrock/,
    ],
    [{ model: "house", customOpenai: true }, /customOpenai needs an address/],
  ])("are refused when they cannot work: %j", (spec, message) => {
    expect(() => resolve(spec)).toThrow(message);
  });

  it("take any address for OpenAI's with customOpenai", async () => {
    const { url, body } = await send(
      { model: "openai/house/one", customOpenai: true },
      { variables: { ...KEYS, OPENAI_API_BASE: "http://gpu/v1" } },
    );
    expect(url).toBe("http://gpu/v1/chat/completions");
    expect(body["model"]).toBe("house/one");
  });

  it("name Azure's API version, except for Responses", async () => {
    const variables = { AZURE_API_KEY: "k", AZURE_API_BASE: "https://acme.openai.azure.com" };
    const chat = await send({ model: "azure/gpt-4.1", apiVersion: "2025-01-01" }, { variables });
    expect(chat.url).toContain(
      "/openai/deployments/gpt-4.1/chat/completions?api-version=2025-01-01",
    );
    const responses = await send({ model: "azure/gpt-4.1", api: "responses" }, { variables });
    expect(responses.url).toBe("https://acme.openai.azure.com/openai/v1/responses");
    expect(responses.body["model"]).toBe("gpt-4.1");
  });

  it("name the token limit as other servers expect it", async () => {
    const { body } = await send({ model: "local", baseUrl: "http://gpu/v1", maxTokens: 5 });
    expect(body).toMatchObject({ max_tokens: 5 });
    expect(body).not.toHaveProperty("max_completion_tokens");
  });

  it.each(["o1", "o3-mini", "gpt-5", "openrouter/openai/gpt-5.4-mini"])(
    "drop stop words for %s",
    async (model) => {
      const resolved = await send(
        { model, stop: ["END"] },
        { variables: { ...KEYS, OPENROUTER_API_KEY: "k" } },
      );
      expect(resolved.body).not.toHaveProperty("stop");
      expect(resolved.model.capabilities.stop).toBe(false);
    },
  );

  it("can turn native tools off", async () => {
    const model = resolve({ model: "gpt-4.1", tool_calling: "text" });
    expect(model.capabilities.tools).toBe(false);
    expect(resolve("gpt-4.1").capabilities.tools).toBe(true);
  });

  it("can say how large the context window is", () => {
    expect(resolve({ model: "gpt-4.1", context_window_size: 9000 }).contextWindow).toBe(9000);
  });

  it("can price a model missing from the list", async () => {
    const { fetch } = recordedFetch();
    const model = resolveModel("openai/own-1", {
      variables: KEYS,
      fetch,
      prices: { "openai/own-1": { input: 1, cachedInput: 1, output: 1 } },
    });
    expect(model.id).toBe("openai/own-1");
  });
});

it("M4: a spec without a name uses the default model", () => {
  const variables = { MODEL: "anthropic/claude-haiku-4-5", ANTHROPIC_API_KEY: "key" };
  for (const spec of [undefined, { spec: undefined }, llm(), [llm()]])
    expect(resolveModel(spec, { variables }).id).toBe("anthropic/claude-haiku-4-5");
});
