import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject } from "../../../base/json.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";

/** Accepts a value unchanged and keeps the object's identity, which marks it as data of others. */
export function asItIs<Value>(): z.ZodOptional<z.ZodType<Value, Value>> {
  return (z.unknown() as unknown as z.ZodType<Value, Value>).optional();
}

/** CrewAI's `config` of these tools. Its vector database is ignored. */
type SearchConfig = Readonly<Record<string, unknown>>;

/** Options of all document search tools. */
export const searchOptions = () => ({
  collectionName: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("Shares a collection with all tools that name it, instead of one for each source"),
  /** Time for which the content of an address, a repository or a table stays valid. @default 3600, 300 of a table */
  maxAgeSeconds: z.number().min(0).optional(),
  similarityThreshold: z.number().min(0).max(1).optional(),
  limit: z.int().min(1).max(50).default(5),
  embedder: asItIs<EmbedderSpec>().describe("Makes texts into vectors; else the deployment's"),
  config: asItIs<SearchConfig>(),
  /** `knowledgeService()` for storing documents. @default with the deployment's knowledge */
  knowledge: asItIs<KnowledgeService>(),
});

export type SearchOptions = z.output<z.ZodObject<ReturnType<typeof searchOptions>>>;

/** Arguments of all document search tools, beside the question and the source. */
export const searchInput = () => ({
  similarity_threshold: z.number().min(0).max(1).optional().describe("How near, 0 to 1"),
  limit: z.int().min(1).max(50).optional().describe("Passages at most"),
});

/** Returns the embedder named in the options. */
export function namedEmbedder({ embedder, config }: SearchOptions): EmbedderSpec | undefined {
  if (embedder !== undefined || !isJsonObject(config)) return embedder;
  const named = Object.entries(config).find(([name]) =>
    ["embeddingModel", "embedder"].includes(camelCase(name)),
  );
  return (named?.[1] ?? undefined) as EmbedderSpec | undefined;
}
