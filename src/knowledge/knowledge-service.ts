// What a deployment offers its runs under `services.knowledge`. Types alone: whoever asks for knowledge carries no code of it.
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
    /** Where knowledge is kept for the run's tenant. */
    readonly knowledge?: KnowledgeService;
  }
}

/** The knowledge of one tenant. */
export type KnowledgeService = {
  readonly tenant: string;
  readonly store: KnowledgeStore;
  readonly vectors: VectorStores;
  /** For collections whose owner names none. */
  readonly embedder: Embedder;
  /** Makes the embedder that a definition names. @default only embedders that are made already */
  readonly resolve?: (spec: EmbedderSpec) => Embedder;
  /** The first that takes a document reads it. */
  readonly readers: readonly DocumentReader[];
  /** Where documents that are named by a path are. */
  readonly files?: FileStore;
  /** Which addresses documents may be loaded from. */
  readonly outbound?: OutboundPolicy & { readonly fetch?: typeof fetch };
  /** For one drive of a run that has this service. @default only knowledge that definitions bring along can be used */
  readonly openSession?: (scope: RunScope) => KnowledgeSession;
  /** Of a service as it is, or changed. @default tools that search documents have nowhere to put them */
  readonly onDemand?: (service: KnowledgeService) => OnDemandKnowledge;
};
