// Embedders of all wire forms against a server on loopback that speaks them, with the real SDK where one is used.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { Variables } from "../../../src/llm/variables.ts";
import { embedEach } from "../../../src/vectors/embed-each.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderSpec,
} from "../../../src/vectors/embedders/resolve-embedder.ts";
import {
  startEmbeddingServer,
  vectorOf,
  type EmbeddingServer,
} from "../../support/embedding-server.ts";

let server: EmbeddingServer;

beforeAll(async () => {
  server = await startEmbeddingServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.length = 0;
  server.faults.length = 0;
  server.refuse = () => false;
  server.distort = undefined;
});

const TEXTS = ["The first text", "another one, with ümläuts", "日本語"];

function embed(
  embedder: Embedder,
  texts: readonly string[],
  purpose?: "document" | "query",
): Promise<readonly Float32Array[]> {
  const signal = AbortSignal.timeout(10_000);
  return embedder.embed(texts, { signal, ...(purpose === undefined ? undefined : { purpose }) });
}

type Form = {
  readonly name: string;
  readonly spec: EmbedderSpec;
  readonly variables: (url: string) => Variables;
  readonly path: string;
  readonly body: object;
  /** What a query is called, where that makes a difference. */
  readonly query?: string;
  readonly auth?: readonly [string, string];
  /** Takes one text at a time. */
  readonly single?: true;
};

const FORMS: readonly Form[] = [
  {
    name: "openai",
    spec: "openai/text-embedding-3-small",
    variables: (url) => ({ OPENAI_API_KEY: "secret", OPENAI_BASE_URL: `${url}/v1` }),
    path: "/v1/embeddings",
    body: { model: "text-embedding-3-small", input: TEXTS },
  },
  {
    name: "azure",
    spec: { model: "azure/my-deployment", apiVersion: "2024-02-01" },
    variables: (url) => ({
      AZURE_API_KEY: "secret",
      AZURE_API_BASE: `${url}/openai/deployments/d`,
    }),
    path: "/openai/deployments/d/embeddings",
    body: { model: "my-deployment", input: TEXTS },
    auth: ["api-key", "secret"],
  },
  {
    name: "mistral",
    spec: "mistral/mistral-embed",
    variables: (url) => ({ MISTRAL_API_KEY: "secret", MISTRAL_BASE_URL: `${url}/v1` }),
    path: "/v1/embeddings",
    body: { model: "mistral-embed", input: TEXTS },
  },
  {
    name: "together",
    spec: "together/BAAI/bge-base-en-v1.5",
    variables: (url) => ({ TOGETHER_API_KEY: "secret", TOGETHER_BASE_URL: `${url}/v1` }),
    path: "/v1/embeddings",
    body: { model: "BAAI/bge-base-en-v1.5", input: TEXTS },
  },
  {
    name: "ollama",
    spec: "ollama/nomic-embed-text",
    variables: (url) => ({ OLLAMA_HOST: url.replace("http://", "") }),
    path: "/v1/embeddings",
    body: { model: "nomic-embed-text", input: TEXTS },
    auth: ["authorization", "Bearer ollama"],
  },
  {
    name: "workers-ai over REST",
    spec: "workers-ai/@cf/baai/bge-base-en-v1.5",
    variables: (url) => ({ CLOUDFLARE_API_TOKEN: "secret", WORKERS_AI_BASE_URL: `${url}/ai/v1` }),
    path: "/ai/v1/embeddings",
    body: { model: "@cf/baai/bge-base-en-v1.5", input: TEXTS },
  },
  {
    name: "an unlisted provider",
    spec: "acme/embed-1",
    variables: (url) => ({ ACME_BASE_URL: `${url}/acme`, ACME_API_KEY: "secret" }),
    path: "/acme/embeddings",
    body: { model: "embed-1", input: TEXTS },
  },
  {
    name: "cohere",
    spec: { model: "cohere/embed-v4.0", dimensions: 1024 },
    variables: (url) => ({ CO_API_KEY: "secret", COHERE_BASE_URL: `${url}/cohere` }),
    path: "/cohere/embed",
    body: {
      model: "embed-v4.0",
      texts: TEXTS,
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 1024,
    },
    query: "search_query",
  },
  {
    name: "voyageai",
    spec: "voyageai/voyage-3.5",
    variables: (url) => ({ VOYAGE_API_KEY: "secret", VOYAGEAI_BASE_URL: `${url}/v1` }),
    path: "/v1/embeddings",
    body: { model: "voyage-3.5", input: TEXTS, input_type: "document", truncation: true },
    query: "query",
  },
  {
    name: "jina",
    spec: "jina/jina-embeddings-v3",
    variables: (url) => ({ JINA_API_KEY: "secret", JINA_BASE_URL: `${url}/v1` }),
    path: "/v1/embeddings",
    body: {
      model: "jina-embeddings-v3",
      input: TEXTS,
      embedding_type: "float",
      task: "retrieval.passage",
    },
    query: "retrieval.query",
  },
  {
    name: "google",
    spec: "google/gemini-embedding-001",
    variables: (url) => ({ GEMINI_API_KEY: "secret", GEMINI_BASE_URL: `${url}/v1beta/openai` }),
    path: "/v1beta/models/gemini-embedding-001:batchEmbedContents",
    body: {
      requests: TEXTS.map((text) => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        taskType: "RETRIEVAL_DOCUMENT",
        outputDimensionality: 1536,
      })),
    },
    query: "RETRIEVAL_QUERY",
    auth: ["x-goog-api-key", "secret"],
  },
  {
    name: "vertex",
    spec: "google-vertex/text-embedding-005",
    variables: (url) => ({
      GOOGLE_ACCESS_TOKEN: "secret",
      VERTEX_BASE_URL: `${url}/publishers/google`,
    }),
    path: "/publishers/google/models/text-embedding-005:predict",
    body: {
      instances: TEXTS.map((content) => ({ content, task_type: "RETRIEVAL_DOCUMENT" })),
    },
    query: "RETRIEVAL_QUERY",
  },
  {
    name: "huggingface",
    spec: { provider: "huggingface" },
    variables: (url) => ({ HF_TOKEN: "secret", HUGGINGFACE_BASE_URL: `${url}/models` }),
    path: "/models/sentence-transformers/all-MiniLM-L6-v2/pipeline/feature-extraction",
    body: { inputs: TEXTS },
  },
  {
    name: "Titan on bedrock",
    spec: "amazon-bedrock/amazon.titan-embed-text-v2:0",
    variables: (url) => ({ AWS_BEARER_TOKEN_BEDROCK: "secret", BEDROCK_BASE_URL: url }),
    path: "/model/amazon.titan-embed-text-v2:0/invoke",
    body: { inputText: TEXTS[0] },
    single: true,
  },
  {
    name: "Cohere on bedrock",
    spec: "bedrock/cohere.embed-multilingual-v3",
    variables: (url) => ({ AWS_BEARER_TOKEN_BEDROCK: "secret", BEDROCK_BASE_URL: url }),
    path: "/model/cohere.embed-multilingual-v3/invoke",
    body: { texts: TEXTS, input_type: "search_document" },
    query: "search_query",
  },
];

describe.each(FORMS)("$name", ({ spec, variables, path, body, query, auth, single }) => {
  const texts = single ? TEXTS.slice(0, 1) : TEXTS;
  const make = (): Embedder => resolveEmbedder(spec, { variables: variables(server.url) });

  it("sends the texts as the provider wants them, and finds each its vector", async () => {
    const embedder = make();
    expect(embedder.maxBatch).toBe(single ? 1 : embedder.maxBatch);
    const vectors = await embed(embedder, texts);
    for (const [index, text] of texts.entries()) {
      expect([...(vectors[index] ?? [])]).toEqual(await vectorOf(text));
    }
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]).toMatchObject({ path, body });
    const [header, value] = auth ?? ["authorization", "Bearer secret"];
    expect(server.calls[0]?.headers[header]).toBe(value);
  });

  it("marks a text as a query when the provider supports it, and changes no other field", async () => {
    await embed(make(), texts, "query");
    await embed(make(), texts);
    const [asked = "", plain = ""] = server.calls.map((call) => JSON.stringify(call.body));
    expect(asked.includes(`"${query}"`)).toBe(query !== undefined);
    expect(asked === plain).toBe(query === undefined);
  });

  it.each([
    [401, "model_unauthorized", false],
    [429, "model_rate_limited", true],
    [500, "model_failed", true],
    [422, "model_rejected", false],
  ])("takes %i for %s", async (status, code, retryable) => {
    server.faults.push({
      status,
      body: { error: { message: "the reason" }, message: "the reason" },
      headers: { "retry-after": "2" },
    });
    const error: unknown = await embed(make(), texts).catch((thrown: unknown) => thrown);
    expect(EngineError.is(error) && error).toMatchObject({
      code,
      retryable,
      message: expect.stringContaining("the reason"),
      ...(retryable ? { retryAfterMs: 2000 } : undefined),
    });
  });

  it("refuses an answer with a missing vector", async () => {
    server.distort = (vectors) => vectors.slice(1);
    await expect(embed(make(), texts)).rejects.toMatchObject({
      code: "model_failed",
      retryable: true,
    });
  });
});

it("asks OpenAI itself for base64, and reads it", async () => {
  // The address is the provider's own; only what answers is on loopback.
  const embedder = resolveEmbedder("openai/text-embedding-3-large", {
    variables: { OPENAI_API_KEY: "secret" },
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      expect(url).toBe("https://api.openai.com/v1/embeddings");
      return fetch(`${server.url}/v1/embeddings`, init);
    },
  });
  expect(embedder.dimension).toBe(1536);
  const [vector] = await embed(embedder, ["a text"]);
  expect([...(vector ?? [])]).toEqual(await vectorOf("a text"));
  expect(server.calls[0]?.body).toEqual({
    model: "text-embedding-3-large",
    input: ["a text"],
    dimensions: 1536,
    encoding_format: "base64",
  });
});

it("finds the text a provider refuses, and embeds the others", async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
  server.refuse = (text) => text === "text 17";
  const embedder = resolveEmbedder("cohere/embed-v4.0", {
    variables: { COHERE_API_KEY: "secret", COHERE_BASE_URL: `${server.url}/cohere` },
  });
  const results = await embedEach(embedder, texts);
  expect(results.flatMap(({ error }, index) => (error ? [index] : []))).toEqual([17]);
  expect(results[17]?.error).toMatchObject({ code: "context_window_exceeded" });
  expect([...(results[18]?.vector ?? [])]).toEqual(await vectorOf("text 18"));
  // 40, 20 (that are fine) and 20, 10 and 10, 5 and 5, ...: not one by one.
  expect(server.calls.length).toBeLessThan(14);
});

it("stops at once on abort", async () => {
  const embedder = resolveEmbedder("jina/jina-embeddings-v3", {
    variables: { JINA_API_KEY: "secret", JINA_BASE_URL: `${server.url}/v1` },
  });
  const controller = new AbortController();
  const pending = embedder.embed(["a"], { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(pending).rejects.toThrow("enough");
});

it("a key of the environment never goes to an address in the settings", async () => {
  for (const provider of ["openai", "cohere"]) {
    const settings = { provider, model: "m", baseUrl: `${server.url}/cohere` };
    const variables = {
      OPENAI_API_KEY: "secret",
      CO_API_KEY: "secret",
      EMBEDDINGS_OPENAI_API_KEY: "secret",
    };
    await embed(resolveEmbedder(settings, { variables }), ["a"]).catch(() => undefined);
  }
  expect(server.calls).toHaveLength(2);
  expect(JSON.stringify(server.calls)).not.toContain("secret");
});
