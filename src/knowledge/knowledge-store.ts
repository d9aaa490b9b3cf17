// Storage of knowledge: documents, and the chunks of their text. Vectors are an index beside it.
//
//   KS1. A store belongs to one tenant. Names of collections and documents have no meaning outside it.
//   KS2. Writing a document or a chunk again replaces it.
//   - Content deleted here is not found, even if the vector index still has it.
import { termsOf, TEXT_VERSION } from "../text/index.ts";
import type { Chunking } from "./chunk.ts";
import type { CollectionUses } from "./collection-use.ts";
import type { DocumentLoss } from "./document-losses.ts";

export type KnowledgeDocument = {
  /** Id derived from the name. */
  readonly id: string;
  readonly name: string;
  /** Name of the reader that produced its text. */
  readonly reader: string;
  readonly state: "indexing" | "ready" | "failed";
  /** Hash of the bytes, SHA-256 in base64url. */
  readonly hash: string;
  /** Recipe of the chunks: a document with another recipe is indexed again. */
  readonly recipe: string;
  /** Length of the text, in UTF-16 units. */
  readonly characters: number;
  readonly chunks: number;
  /** Number of chunks searchable so far. */
  readonly indexed: number;
  /** Reason of the failure. */
  readonly error?: string;
  /** Content that its text does not have. */
  readonly losses?: readonly DocumentLoss[];
  /** The run that last indexed it. */
  readonly runId: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type KnowledgeChunk = {
  /** Id derived from the document and the text: the same text of the same document keeps its id. */
  readonly id: string;
  /** Id of the document. */
  readonly document: string;
  /** Place among the document's chunks, from 0. */
  readonly ordinal: number;
  readonly text: string;
  /** Start in the document's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Place of its beginning: a page, a row, or a line. */
  readonly page?: number;
  readonly row?: number;
  readonly line?: number;
  readonly sheet?: string;
  /**
   * Further places in it: an offset in its text, and the page, row or line there. Consecutive rows and lines have no
   * mark.
   */
  readonly marks?: ReadonlyArray<readonly [offset: number, number: number]>;
  /** Headings above it, such as `Guide > Install`. */
  readonly heading?: string;
  /** End of the chunk before it and beginning of the next. A search counts their words less. */
  readonly around?: string;
};

export type CollectionInfo = {
  readonly name: string;
  readonly documents: number;
  readonly chunks: number;
};

/** Fields that change without the content of a document. */
export type DocumentChange = Partial<
  Pick<KnowledgeDocument, "state" | "recipe" | "error" | "runId" | "updatedAtMs">
>;

/** The knowledge of one tenant. */
export interface KnowledgeStore {
  /** Returns collections by name, at most `limit`, after a name. */
  collections(page: {
    limit: number;
    after?: string | undefined;
  }): Promise<readonly CollectionInfo[]>;
  info(collection: string): Promise<CollectionInfo>;
  document(collection: string, id: string): Promise<KnowledgeDocument | undefined>;
  /** Documents by name; with `state`, only documents in that state. */
  documents(
    collection: string,
    page: {
      limit: number;
      after?: string | undefined;
      state?: KnowledgeDocument["state"] | undefined;
    },
  ): Promise<readonly KnowledgeDocument[]>;
  putDocument(collection: string, document: KnowledgeDocument): Promise<void>;
  /**
   * Changes some fields of a document at once, so a concurrent write keeps its other fields. With `recipe`, only of a
   * document that still has this recipe. False without such a document.
   */
  updateDocument(
    collection: string,
    { id, recipe }: { readonly id: string; readonly recipe?: string },
    change: DocumentChange,
  ): Promise<boolean>;
  /** Deletes a document with its chunks. */
  deleteDocument(collection: string, id: string): Promise<void>;
  /** Returns ids of a document's chunks, in order. */
  chunkIds(collection: string, document: string): Promise<readonly string[]>;
  /** Returns the existing ones, in the order of the ids. At most 1000 ids. */
  chunks(collection: string, ids: readonly string[]): Promise<readonly KnowledgeChunk[]>;
  /** Writes at most 1000 chunks. */
  putChunks(collection: string, chunks: readonly KnowledgeChunk[]): Promise<void>;
  /** Deletes at most 1000 ids. */
  deleteChunks(collection: string, ids: readonly string[]): Promise<void>;
  /** Returns chunks with any of the terms (`termsOf`), best first. */
  searchText(
    collection: string,
    terms: readonly string[],
    limit: number,
  ): Promise<readonly KnowledgeChunk[]>;
  /** Deletes all of its content. */
  deleteCollection(collection: string): Promise<void>;
  /** @default on-demand collections are checked at each use, and are never removed */
  readonly uses?: CollectionUses;
  /** True if its content is lost with this process. @default false */
  readonly isVolatile?: boolean;
}

/** Maximum number of ids or chunks in one call. */
export const MAX_CHUNKS_PER_CALL = 1000;

/** Version of the readers and chunk rules. */
const EDITION = 4;

/** Returns the `recipe` of a source and a model. */
export function recipeOf(
  source: { readonly chunking?: Chunking | undefined; readonly encoding?: string | undefined },
  model: string,
): string {
  const { rule = "", size = "", overlap = "" } = source.chunking ?? {};
  const named = source.encoding === undefined ? [] : [source.encoding];
  return JSON.stringify([model, rule, size, overlap, EDITION, TEXT_VERSION, ...named]);
}

/** True if a recipe's vectors are of this model: then the same text has the same vector under any chunking. */
export function isOfModel(recipe: string, model: string): boolean {
  return recipe.startsWith(`[${JSON.stringify(model)},`);
}

/** Returns the recipe for another model, with the same chunks. */
export function ofModel(recipe: string, model: string): string {
  const [, ...rest] = JSON.parse(recipe) as readonly unknown[];
  return JSON.stringify([model, ...rest]);
}

/** Weights of a chunk's own words, of those around it, and of its headings. */
export const CHUNK_WEIGHTS = { own: 1, near: 0.3, about: 1 } as const;

/** Returns the terms of a chunk in the fields of `CHUNK_WEIGHTS`. */
export function chunkWords({
  text,
  around = "",
  heading = "",
}: Pick<KnowledgeChunk, "text" | "around" | "heading">): Readonly<
  Record<keyof typeof CHUNK_WEIGHTS, readonly string[]>
> {
  return { own: termsOf(text), near: termsOf(around), about: termsOf(heading) };
}

/** Returns the text of a chunk for comparison with a question, with its headings. */
export function searchable({ heading, text }: Pick<KnowledgeChunk, "heading" | "text">): string {
  return heading === undefined ? text : `${heading}\n${text}`;
}
