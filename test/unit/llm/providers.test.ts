import { describe, expect, it } from "vitest";
import { keyVariables, PROVIDERS, variablePrefix } from "../../../src/llm/providers.ts";
import { resolveModel, type ModelSpec } from "../../../src/llm/resolve-model.ts";
import { recordedFetch, type Sent } from "../../support/recorded-fetch.ts";

const signal = new AbortController().signal;

async function send(spec: ModelSpec, variables: Record<string, string>): Promise<Sent> {
  const { sent, fetch } = recordedFetch();
  const model = resolveModel(spec, { variables, fetch });
  await model.generate({ messages: [{ role: "user", content: "Hello" }] }, { signal });
  const [first] = sent;
  if (first === undefined) throw new Error("nothing was sent");
  return first;
}

const PLACEHOLDERS = {
  AZURE_API_BASE: "https://acme.openai.azure.com",
  SNOWFLAKE_ACCOUNT: "acme",
  CLOUDFLARE_ACCOUNT_ID: "acc",
  GOOGLE_CLOUD_PROJECT: "acme",
};

describe.each(PROVIDERS)("$id", (provider) => {
  const [key = ""] = keyVariables(provider);

  it("is called at its own address with its own key", async () => {
    const { url, headers } = await send(`${provider.id}/m-1`, { ...PLACEHOLDERS, [key]: "secret" });
    expect(url).toMatch(
      /^https?:\/\/[\w.:-]+\/[\w./?=-]*(chat\/completions|v1\/messages|:generateContent|\/converse)/,
    );
    const sentKeys = ["authorization", "api-key", "x-goog-api-key"].map((name) =>
      headers.get(name),
    );
    expect(sentKeys.filter((value) => value?.includes("secret"))).toHaveLength(1);
    expect(sentKeys.filter((value) => value !== null)).toHaveLength(1);
  });

  it("moves with <NAME>_BASE_URL", async () => {
    const { url } = await send(`${provider.id}/m-1`, {
      [key]: "secret",
      [`${variablePrefix(provider.id)}_BASE_URL`]: "http://proxy.test/v1/",
    });
    expect(url.startsWith("http://proxy.test/v1/")).toBe(true);
    expect(url).not.toContain("/v1/v1");
  });

  it("takes <NAME>_API_KEY", () => {
    expect(keyVariables(provider)).toContain(`${variablePrefix(provider.id)}_API_KEY`);
  });

  it("is found by every alias", () => {
    const variables = { ...PLACEHOLDERS, [key]: "secret" };
    for (const alias of provider.aliases ?? []) {
      expect(resolveModel(`${alias}/m-1`, { variables }).id).toBe(`${provider.id}/m-1`);
    }
  });
});

describe("AI Gateway", () => {
  const gateway = {
    AI_GATEWAY_URL: "https://gateway.ai.cloudflare.com/v1/acc/gw/",
    AI_GATEWAY_TOKEN: "token",
    OPENAI_API_KEY: "secret",
    ANTHROPIC_API_KEY: "secret",
  };

  it.each([
    ["openai/gpt-4.1", "/openai/chat/completions", "gpt-4.1"],
    ["anthropic/claude-haiku-4-5", "/anthropic/v1/messages", "claude-haiku-4-5"],
    ["groq/llama", "/groq/chat/completions", "llama"],
    [
      { model: "gemini/gemini-2.5-pro", api: "chat" },
      "/compat/chat/completions",
      "google-ai-studio/gemini-2.5-pro",
    ],
    [
      "gemini/gemini-2.5-pro",
      "/google-ai-studio/v1beta/models/gemini-2.5-pro:generateContent",
      undefined,
    ],
    ["workers-ai/@cf/meta/llama", "/workers-ai/v1/chat/completions", "@cf/meta/llama"],
    ["acme/m-1", "/compat/chat/completions", "acme/m-1"],
  ] as const)("carries %j", async (model, path, name) => {
    const { url, headers, body } = await send(model, gateway);
    expect(url).toBe(`https://gateway.ai.cloudflare.com/v1/acc/gw${path}`);
    expect(body["model"]).toBe(name);
    expect(headers.get("cf-aig-authorization")).toBe("Bearer token");
    expect(headers.get("cf-aig-skip-cache")).toBe("true");
  });

  it("sends no key when the gateway keeps it", async () => {
    const { headers } = await send("groq/llama", gateway);
    expect(headers.get("authorization")).toBeNull();
  });

  it("carries an Azure deployment", async () => {
    const { url } = await send("azure/my-gpt", { ...gateway, ...PLACEHOLDERS, AZURE_API_KEY: "k" });
    expect(url).toBe(
      "https://gateway.ai.cloudflare.com/v1/acc/gw/azure-openai/acme/my-gpt/chat/completions?api-version=2024-06-01",
    );
  });

  it("is replaced by a base URL of the provider", async () => {
    const { url, headers } = await send("openai/gpt-4.1", {
      ...gateway,
      OPENAI_BASE_URL: "http://proxy.test/v1",
    });
    expect(url).toBe("http://proxy.test/v1/chat/completions");
    expect(headers.get("cf-aig-authorization")).toBeNull();
  });
});

describe("addresses", () => {
  it("puts an Azure deployment into the path and its key into a header", async () => {
    const { url, headers } = await send("azure_openai/my-gpt", {
      AZURE_OPENAI_ENDPOINT: "https://acme.openai.azure.com/",
      AZURE_OPENAI_API_KEY: "secret",
      AZURE_API_VERSION: "2025-01-01",
    });
    expect(url).toBe(
      "https://acme.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01",
    );
    expect(headers.get("api-key")).toBe("secret");
    expect(headers.get("authorization")).toBeNull();
  });

  it("completes Ollama's short address", async () => {
    const { url } = await send("ollama_chat/llama3", { OLLAMA_HOST: "gpu:11434" });
    expect(url).toBe("http://gpu:11434/v1/chat/completions");
  });

  it("calls an unlisted provider by its variables", async () => {
    const { url, headers, body } = await send("acme/m-1", {
      ACME_BASE_URL: "https://acme.test/v1",
      ACME_API_KEY: "secret",
    });
    expect(url).toBe("https://acme.test/v1/chat/completions");
    expect(headers.get("authorization")).toBe("Bearer secret");
    expect(body["model"]).toBe("m-1");
  });

  it("never sends a key of the environment to an address from a definition", async () => {
    const { headers } = await send(
      { model: "openai/gpt-4.1", baseUrl: "https://elsewhere.test/v1" },
      { OPENAI_API_KEY: "secret" },
    );
    expect(headers.get("authorization")).toBeNull();
    const own = await send(
      { model: "anthropic/claude", baseUrl: "https://elsewhere.test", apiKey: "own" },
      { ANTHROPIC_API_KEY: "secret" },
    );
    expect(own.headers.get("authorization")).toBe("Bearer own");
  });

  it("names the missing part of an address", () => {
    expect(() => resolveModel("snowflake/m", { variables: {} })).toThrow(/SNOWFLAKE_ACCOUNT/);
    expect(() => resolveModel("azure/m", { variables: {} })).toThrow(/AZURE_API_BASE/);
    expect(() => resolveModel("workers-ai/@cf/m", { variables: {} })).toThrow(/bind AI/);
    expect(() => resolveModel({ model: "m", baseUrl: "localhost" }, { variables: {} })).toThrow(
      /whole URL/,
    );
  });
});
