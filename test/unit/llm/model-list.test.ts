import { describe, expect, it } from "vitest";
import { InMemoryModelCache } from "../../../src/llm/in-memory-model-cache.ts";
import { modelList, modelListFrom, type ModelListEntry } from "../../../src/llm/model-list.ts";
import type { ModelEnvironment } from "../../../src/llm/model-environment.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { recordedFetch, type Sent } from "../../support/recorded-fetch.ts";

const signal = new AbortController().signal;
const hello = { messages: [{ role: "user" as const, content: "Hello" }] };

/** What is sent for a call of a list. */
async function send(spec: unknown, environment: Partial<ModelEnvironment> = {}): Promise<Sent> {
  const { sent, fetch } = recordedFetch();
  const variables = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
  const model = resolveModel(spec as never, { variables, fetch, ...environment });
  await model.generate(hello, { signal });
  const [first] = sent;
  if (first === undefined) throw new Error("nothing was sent");
  return first;
}

const idsOf = (entries: readonly ModelListEntry[]): readonly unknown[] =>
  entries.map((entry) => (typeof entry === "string" ? entry : Reflect.get(entry, "model")));

describe("a list of models", () => {
  it("MLS1: fills in settings missing from its entries", async () => {
    const list = modelList(
      [{ model: "openai/gpt-4.1", temperature: 0.9, top_p: null }, "openai/gpt-4o"],
      { temperature: 0.1, topP: 0.5, maxTokens: 70 },
    );
    expect((await send(list)).body).toMatchObject({
      temperature: 0.9,
      top_p: 0.5,
      max_completion_tokens: 70,
    });
    const second = list.where({ model: "openai/gpt-4o" });
    expect((await send(second)).body).toMatchObject({ model: "gpt-4o", temperature: 0.1 });
  });

  it("MLS1: a setting of an entry counts under each of its names", async () => {
    const entry = { model: "openai/gpt-4.1", max_completion_tokens: 9 };
    expect((await send(modelList([entry], { maxTokens: 70 }))).body).toMatchObject({
      max_completion_tokens: 9,
    });
  });

  it("MLS1: a cache of the list holds for models of one's own too", async () => {
    const own = scriptedModel(["once"]);
    const list = modelList([own], { cache: new InMemoryModelCache() });
    const model = resolveModel(list, { variables: {} });
    for (const requests of [1, 0])
      expect(await model.generate(hello, { signal })).toMatchObject({
        text: "once",
        usage: { requests },
      });
  });

  const entries = [
    { model: "gpt-4", tags: ["slow", "good"], api_type: "azure" },
    { model: "gpt-4o-mini", tags: ["cheap"] },
    { model: "claude-haiku-4-5" },
  ];

  it("MLS2: where keeps entries with every criterion, and fails on an empty result (D6.59)", () => {
    const list = modelList(entries);
    const ids = (...args: Parameters<typeof list.where>): readonly unknown[] =>
      idsOf(list.where(...args).configList);
    expect(ids({ model: ["gpt-4", "gpt-4o-mini"] })).toEqual(["gpt-4", "gpt-4o-mini"]);
    expect(ids({ tags: ["cheap", "good"] })).toEqual(["gpt-4", "gpt-4o-mini"]);
    expect(ids({ tags: "good" })).toEqual(["gpt-4"]);
    expect(ids({ apiType: ["azure"], tags: ["slow"] })).toEqual(["gpt-4"]);
    expect(() => modelList(["c"]).where({ model: ["a", "b"] })).toThrow(
      /none of the 1 entries has {"model":\["a","b"\]}/,
    );
  });

  it("MLS2: exclude drops an entry with one matching criterion, and keeps entries without the field (D6.59)", () => {
    const left = modelList(entries).where({ tags: ["cheap"], model: "gpt-4" }, { exclude: true });
    expect(idsOf(left.configList)).toEqual(["claude-haiku-4-5"]);
    expect(() => left.where({ model: "claude-haiku-4-5" }, { exclude: true })).toThrow(
      /is left without/,
    );
  });

  it("MLS2: where keeps the settings of the list", () => {
    const list = modelList(entries, { routing: "round_robin", temperature: 0 });
    expect(list.where({ tags: "cheap" }).spec).toMatchObject({
      routing: "round_robin",
      temperature: 0,
    });
  });

  it.each([
    ["openai", "https://api.openai.com/v1/chat/completions"],
    ["openai_v2", "https://api.openai.com/v1/chat/completions"],
    ["responses", "https://api.openai.com/v1/responses"],
    ["responses_v2", "https://api.openai.com/v1/responses"],
    ["anthropic", "https://api.anthropic.com/v1/messages"],
    ["anthropic_v2", "https://api.anthropic.com/v1/messages"],
    ["azure", "https://r.openai.azure.com/openai/deployments/m/chat/completions"],
    ["deepseek", "https://api.deepseek.com/v1/chat/completions"],
    ["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"],
    ["bedrock_v2", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"],
    ["google", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"],
    [
      "google_vertex",
      "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi/chat/completions",
    ],
    ["mistral", "https://api.mistral.ai/v1/chat/completions"],
    ["cohere", "https://api.cohere.ai/compatibility/v1/chat/completions"],
    ["groq", "https://api.groq.com/openai/v1/chat/completions"],
    ["together", "https://api.together.xyz/v1/chat/completions"],
    ["ollama", "http://localhost:11434/v1/chat/completions"],
    ["cerebras", "https://api.cerebras.ai/v1/chat/completions"],
  ])("MLS3: api_type %s is at %s", async (api_type, url) => {
    const variables = {
      AZURE_API_BASE: "https://r.openai.azure.com",
      GOOGLE_CLOUD_PROJECT: "p",
    };
    const list = modelListFrom([{ api_type, model: "m", api_key: "sk-0123456789" }]);
    const sent = await send(list, { variables });
    expect(sent.url.split("?")[0]).toBe(url);
    expect([...sent.headers.values()].join()).toContain("sk-0123456789");
  });

  it("MLS3: reads AG2's fields of an entry", async () => {
    const { url, body, headers } = await send(
      modelListFrom([
        {
          api_type: "openai",
          model: "local/m",
          base_url: "localhost:8123/v1",
          api_key: "k",
          price: [1, 2],
          tags: ["x"],
          voice: "alloy",
          default_headers: { "x-team": "red" },
          extra_body: { top_k: 4 },
          reasoning_effort: "low",
          user: "ana",
        },
      ]),
    );
    expect(url).toBe("http://localhost:8123/v1/chat/completions");
    expect(headers.get("x-team")).toBe("red");
    expect(body).toMatchObject({
      model: "local/m",
      top_k: 4,
      user: "ana",
      reasoning_effort: "low",
    });
    for (const name of ["tags", "price", "voice", "extra_body", "default_headers", "api_type"])
      expect(body).not.toHaveProperty(name);
  });

  it("MLS3: reads JSON text, a list, one entry and an object with settings", () => {
    const entry = { model: "gpt-4o", api_key: "k" };
    for (const data of [[entry], entry, { config_list: [entry] }, JSON.stringify([entry])])
      expect(modelListFrom(data).configList).toEqual([entry]);
    const { spec } = modelListFrom({
      config_list: ["openai/gpt-4o"],
      routing_method: "round_robin",
      fallback_on_client_error: true,
      cache_seed: 42,
      max_tokens: 5,
      timeout: 9,
      check_every_ms: 100,
    });
    expect(spec).toEqual({
      configList: ["openai/gpt-4o"],
      routing: "round_robin",
      fallbackOnClientError: true,
      cacheSeed: 42,
      maxTokens: 5,
      timeout: 9,
    });
    expect(modelListFrom(JSON.stringify(modelListFrom(spec))).spec).toEqual(spec);
  });

  it.each([
    [{ config_list: [] }, /at least one entry/],
    [{ config_list: "gpt-4o" }, /config_list must be a list/],
    [{ config_list: ["m"], temprature: 1 }, /temprature is not a setting of a list; known: /],
    [{ config_list: ["m"], routing: "random" }, /routing must be fixed_order, round_robin, spread/],
    [{ config_list: ["m"], temperature: 3 }, /temperature must be a number from 0 to 2, got 3/],
    [{ config_list: ["m"], filter: "x" }, /filter must be a function/],
    [["m", { model: "x", top_p: 2 }], /entry 1: .*top_p must be a number from 0 to 1/],
    [[{ api_type: "watson", model: "m" }], /entry 0: .*api_type must be one of openai, .*cerebras/],
    [[1], /entry 0 must be a model's name or an object, got 1/],
    [7, /expected a list of models, got number/],
  ])("MLS3: refuses %o", (data, message) => {
    expect(() => modelListFrom(data)).toThrow(message);
  });

  it("MLS3, MLS4: refuses a text that does not parse without quoting it", () => {
    const text = '[{"model": "m", "api_key": "sk-secret-0123456789"]';
    expect(() => modelListFrom(text)).toThrow(/expected JSON/);
    expect(() => modelListFrom(text)).not.toThrow(/sk-secret/);
  });

  it("MLS4: masks keys and tokens as a text, and stays whole as JSON", () => {
    const list = modelList([{ model: "m", api_key: "sk-1234", headers: { "x-token": "t-1" } }], {
      maxTokens: 3,
    });
    expect(String(list)).toBe(
      '{"maxTokens":3,"configList":[{"model":"m","api_key":"**********","headers":{"x-token":"**********"}}]}',
    );
    expect(JSON.stringify(list)).toContain("sk-1234");
  });

  it("stands wherever a model is named: as a value, as data, within a chain", () => {
    const environment = { variables: { OPENAI_API_KEY: "k" } };
    const settings = { config_list: ["openai/gpt-4.1", "openai/gpt-4o"], routing: "round_robin" };
    const id = "round_robin(openai/gpt-4.1,openai/gpt-4o)";
    expect(resolveModel(modelListFrom(settings), environment).id).toBe(id);
    expect(resolveModel(settings as never, environment).id).toBe(id);
    expect(resolveModel([settings as never, "openai/o3"], environment).id).toBe(id);
  });
});
