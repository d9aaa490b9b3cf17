import { describe, expect, it } from "vitest";
import { InMemoryModelCache } from "../../../src/llm/in-memory-model-cache.ts";
import type { LanguageModel, ModelRequest } from "../../../src/llm/language-model.ts";
import type { ModelCache } from "../../../src/llm/model-cache.ts";
import type { ModelSettings } from "../../../src/llm/model-settings.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";

const signal = new AbortController().signal;
const hello: ModelRequest = { messages: [{ role: "user", content: "Hello" }] };

/** Models that share a cache, and what they send. */
function world(cache: ModelCache = new InMemoryModelCache()) {
  const { sent, fetch } = recordedFetch();
  const model = (settings: Partial<ModelSettings> = {}): LanguageModel =>
    resolveModel(
      { model: "openai/gpt-4.1", cacheSeed: 42, ...settings },
      { variables: { OPENAI_API_KEY: "k" }, fetch, cache },
    );
  return { sent, model };
}

describe("a cached answer", () => {
  it("MCH1, MCH2: is found under another key and address, and costs no tokens (D6.57)", async () => {
    const { sent, model } = world();
    const first = await model({ apiKey: "one" }).generate(hello, { signal });
    expect(first.usage.requests).toBe(1);
    const elsewhere = { apiKey: "two", baseUrl: "https://proxy.example.com/v1" };
    const others = [elsewhere, { headers: { "x-team": "red" } }, { timeoutMs: 9, tags: ["x"] }];
    for (const settings of others) {
      const again = await model(settings).generate(hello, { signal });
      expect(again).toMatchObject({
        text: first.text,
        usage: { requests: 0, totalTokens: 0, costUsd: 0 },
        spent: [{ model: "openai/gpt-4.1", usage: first.usage, cached: true }],
      });
    }
    expect(sent).toHaveLength(1);
  });

  it.each<[string, Partial<ModelSettings>, ModelRequest]>([
    ["seed", { cacheSeed: 43 }, hello],
    ["temperature", { temperature: 0.5 }, hello],
    ["model", { model: "openai/gpt-4o" }, hello],
    ["parameter", { params: { user: "ana" } }, hello],
    ["conversation", {}, { messages: [{ role: "user", content: "Hello!" }] }],
    ["set of tools", {}, { ...hello, tools: [{ name: "t", description: "", parameters: {} }] }],
  ])("MCH1: is not found with another %s", async (_, settings, request) => {
    const { sent, model } = world();
    await model().generate(hello, { signal });
    await model(settings).generate(request, { signal });
    expect(sent).toHaveLength(2);
  });

  it("MCH1: is found for any order of fields", async () => {
    const { sent, model } = world();
    await model({ params: { a: 1, b: 2 } }).generate(hello, { signal });
    await model({ params: { b: 2, a: 1 } }).generate(hello, { signal });
    expect(sent).toHaveLength(1);
  });

  it("MCH2: reaches listeners, in one piece", async () => {
    const { model } = world();
    const { text } = await model().generate(hello, { signal });
    const said: string[] = [];
    await model().generate(hello, { signal, onDelta: (piece) => said.push(piece) });
    expect(said).toEqual([text]);
  });

  it("MCH3: a failing cache, or one with invalid entries, is ignored", async () => {
    const broken: ModelCache = {
      get: () => Promise.reject(new Error("down")),
      set: () => Promise.reject(new Error("down")),
    };
    const strange: ModelCache = {
      get: async () => ({ text: 7 }),
      set: async () => undefined,
    };
    for (const cache of [broken, strange]) {
      const { sent, model } = world(cache);
      expect((await model().generate(hello, { signal })).usage.requests).toBe(1);
      expect(sent).toHaveLength(1);
    }
  });

  it("MCH3: an empty answer is not cached", async () => {
    const own = scriptedModel([" ", "words"]);
    const model = resolveModel(
      { configList: [own], cacheSeed: 1 },
      { variables: {}, cache: new InMemoryModelCache() },
    );
    expect((await model.generate(hello, { signal })).text).toBe(" ");
    expect((await model.generate(hello, { signal })).text).toBe("words");
  });

  it("comes from the cache of the settings, then of the call, then of the environment", async () => {
    const [settings, call, environment] = [
      new InMemoryModelCache(),
      new InMemoryModelCache(),
      new InMemoryModelCache(),
    ];
    const { sent, model } = world(environment);
    await model({ cache: settings }).generate(hello, { signal, cache: call });
    await model().generate(hello, { signal, cache: call });
    await model().generate(hello, { signal });
    expect(sent).toHaveLength(3);
    await model({ cache: settings }).generate(hello, { signal });
    await model().generate(hello, { signal, cache: call });
    await model().generate(hello, { signal });
    expect(sent).toHaveLength(3);
  });

  it("is forgotten after its time", async () => {
    const clock = new SimulatedClock();
    const { sent, model } = world(new InMemoryModelCache({ clock }));
    await model({ cacheTtlSeconds: 60 }).generate(hello, { signal });
    await clock.advance(59_000);
    await model({ cacheTtlSeconds: 60 }).generate(hello, { signal });
    expect(sent).toHaveLength(1);
    await clock.advance(1_000);
    await model({ cacheTtlSeconds: 60 }).generate(hello, { signal });
    expect(sent).toHaveLength(2);
  });
});
