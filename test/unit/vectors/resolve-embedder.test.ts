import { describe, expect, it } from "vitest";
import { embedder } from "../../../src/vectors/embedders/custom-embedder.ts";
import {
  resolveEmbedder,
  type EmbedderSpec,
} from "../../../src/vectors/embedders/resolve-embedder.ts";
import { hashEmbedder } from "../../../src/vectors/hash-embedder.ts";

const { signal } = new AbortController();

/** A request as it would go out. */
async function requestOf(
  spec: EmbedderSpec | undefined,
  variables: Record<string, string> = {},
): Promise<{ url: string; headers: Headers; body: unknown }> {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const made = resolveEmbedder(spec, {
    variables,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push({ url: request.url, headers: request.headers, body: await request.json() });
      return Response.json({}, { status: 400 });
    },
  });
  await made.embed(["a"], { signal }).catch(() => undefined);
  if (sent[0] === undefined) throw new Error("nothing was sent");
  return sent[0];
}

describe("the embedder named in a definition", () => {
  it("is the offline one without a key, OpenAI's with one, or EMBEDDER's", () => {
    expect(resolveEmbedder(undefined, { variables: {} }).id).toBe("offline/hash-embed");
    const openai = resolveEmbedder(undefined, { variables: { OPENAI_API_KEY: "k" } });
    expect(openai).toMatchObject({ id: "openai/text-embedding-3-large", dimension: 1536 });
    const variables = { OPENAI_API_KEY: "k", EMBEDDER: "mistral/mistral-embed" };
    expect(resolveEmbedder(undefined, { variables }).id).toBe("mistral/mistral-embed");
    expect(resolveEmbedder("offline/hash-embed", { variables }).dimension).toBe(384);
  });

  it.each([
    ["text-embedding-3-small", "openai/text-embedding-3-small"],
    ["gemini-embedding-001", "gemini/gemini-embedding-001"],
    ["google-generativeai/gemini-embedding-001", "gemini/gemini-embedding-001"],
    ["voyage/voyage-3.5", "voyageai/voyage-3.5"],
    ["huggingface/BAAI/bge-m3", "huggingface/BAAI/bge-m3"],
    ["aws/amazon.titan-embed-text-v2:0", "bedrock/amazon.titan-embed-text-v2:0"],
  ])("%s is %s", (name, id) => {
    expect(resolveEmbedder(name, { variables: { AWS_REGION: "eu-west-1" } })).toMatchObject({
      id,
      model: id,
    });
  });

  it.each([
    ["openai", "openai/text-embedding-3-large"],
    ["cohere", "cohere/embed-v4.0"],
    ["google", "gemini/gemini-embedding-001"],
    ["voyageai", "voyageai/voyage-2"],
    ["jina", "jina/jina-embeddings-v2-base-en"],
    ["huggingface", "huggingface/sentence-transformers/all-MiniLM-L6-v2"],
    ["amazon-bedrock", "bedrock/amazon.titan-embed-text-v1"],
  ])("has its usual model with provider %s", (provider, id) => {
    expect(resolveEmbedder({ provider }, { variables: {} }).id).toBe(id);
  });

  it("NW4: signs requests to Bedrock with an access key when there is no bearer token", async () => {
    const sent: Headers[] = [];
    const titan = resolveEmbedder("bedrock/amazon.titan-embed-text-v2:0", {
      variables: {
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI-secret",
        AWS_REGION: "eu-west-1",
      },
      fetch: async (input, init) => {
        sent.push(new Request(input, init).headers);
        return Response.json({ embedding: [1, 0] });
      },
    });
    await titan.embed(["Hello"], { signal: new AbortController().signal });
    expect(sent[0]?.get("authorization")).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date, /,
    );
  });

  it.each([
    [
      "an error in an answer with 200",
      '{"error":{"message":"the model is loading"}}',
      200,
      "model_failed",
      "the model is loading",
    ],
    ["an answer without JSON", "<html>", 200, "model_failed", "no JSON"],
    [
      "a detail",
      '{"detail":"unknown model"}',
      400,
      "model_rejected",
      "answered 400: unknown model",
    ],
  ])("fails with the provider's words for %s", async (_, body, status, code, words) => {
    const made = resolveEmbedder("cohere/embed-v4.0", {
      variables: { COHERE_API_KEY: "key" },
      fetch: async () => new Response(body, { status }),
    });
    await expect(made.embed(["a"], { signal })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });

  it("is read in the form and spelling of other crews", async () => {
    const { url, headers, body } = await requestOf({
      provider: "openai",
      config: {
        model_name: "text-embedding-3-small",
        api_key: "mine",
        api_base: "https://proxy.example/v1",
        api_type: "openai",
        organization_id: "org-1",
        default_headers: { "X-Team": "edge" },
        dimensions: 512,
        user: "u-1",
      },
    });
    expect(url).toBe("https://proxy.example/v1/embeddings");
    expect(headers.get("authorization")).toBe("Bearer mine");
    expect(headers.get("openai-organization")).toBe("org-1");
    expect(headers.get("x-team")).toBe("edge");
    expect(body).toEqual({
      model: "text-embedding-3-small",
      input: ["a"],
      dimensions: 512,
      user: "u-1",
    });
  });

  it("takes Ollama's own path for its address", async () => {
    const config = {
      model_name: "nomic-embed-text",
      url: "http://ollama.example:11434/api/embeddings",
    };
    const { url } = await requestOf({ provider: "ollama", config });
    expect(url).toBe("http://ollama.example:11434/v1/embeddings");
  });

  it("takes missing settings from EMBEDDINGS_<PROVIDER>_<KEY>", async () => {
    const variables = {
      EMBEDDINGS_OPENAI_API_KEY: "theirs",
      EMBEDDINGS_OPENAI_MODEL_NAME: "text-embedding-3-small",
      EMBEDDINGS_OPENAI_API_BASE: "https://proxy.example/v1",
      EMBEDDINGS_OPENAI_DIMENSIONS: "256",
    };
    const { url, headers, body } = await requestOf({ provider: "openai" }, variables);
    expect(url).toBe("https://proxy.example/v1/embeddings");
    expect(headers.get("authorization")).toBe("Bearer theirs");
    expect(body).toMatchObject({ model: "text-embedding-3-small", dimensions: 256 });
    const own = await requestOf({ provider: "openai", model: "mine", dimensions: 9 }, variables);
    expect(own.body).toMatchObject({ model: "mine", dimensions: 9 });
  });

  it("goes through an AI Gateway when one is set", async () => {
    const variables = {
      AI_GATEWAY_URL: "https://gw.example/v1/acc/gw",
      OPENAI_API_KEY: "k",
      GEMINI_API_KEY: "k",
    };
    expect((await requestOf("openai/text-embedding-3-small", variables)).url).toBe(
      "https://gw.example/v1/acc/gw/openai/embeddings",
    );
    expect((await requestOf("gemini/gemini-embedding-001", variables)).url).toBe(
      "https://gw.example/v1/acc/gw/google-ai-studio/v1beta/models/gemini-embedding-001:batchEmbedContents",
    );
  });

  it("reports a missing key when it is called, and names the variable", async () => {
    const made = resolveEmbedder("cohere/embed-v4.0", { variables: {} });
    await expect(made.embed(["a"], { signal })).rejects.toMatchObject({
      code: "model_unauthorized",
      message: expect.stringContaining("COHERE_API_KEY or CO_API_KEY"),
    });
  });

  it("is refused with the reason if it cannot be valid", () => {
    const refused: [unknown, string][] = [
      ["nobody/model", 'unknown provider "nobody"'],
      ["anthropic/model", 'unknown provider "anthropic"'],
      ["onnx/model", "a server that speaks OpenAI's dialect (baseUrl, or ONNX_BASE_URL)"],
      [{ provider: "ollama" }, "of provider ollama needs a model"],
      [{}, "needs a model or a provider"],
      [{ model: 7 }, "model must be a model's name, got 7"],
      [{ model: "m", dimensions: 3072 }, "dimensions must be an integer from 1 to 1536, got 3072"],
      [{ provider: "openai", config: { batch_size: 0 } }, "batch_size must be an integer from 1"],
      [{ provider: "openai", config: "x" }, 'config must be an object, got "x"'],
      [{ provider: "custom", config: {} }, "config.embedding_callable, a function"],
      [7, "must be a name, an embedder, a function or settings, got 7"],
    ];
    for (const [spec, message] of refused) {
      expect(() => resolveEmbedder(spec as EmbedderSpec, { variables: {} })).toThrow(message);
    }
  });
});

describe("the user's own embedder", () => {
  it("is a function, alone or with a name, or in the form of other crews", async () => {
    const embed = async (texts: readonly string[]): Promise<number[][]> =>
      texts.map((text) => [text.length, 1]);
    const specs: EmbedderSpec[] = [
      embed,
      embedder({ model: "mine", embed }),
      { provider: "custom", config: { embedding_callable: embed, model_name: "mine" } },
    ];
    for (const spec of specs) {
      const made = resolveEmbedder(spec, { variables: {} });
      expect(made.model).toBe(spec === embed ? "custom" : "mine");
      expect(await made.embed(["abc"], { signal })).toEqual([Float32Array.of(3, 1)]);
    }
    const given = hashEmbedder();
    expect(resolveEmbedder(given, { variables: {} })).toBe(given);
  });

  it("is refused when it answers with something else than a vector for each text", async () => {
    for (const answer of [[], [[1], [2]], [["x"]], [[]], "nothing", [[[1, 2]]]]) {
      const made = embedder({ model: "mine", embed: () => answer as number[][] });
      await expect(made.embed(["a"], { signal })).rejects.toMatchObject({ code: "model_failed" });
    }
  });
});

describe("Workers AI through its binding", () => {
  const binding = (answer: unknown): { run: () => Promise<unknown>; calls: unknown[][] } => {
    const calls: unknown[][] = [];
    return {
      calls,
      run: async (...args: unknown[]) => {
        calls.push(args);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
  };

  it("sends the texts to the model, and reads its data", async () => {
    const ai = binding({
      shape: [2, 2],
      data: [
        [1, 2],
        [3, 4],
      ],
      pooling: "cls",
    });
    const made = resolveEmbedder("workers-ai/@cf/baai/bge-base-en-v1.5", { variables: {}, ai });
    expect(made).toMatchObject({ id: "workers-ai/@cf/baai/bge-base-en-v1.5", maxBatch: 100 });
    expect(await made.embed(["a", "b"], { signal })).toEqual([
      Float32Array.of(1, 2),
      Float32Array.of(3, 4),
    ]);
    expect(ai.calls).toEqual([["@cf/baai/bge-base-en-v1.5", { text: ["a", "b"] }]]);
  });

  it("classifies its errors", async () => {
    const ai = binding(new Error("InferenceUpstreamError: 3040: Capacity temporarily exceeded"));
    const made = resolveEmbedder("@cf/baai/bge-small-en-v1.5", { variables: {}, ai });
    await expect(made.embed(["a"], { signal })).rejects.toMatchObject({
      code: "model_rate_limited",
      retryable: true,
    });
  });
});
