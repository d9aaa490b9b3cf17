import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  isSecretReference,
  markAsData,
  type DefinitionRules,
} from "../../../src/llm/definition-rules.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import type { ModelEnvironment } from "../../../src/llm/model-environment.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { resolveEmbedder } from "../../../src/vectors/embedders/resolve-embedder.ts";

const PUBLIC: DefinitionRules = { outbound: {} };
const signal = new AbortController().signal;

function environment(rules: DefinitionRules, more: Partial<ModelEnvironment> = {}) {
  return { variables: {}, definitions: rules, ...more };
}

function network(answer: () => Response) {
  const asked: Request[] = [];
  const send = (async (...[input, init]: Parameters<typeof fetch>) => {
    asked.push(new Request(input, init));
    return answer();
  }) as typeof fetch;
  return { asked, send };
}

function ask(model: LanguageModel) {
  return model.generate({ messages: [{ role: "user", content: "Hi" }] }, { signal });
}

const OK = () =>
  Response.json({
    choices: [{ message: { role: "assistant", content: "Yes" }, finish_reason: "stop" }],
    usage: {},
  });

describe("DR2: addresses in data", () => {
  const models = (baseUrl: string): readonly JsonObject[] => [
    { model: "openai/gpt-5", baseUrl },
    { model: "openai/gpt-5", base_url: baseUrl },
    { model: "openai/gpt-5", api_base: baseUrl },
    { model: "anthropic/claude-haiku-4-5", baseUrl },
    { model: "x", provider: "mine", baseUrl },
    { model: "ollama/llama3", baseUrl },
    { model: "x", custom_openai: true, baseURL: baseUrl },
  ];

  it.each([
    "http://127.0.0.1:9",
    "http://169.254.169.254",
    "https://[::127.0.0.1]",
    "https://168.63.129.16/v1",
    "https://10.0.0.1",
    "https://localhost",
    "https://db.internal/v1",
    "http://example.com/v1",
    "ftp://example.com",
    "https://me:pw@example.com/v1",
  ])("refuses %s for models and embedders", (baseUrl) => {
    for (const spec of models(baseUrl)) {
      expect(() => resolveModel(markAsData({ ...spec }) as never, environment(PUBLIC))).toThrow(
        /baseUrl must/,
      );
      expect(() =>
        resolveModel(markAsData([{ model: "openai/gpt-5" }, spec]) as never, environment(PUBLIC)),
      ).toThrow(/baseUrl must/);
    }
    for (const spec of [
      { model: "openai/text-embedding-3-small", baseUrl },
      { provider: "ollama", config: { model: "x", url: baseUrl } },
      { provider: "cohere", config: { api_base: baseUrl } },
    ])
      expect(() => resolveEmbedder(markAsData(spec), environment(PUBLIC))).toThrow(/baseUrl must/);
  });

  it("leaves addresses of the code free", () => {
    for (const spec of models("http://127.0.0.1:9"))
      expect(resolveModel(spec as never, environment(PUBLIC)).id).toBeTypeOf("string");
  });

  it("takes public addresses over https, and with a list the listed hosts alone", () => {
    const at = (baseUrl: string, rules: DefinitionRules) =>
      resolveModel(markAsData({ model: "openai/x", baseUrl }), environment(rules)).id;
    expect(at("https://api.example.com/v1", PUBLIC)).toBe("openai/x");
    const listed = {
      ...PUBLIC,
      modelHosts: ["api.example.com", "*.models.example", "LOCALHOST:11434"],
    };
    for (const url of [
      "https://api.example.com/v1",
      "http://eu.models.example:8080",
      "http://localhost:11434/v1",
    ])
      expect(at(url, listed)).toBe("openai/x");
    for (const url of [
      "https://other.example.com/v1",
      "https://models.example",
      "https://evilmodels.example",
      "http://localhost:11435",
      "https://api.example.com.evil.example",
      "https://api.example.com@evil.example",
    ])
      expect(() => at(url, listed)).toThrow(/baseUrl must/);
    expect(() => at("https://api.example.com/v1", { ...PUBLIC, modelHosts: [] })).toThrow(
      /: none;/,
    );
    expect(at("http://127.0.0.1:1", { outbound: { allowPrivate: true } })).toBe("openai/x");
  });

  it.each([301, 302, 303, 307, 308])(
    "does not follow a redirect with %i, nor carries the key along",
    async (status) => {
      const { asked, send } = network(
        () => new Response(null, { status, headers: { location: "http://169.254.169.254/" } }),
      );
      const spec = markAsData({
        model: "openai/x",
        baseUrl: "https://api.example.com/v1",
        apiKey: "k",
      });
      await expect(
        ask(resolveModel(spec, environment(PUBLIC, { fetch: send }))),
      ).rejects.toMatchObject({
        code: "model_rejected",
        message: expect.stringContaining("redirect"),
      });
      expect(asked.map(({ url }) => new URL(url).host)).toEqual(["api.example.com"]);
      expect(asked[0]?.redirect).toBe("manual");
    },
  );
});

describe("DR1: the mark", () => {
  it("reaches everything within, also in circular objects", () => {
    const loop: { llm: object; self?: unknown } = {
      llm: [{ model: "openai/x", baseUrl: "https://localhost" }],
    };
    loop.self = loop;
    markAsData(loop);
    expect(() => resolveModel(loop.llm as never, environment(PUBLIC))).toThrow(/baseUrl must/);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "a model or setting named %s does not hit an object's own properties",
    (name) => {
      expect(typeof resolveModel(name, { variables: {}, models: {} }).generate).toBe("function");
      const spec = markAsData(
        JSON.parse(`{"model":"openai/x","${name}":{"holds":1}}`) as JsonObject,
      );
      expect(resolveModel(spec as never, environment(PUBLIC)).id).toBe("openai/x");
    },
  );
});

describe("DR3: secrets in data", () => {
  afterEach(() => vi.restoreAllMocks());
  const variables = { TEAM_KEY: "team-key-12345", OPENAI_API_KEY: "operator-key-1", OTHER: "no" };

  it("sends a listed secret to the provider's own address", async () => {
    const { asked, send } = network(OK);
    const spec = markAsData({ model: "openai/x", apiKey: { secret: "TEAM_KEY" } });
    const rules = { ...PUBLIC, secrets: ["TEAM_KEY"] };
    await ask(resolveModel(spec, { ...environment(rules, { fetch: send }), variables }));
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer team-key-12345");
    expect(new URL(asked[0]?.url ?? "").host).toBe("api.openai.com");
  });

  it("refuses unlisted secrets of any name", () => {
    for (const secret of [
      "OTHER",
      "OPENAI_API_KEY",
      "EDGECREW_ADMIN_KEY",
      "constructor",
      "__proto__",
    ])
      expect(() =>
        resolveModel(markAsData({ model: "openai/x", apiKey: { secret } }), {
          ...environment({ ...PUBLIC, secrets: ["TEAM_KEY"] }),
          variables,
        }),
      ).toThrow(/does not list/);
  });

  it("sends no secret to an address in the data, unless the host is listed", () => {
    const spec = {
      model: "openai/x",
      baseUrl: "https://evil.example/v1",
      apiKey: { secret: "TEAM_KEY" },
    };
    const rules = { ...PUBLIC, secrets: ["TEAM_KEY"] };
    expect(() =>
      resolveModel(markAsData({ ...spec }), { ...environment(rules), variables }),
    ).toThrow(/own address, or to a host that it lists/);
    const listed = { ...rules, modelHosts: ["evil.example"] };
    expect(resolveModel(markAsData({ ...spec }), { ...environment(listed), variables }).id).toBe(
      "openai/x",
    );
  });

  it("reports an unset secret when the model is called", async () => {
    const spec = markAsData({ model: "openai/x", apiKey: { secret: "TEAM_KEY" } });
    const model = resolveModel(spec, environment({ ...PUBLIC, secrets: ["TEAM_KEY"] }));
    await expect(ask(model)).rejects.toMatchObject({
      code: "model_unauthorized",
      message: expect.stringContaining("the secret TEAM_KEY is not set"),
    });
  });

  it.each([
    ["openai/x", "authorization", "Bearer opened-key-9"],
    ["azure/x", "api-key", "opened-key-9"],
    ["anthropic/claude-haiku-4-5", "authorization", "Bearer opened-key-9"],
  ])("opens a sealed key for each request of %s", async (model, header, expected) => {
    const { asked, send } = network(() => new Response("{}", { status: 400 }));
    const open = vi.fn<(sealed: string, owner: string) => Promise<string>>(async (sealed, owner) =>
      sealed === "s" && owner === "o" ? "opened-key-9" : "wrong",
    );
    const spec = markAsData({
      model,
      baseUrl: "https://api.example.com/v1",
      apiKey: { sealed: "s", owner: "o" },
    });
    const made = resolveModel(spec, environment({ ...PUBLIC, open }, { fetch: send }));
    await ask(made).catch(() => undefined);
    expect(asked[0]?.headers.get(header)).toBe(expected);
    expect(JSON.stringify(made)).not.toContain("opened-key-9");
  });

  it("knows a reference by its whole form", () => {
    for (const value of [{ secret: "A" }, { sealed: "a", owner: "b" }])
      expect(isSecretReference(value)).toBe(true);
    for (const value of [
      {},
      { secret: 1 },
      { secret: "" },
      { secret: "A", x: 1 },
      { sealed: "a" },
      "A",
      ["A"],
      null,
    ])
      expect(isSecretReference(value)).toBe(false);
  });

  it("does not quote a refused key", () => {
    for (const apiKey of [
      ["CANARY-KEY-1"],
      { key: "CANARY-KEY-1" },
      { secret: ["CANARY-KEY-1"] },
    ]) {
      const spec = { model: "openai/x", apiKey } as never;
      expect(() => resolveModel(spec, environment(PUBLIC))).toThrow(/apiKey must be/);
      expect(() => resolveModel(spec, environment(PUBLIC))).not.toThrow(/CANARY/);
      expect(() => resolveEmbedder(spec, environment(PUBLIC))).not.toThrow(/CANARY/);
    }
  });
});
