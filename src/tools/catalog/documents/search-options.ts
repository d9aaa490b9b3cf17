import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject } from "../../../base/json.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { Embedder } from "../../../vectors/embedder.ts";
import { resolveEmbedder, type EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";

/** A value that is handed on as it is: what marks it as data of others is the object itself. */
function asItIs<Value>(): z.ZodOptional<z.ZodType<Value, Value>> {
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
  similarityThreshold: z.number().min(0).max(1).optional(),
  limit: z.int().min(1).max(50).default(5),
  embedder: asItIs<EmbedderSpec>().describe("Makes texts into vectors; else the deployment's"),
  config: asItIs<SearchConfig>(),
});

export type SearchOptions = z.output<z.ZodObject<ReturnType<typeof searchOptions>>>;

/** Arguments of all tools that search documents, beside the question and the source. */
export const searchInput = () => ({
  similarity_threshold: z.number().min(0).max(1).optional().describe("How near, 0 to 1"),
  limit: z.int().min(1).max(50).optional().describe("Passages at most"),
});

/** The embedder that the options name. Throws `invalid_definition`. */
export function namedEmbedder(
  { embedder, config }: SearchOptions,
  { resolve }: KnowledgeService,
): Embedder | undefined {
  const spec = embedder ?? configured(config);
  if (spec === undefined) return undefined;
  return resolve?.(spec) ?? resolveEmbedder(spec, { variables: {} });
}

function configured(config: SearchConfig | undefined): EmbedderSpec | undefined {
  if (!isJsonObject(config)) return undefined;
  const named = Object.entries(config).find(([name]) =>
    ["embeddingModel", "embedder"].includes(camelCase(name)),
  );
  return (named?.[1] ?? undefined) as EmbedderSpec | undefined;
}
