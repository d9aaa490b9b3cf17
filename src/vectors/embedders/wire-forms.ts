// Request and response forms of the embedding APIs.
import type { JsonObject } from "../../base/json.ts";
import { fieldsOf, listOf } from "../../llm/wire.ts";

export type EmbeddingCall = {
  readonly model: string;
  readonly texts: readonly string[];
  readonly purpose: "document" | "query";
  readonly dimensions: number | undefined;
};

export type WireForm = {
  /** Path below the base URL. The SDK's form has its own path. */
  readonly path?: (model: string) => string;
  readonly body: (call: EmbeddingCall) => JsonObject;
  /** Reads lists of numbers, or base64 of float32, in the order of the texts. */
  readonly vectors: (answer: unknown) => readonly unknown[];
  /** @default Authorization: Bearer */
  readonly keyHeader?: string;
};

/** OpenAI and all APIs with its dialect. */
export const OPENAI_FORM: WireForm = {
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    ...defined({ dimensions }),
  }),
  vectors: indexed,
};

export const COHERE_FORM: WireForm = {
  path: () => "/embed",
  body: ({ model, texts, purpose, dimensions }) => ({
    model,
    texts,
    input_type: `search_${purpose}`,
    embedding_types: ["float"],
    ...defined({ output_dimension: dimensions }),
  }),
  vectors: (answer) => listOf(fieldsOf(fieldsOf(answer)["embeddings"])["float"]),
};

export const VOYAGE_FORM: WireForm = {
  path: () => "/embeddings",
  body: ({ model, texts, purpose, dimensions }) => ({
    model,
    input: texts,
    input_type: purpose,
    truncation: true,
    ...defined({ output_dimension: dimensions }),
  }),
  vectors: indexed,
};

export const JINA_FORM: WireForm = {
  path: () => "/embeddings",
  body: ({ model, texts, purpose, dimensions }) => ({
    model,
    input: texts,
    embedding_type: "float",
    // The second generation has no task field.
    ...(/-v[12]-/.test(model)
      ? undefined
      : { task: purpose === "query" ? "retrieval.query" : "retrieval.passage" }),
    ...defined({ dimensions }),
  }),
  vectors: indexed,
};

export const GEMINI_FORM: WireForm = {
  path: (model) => `/models/${encodeURIComponent(model)}:batchEmbedContents`,
  body: ({ model, texts, purpose, dimensions }) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      taskType: googleTask(purpose),
      ...defined({ outputDimensionality: dimensions }),
    })),
  }),
  vectors: (answer) =>
    listOf(fieldsOf(answer)["embeddings"]).map((embedding) => fieldsOf(embedding)["values"]),
  keyHeader: "x-goog-api-key",
};

export const VERTEX_FORM: WireForm = {
  path: (model) => `/models/${encodeURIComponent(model)}:predict`,
  body: ({ texts, purpose, dimensions }) => ({
    instances: texts.map((content) => ({ content, task_type: googleTask(purpose) })),
    ...(dimensions === undefined
      ? undefined
      : { parameters: { outputDimensionality: dimensions } }),
  }),
  vectors: (answer) =>
    listOf(fieldsOf(answer)["predictions"]).map(
      (prediction) => fieldsOf(fieldsOf(prediction)["embeddings"])["values"],
    ),
};

export const HUGGINGFACE_FORM: WireForm = {
  path: (model) => `/${model}/pipeline/feature-extraction`,
  body: ({ texts }) => ({ inputs: texts }),
  vectors: listOf,
};

/** Titan takes one text per call; Cohere's models on Bedrock take Cohere's first form. */
export const BEDROCK_FORM: WireForm = {
  path: (model) => `/model/${encodeURIComponent(model)}/invoke`,
  body: ({ model, texts, purpose, dimensions }) =>
    isTitan(model)
      ? { inputText: texts[0] ?? "", ...defined({ dimensions }) }
      : { texts, input_type: `search_${purpose}` },
  vectors: (answer) => {
    const { embedding, embeddings } = fieldsOf(answer);
    return embedding === undefined ? listOf(embeddings) : [embedding];
  },
};

export function isTitan(model: string): boolean {
  return model.includes("titan");
}

/** Reads `data`, whose items have the index of their text. */
function indexed(answer: unknown): readonly unknown[] {
  const vectors: unknown[] = [];
  for (const [place, item] of listOf(fieldsOf(answer)["data"]).entries()) {
    const { index, embedding } = fieldsOf(item);
    vectors[typeof index === "number" ? index : place] = embedding;
  }
  return vectors;
}

function googleTask(purpose: EmbeddingCall["purpose"]): string {
  return purpose === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT";
}

/** Removes undefined fields. */
function defined(fields: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
