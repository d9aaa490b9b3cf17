import { environmentVariables } from "../../base/system.ts";
import type { KnowledgeService } from "../../knowledge/knowledge-service.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import { resolveEmbedder, type EmbedderSpec } from "../../vectors/embedders/resolve-embedder.ts";

/**
 * Makes the embedder of a definition through the deployment's knowledge, if it exists. Without a name it is the
 * knowledge's own embedder.
 */
export function embedderFor(
  knowledge: KnowledgeService | undefined,
  spec: EmbedderSpec | undefined,
): Embedder {
  if (spec === undefined && knowledge !== undefined) return knowledge.embedder;
  const made = spec === undefined ? undefined : knowledge?.resolve?.(spec);
  return made ?? resolveEmbedder(spec, { variables: environmentVariables() });
}
