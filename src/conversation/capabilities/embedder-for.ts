import { environmentVariables } from "../../base/system.ts";
import type { KnowledgeService } from "../../knowledge/knowledge-service.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import { resolveEmbedder, type EmbedderSpec } from "../../vectors/embedders/resolve-embedder.ts";

/** The embedder that a definition names: made by the deployment's knowledge, where there is any; without a name that one's own. */
export function embedderFor(
  knowledge: KnowledgeService | undefined,
  spec: EmbedderSpec | undefined,
): Embedder {
  if (spec === undefined && knowledge !== undefined) return knowledge.embedder;
  const made = spec === undefined ? undefined : knowledge?.resolve?.(spec);
  return made ?? resolveEmbedder(spec, { variables: environmentVariables() });
}
