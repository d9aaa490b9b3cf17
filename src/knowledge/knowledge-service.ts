// The deployment's knowledge for its runs, under `services.knowledge`. Types only: importing them adds no code of
// knowledge.
import type { RunScope } from "../events/run-scope.ts";
import type { FileStore } from "../files/file-store.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { DocumentReader } from "./document-text.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";
import type { KnowledgeSession } from "./knowledge-view.ts";
import type { OnDemandKnowledge } from "./on-demand.ts";

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Knowledge of the run's tenant. */
    readonly knowledge?: KnowledgeService;
  }
}

/** The knowledge of one tenant. */
export type KnowledgeService = {
  readonly tenant: string;
  readonly store: KnowledgeStore;
  readonly vectors: VectorStores;
  /** Embedder of collections without one of their own. */
  readonly embedder: Embedder;
  /** Makes a definition's embedder. @default only existing embedders are accepted */
  readonly resolve?: (spec: EmbedderSpec) => Embedder;
  /** Readers of documents; the first match is used. */
  readonly readers: readonly DocumentReader[];
  /** Store of documents with a path. */
  readonly files?: FileStore;
  /** Policy on addresses of documents. */
  readonly outbound?: OutboundPolicy & { readonly fetch?: typeof fetch };
  /** Opens a session for one drive of a run with this service. @default only knowledge objects of definitions work */
  readonly openSession?: (scope: RunScope) => KnowledgeSession;
  /**
   * Makes on-demand knowledge of this service or a changed one. @default tools that search documents have no storage
   */
  readonly onDemand?: (service: KnowledgeService) => OnDemandKnowledge;
};
