// Interfaces of knowledge for tools. Types only: tools search documents without knowledge's code.
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { BroughtDocument } from "./brought-document.ts";

/** Documents named during a run, in collections made on demand. */
export interface OnDemandKnowledge {
  readonly tenant: string;
  /** Returns the embedder of a spec, or the deployment's. Throws `invalid_definition`. */
  embedder(spec: EmbedderSpec | undefined): Embedder;
  /** Makes documents searchable. Returns unreadable ones, the first time only; throws if all are unreadable. */
  demand(scope: RunScope, demand: DemandedCollection): Promise<readonly UnreadDocument[]>;
  /** Searches some collections for a question, best first. */
  find(question: PassageQuestion, signal: AbortSignal): Promise<readonly Passage[]>;
}

/** A collection with the requested documents. */
export type DemandedCollection = {
  readonly collection: string;
  /**
   * Id of these documents within a shared collection. @default the collection belongs to them alone, and is temporary
   */
  readonly id?: string | undefined;
  readonly embedder?: Embedder | undefined;
  /** Maximum age without a check, in milliseconds. @default as long as it exists */
  readonly maxAgeMs?: number | undefined;
  /** Version of the documents, if known without reading them. Another version triggers a check at once. */
  readonly version?: string | undefined;
  /** Finds the documents, in recorded steps; called for each check. */
  readonly documents: () => Promise<readonly BroughtDocument[]>;
};

/** A document missing from the collection, and the reason. */
export type UnreadDocument = { readonly name: string; readonly error: string };

export type PassageQuestion = {
  readonly collections: readonly string[];
  readonly query: string;
  readonly limit: number;
  /** @default the embedder's */
  readonly similarity?: number | undefined;
  readonly embedder: Embedder;
};

/** A piece of a document. */
export type Passage = {
  /** The name of the document. */
  readonly document: string;
  /** Place in the document: `page 3`. Empty if unknown. */
  readonly place: string;
  readonly text: string;
  /** The text after its document and its place, for a model. */
  readonly cited: string;
  readonly score: number | null;
};

/** Returns a passage as data. */
export function passageData({ document, place, text, score }: Passage): JsonObject {
  return { document, place, text, score };
}
