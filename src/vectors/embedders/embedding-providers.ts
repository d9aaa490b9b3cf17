// Providers of embeddings, beside the providers of models, which include those with OpenAI's dialect.
import { findProvider, type Provider } from "../../llm/providers.ts";
import type { SimilarityScale } from "../embedder.ts";
import {
  BEDROCK_FORM,
  COHERE_FORM,
  GEMINI_FORM,
  HUGGINGFACE_FORM,
  isTitan,
  JINA_FORM,
  OPENAI_FORM,
  VERTEX_FORM,
  VOYAGE_FORM,
  type WireForm,
} from "./wire-forms.ts";

export type EmbeddingProvider = {
  readonly provider: Provider;
  readonly form: WireForm;
  readonly defaultModel?: string;
  /** Maximum number of texts in one call. */
  readonly maxBatch: number | ((model: string) => number);
};

/** Providers with a separate address or form for embeddings. */
const OWN: readonly EmbeddingProvider[] = [
  {
    provider: {
      id: "cohere",
      baseUrl: "https://api.cohere.com/v2",
      keyVariables: ["CO_API_KEY"],
    },
    form: COHERE_FORM,
    defaultModel: "embed-v4.0",
    maxBatch: 96,
  },
  {
    provider: {
      id: "voyageai",
      aliases: ["voyage"],
      baseUrl: "https://api.voyageai.com/v1",
      keyVariables: ["VOYAGE_API_KEY"],
    },
    form: VOYAGE_FORM,
    defaultModel: "voyage-2",
    maxBatch: 72,
  },
  {
    provider: { id: "jina", aliases: ["jinaai"], baseUrl: "https://api.jina.ai/v1" },
    form: JINA_FORM,
    defaultModel: "jina-embeddings-v2-base-en",
    maxBatch: 128,
  },
  {
    provider: {
      id: "gemini",
      aliases: ["google", "google-generativeai"],
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      keyVariables: ["GOOGLE_API_KEY"],
      gateway: { path: "google-ai-studio/v1beta" },
    },
    form: GEMINI_FORM,
    defaultModel: "gemini-embedding-001",
    maxBatch: 100,
  },
  {
    provider: {
      ...known("vertex"),
      aliases: ["vertex_ai", "google-vertex"],
      baseUrl:
        "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google",
    },
    form: VERTEX_FORM,
    defaultModel: "gemini-embedding-001",
    maxBatch: (model) => (model.startsWith("gemini") ? 1 : 5),
  },
  {
    provider: {
      ...known("huggingface"),
      baseUrl: "https://router.huggingface.co/hf-inference/models",
    },
    form: HUGGINGFACE_FORM,
    defaultModel: "sentence-transformers/all-MiniLM-L6-v2",
    maxBatch: 32,
  },
  {
    provider: {
      ...known("bedrock"),
      aliases: ["aws", "amazon-bedrock"],
      baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    },
    form: BEDROCK_FORM,
    defaultModel: "amazon.titan-embed-text-v1",
    maxBatch: (model) => (isTitan(model) ? 1 : 96),
  },
  {
    provider: known("openai"),
    form: OPENAI_FORM,
    defaultModel: "text-embedding-3-large",
    maxBatch: 256,
  },
  {
    provider: known("azure"),
    form: OPENAI_FORM,
    defaultModel: "text-embedding-3-large",
    maxBatch: 256,
  },
  {
    provider: known("workers-ai"),
    form: OPENAI_FORM,
    defaultModel: "@cf/baai/bge-base-en-v1.5",
    maxBatch: 100,
  },
];

/** Libraries for running a model in the process. Here they name an endpoint the settings must specify. */
export const LOCAL_LIBRARIES: readonly string[] = [
  "instructor",
  "onnx",
  "openclip",
  "sentence-transformer",
  "text2vec",
];

/** Number of texts in one call if the limit is unknown, well below every known limit. */
const OPENAI_DIALECT_BATCH = 64;

const BY_NAME: ReadonlyMap<string, EmbeddingProvider> = new Map(
  OWN.flatMap((row) =>
    [row.provider.id, ...(row.provider.aliases ?? [])].map((name) => [name, row] as const),
  ),
);

/** Finds a provider by id or alias, ignoring case. */
export function findEmbeddingProvider(name: string): EmbeddingProvider | undefined {
  const own = BY_NAME.get(name.toLowerCase());
  if (own) return own;
  const provider = findProvider(name);
  return provider?.api === undefined && provider ? inOpenAIsDialect(provider) : undefined;
}

export function inOpenAIsDialect(provider: Provider): EmbeddingProvider {
  return { provider, form: OPENAI_FORM, maxBatch: OPENAI_DIALECT_BATCH };
}

/** Dimensions to request without a setting. The default of these models exceeds the limit of a vector store. */
export function usualDimensions(model: string): number | undefined {
  return /(^|\/)(text-embedding-3-large|gemini-embedding-)/.test(model) ? 1536 : undefined;
}

/** Unrelated texts rarely exceed this similarity. For `ada-002` all texts are near one another. */
export function usualSimilarity(model: string): SimilarityScale {
  return { unrelated: /(^|[/-])ada-002/.test(model) ? 0.7 : 0.2 };
}

function known(id: string): Provider {
  const provider = findProvider(id);
  if (provider === undefined) throw new Error(`the table of providers has no ${id}`);
  return provider;
}
