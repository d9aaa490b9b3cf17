import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject } from "../../../base/json.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";

/** A value that is handed on as it is: what marks it as data of others is the object itself. */
export function asItIs<Value>(): z.ZodOptional<z.ZodType<Value, Value>> {
  return (z.unknown() as unknown as z.ZodType<Value, Value>).optional();
}

/** CrewAI's `config` of these tools. Its vector database has no meaning here. */
type SearchConfig = Readonly<Record<string, unknown>>;

/** Options of all tools that search documents. */
export const searchOptions = () => ({
  collectionName: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("Shares a collection with all tools that name it, instead of one for each source"),
  /** How long what was read of an address, a repository or a table counts as what is there. @default 3600, 300 of a table */
  maxAgeSeconds: z.number().min(0).optional(),
  similarityThreshold: z.number().min(0).max(1).optional(),
  limit: z.int().min(1).max(50).default(5),
  embedder: asItIs<EmbedderSpec>().describe("Makes texts into vectors; else the deployment's"),
  config: asItIs<SearchConfig>(),
  /** `knowledgeService()`: where documents are kept. @default with the deployment's knowledge */
  knowledge: asItIs<KnowledgeService>(),
});

export type SearchOptions = z.output<z.ZodObject<ReturnType<typeof searchOptions>>>;

/** Arguments of all tools that search documents, beside the question and the source. */
export const searchInput = () => ({
  similarity_threshold: z.number().min(0).max(1).optional().describe("How near, 0 to 1"),
  limit: z.int().min(1).max(50).optional().describe("Passages at most"),
});

/** The embedder that the options name. */
export function namedEmbedder({ embedder, config }: SearchOptions): EmbedderSpec | undefined {
  if (embedder !== undefined || !isJsonObject(config)) return embedder;
  const named = Object.entries(config).find(([name]) =>
    ["embeddingModel", "embedder"].includes(camelCase(name)),
  );
  return (named?.[1] ?? undefined) as EmbedderSpec | undefined;
}
