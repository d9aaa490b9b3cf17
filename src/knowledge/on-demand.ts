// What tools need of knowledge. Types alone: tools search documents without carrying knowledge's code.
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { BroughtDocument } from "./load-document.ts";

/** Documents that are named while a run goes on, in collections that are made when they are first asked. */
export interface OnDemandKnowledge {
  readonly tenant: string;
  /** The embedder of a spec, or the deployment's. Throws `invalid_definition`. */
  embedder(spec: EmbedderSpec | undefined): Embedder;
  /** Sees to it that documents can be found. Answers those that could not be read, the first time; throws when none could be. */
  demand(scope: RunScope, demand: DemandedCollection): Promise<readonly UnreadDocument[]>;
  /** What some collections say on a question, best first. */
  find(question: PassageQuestion, signal: AbortSignal): Promise<readonly Passage[]>;
}

/** A collection that is to have certain documents. */
export type DemandedCollection = {
  readonly collection: string;
  /** Names these documents among those of others in the collection. @default the collection is theirs alone, and temporary */
  readonly id?: string | undefined;
  readonly embedder?: Embedder | undefined;
  /** How long it may be taken as it is, in milliseconds. @default as long as it is there */
  readonly maxAgeMs?: number | undefined;
  /** Says what the documents are, where that is known without reading them: another version is looked at at once. */
  readonly version?: string | undefined;
  /** Finds the documents, in recorded steps; called when they are to be looked at. */
  readonly documents: () => Promise<readonly BroughtDocument[]>;
};

/** A document that is not in the collection, and why. */
export type UnreadDocument = { readonly name: string; readonly error: string };

export type PassageQuestion = {
  readonly collections: readonly string[];
  readonly query: string;
  readonly limit: number;
  /** @default what the embedder says */
  readonly similarity?: number | undefined;
  readonly embedder: Embedder;
};

/** A piece of a document. */
export type Passage = {
  /** The name of the document. */
  readonly document: string;
  /** Where it stands: `page 3`. Empty where nobody knows. */
  readonly place: string;
  readonly text: string;
  /** The text below its document and its place, for a model. */
  readonly cited: string;
  readonly score: number | null;
};

/** A passage as data. */
export function passageData({ document, place, text, score }: Passage): JsonObject {
  return { document, place, text, score };
}
