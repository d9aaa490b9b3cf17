import type { RunScope } from "../events/run-scope.ts";
import type { InstalledKnowledge } from "../events/run-services.ts";
import type { FileStore } from "../files/file-store.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { DocumentReader } from "./document-text.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";

/** What knowledge of one tenant needs of a deployment: `services.knowledge` of its runs. */
export type KnowledgeService = InstalledKnowledge & {
  readonly tenant: string;
  readonly store: KnowledgeStore;
  readonly vectors: VectorStores;
  /** For collections whose owner names none. */
  readonly embedder: Embedder;
  /** Makes an embedder of what definitions say; a spec of `resolveEmbedder`. @default only embedders that are made already */
  readonly resolve?: (spec: unknown) => Embedder;
  /** The first that takes a document reads it. */
  readonly readers: readonly DocumentReader[];
  /** Where documents that are named by a path are. */
  readonly files?: FileStore;
  /** Which addresses documents may be loaded from. */
  readonly outbound?: OutboundPolicy & { readonly fetch?: typeof fetch };
};

/** The knowledge that the deployment of a run keeps for the run's tenant. */
export function knowledgeServiceOf(scope: RunScope): KnowledgeService | undefined {
  return scope.services.knowledge as KnowledgeService | undefined;
}
