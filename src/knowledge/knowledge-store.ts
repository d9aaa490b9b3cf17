// Where knowledge is kept: documents, and the chunks of their text. Vectors are an index beside it.
//
//   KS1. A store is one tenant's. Names of collections and documents reach nowhere else.
//   KS2. Writing a document or a chunk again replaces it.
//   - What is gone from here is not found, whatever the vector index still has.
import type { Chunking } from "./chunk.ts";
import type { CollectionUses } from "./collection-use.ts";

export type KnowledgeDocument = {
  /** Made from the name. */
  readonly id: string;
  readonly name: string;
  /** Name of the reader that made it into text. */
  readonly reader: string;
  readonly state: "indexing" | "ready" | "failed";
  /** Of the bytes, SHA-256 in base64url. */
  readonly hash: string;
  /** What the chunks were made with: the same document with another recipe is made anew. */
  readonly recipe: string;
  /** Of the text, in UTF-16 units. */
  readonly characters: number;
  readonly chunks: number;
  /** How many of them can be found so far. */
  readonly indexed: number;
  /** Why it failed. */
  readonly error?: string;
  /** The run that indexed it last. */
  readonly runId: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type KnowledgeChunk = {
  /** Made from the document and the text: the same text of the same document keeps its id. */
  readonly id: string;
  /** Id of the document. */
  readonly document: string;
  /** Place among the document's chunks, from 0. */
  readonly ordinal: number;
  readonly text: string;
  /** Of the document's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Of its beginning: a page, or a row, or a line. */
  readonly page?: number;
  readonly row?: number;
  readonly line?: number;
  readonly sheet?: string;
  /** What else is in it: an offset in its text, and the page, row or line there. Rows and lines that follow on have none. */
  readonly marks?: ReadonlyArray<readonly [offset: number, number: number]>;
  /** Headings above it, such as `Guide > Install`. */
  readonly heading?: string;
};

export type CollectionInfo = {
  readonly name: string;
  readonly documents: number;
  readonly chunks: number;
};

/** The knowledge of one tenant. */
export interface KnowledgeStore {
  /** By name, at most `limit`, after a name. */
  collections(page: {
    limit: number;
    after?: string | undefined;
  }): Promise<readonly CollectionInfo[]>;
  info(collection: string): Promise<CollectionInfo>;
  document(collection: string, id: string): Promise<KnowledgeDocument | undefined>;
  /** By name; with `state`, those that are in it. */
  documents(
    collection: string,
    page: {
      limit: number;
      after?: string | undefined;
      state?: KnowledgeDocument["state"] | undefined;
    },
  ): Promise<readonly KnowledgeDocument[]>;
  putDocument(collection: string, document: KnowledgeDocument): Promise<void>;
  /** With its chunks. */
  deleteDocument(collection: string, id: string): Promise<void>;
  /** Of a document, in their order. */
  chunkIds(collection: string, document: string): Promise<readonly string[]>;
  /** Those that are there, in the order of the ids. At most 1000 ids. */
  chunks(collection: string, ids: readonly string[]): Promise<readonly KnowledgeChunk[]>;
  /** At most 1000. */
  putChunks(collection: string, chunks: readonly KnowledgeChunk[]): Promise<void>;
  /** At most 1000 ids. */
  deleteChunks(collection: string, ids: readonly string[]): Promise<void>;
  /** Chunks that have some of the terms (`termsOf`), best first. */
  searchText(
    collection: string,
    terms: readonly string[],
    limit: number,
  ): Promise<readonly KnowledgeChunk[]>;
  /** Everything of it. */
  deleteCollection(collection: string): Promise<void>;
  /** @default collections that are made on demand are looked at anew each time they are asked, and stay */
  readonly uses?: CollectionUses;
  /** Whether it goes with this process. @default false */
  readonly isVolatile?: boolean;
}

/** Ids or chunks of one call. */
export const MAX_CHUNKS_PER_CALL = 1000;

/** Of how readers and rules make chunks of documents. */
const EDITION = 2;

/** How a document is cut, as its `recipe` says it. */
export function recipeOf(chunking: Chunking, model: string): string {
  const { rule = "", size = "", overlap = "" } = chunking;
  return JSON.stringify([model, rule, size, overlap, EDITION]);
}

/** Whether what a recipe made has vectors of this model: the same text then has the same one, however it was cut. */
export function isOfModel(recipe: string, model: string): boolean {
  return recipe.startsWith(`[${JSON.stringify(model)},`);
}

/** What of a chunk full-text search looks at: its headings, too. */
export function searchable({ heading, text }: Pick<KnowledgeChunk, "heading" | "text">): string {
  return heading === undefined ? text : `${heading}\n${text}`;
}
