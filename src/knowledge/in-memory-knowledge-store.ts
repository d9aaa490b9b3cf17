import { Bm25Index } from "../text-search/bm25.ts";
import type { CollectionUse, CollectionUses } from "./collection-use.ts";
import {
  CHUNK_WEIGHTS,
  chunkWords,
  type CollectionInfo,
  type DocumentChange,
  type KnowledgeChunk,
  type KnowledgeDocument,
  type KnowledgeStore,
} from "./knowledge-store.ts";

type Collection = {
  readonly documents: Map<string, KnowledgeDocument>;
  readonly chunks: Map<string, KnowledgeChunk>;
  readonly words: Bm25Index;
};

/** Fields as in D1. The last has the length of the place. */
const WORDS = {
  weights: [CHUNK_WEIGHTS.own, CHUNK_WEIGHTS.near, CHUNK_WEIGHTS.about, 0],
  rarity: "fts5",
} as const;

/** Knowledge in this process. */
export class InMemoryKnowledgeStore implements KnowledgeStore {
  readonly #collections = new Map<string, Collection>();
  readonly isVolatile: boolean = true;
  readonly #uses = new Map<string, CollectionUse>();
  readonly uses: CollectionUses = {
    get: async (id) => this.#uses.get(id),
    put: async (use) => void this.#uses.set(use.id, use),
    unused: async (beforeMs, limit) =>
      [...this.#uses.values()]
        .filter(({ isTemporary, usedAtMs }) => isTemporary && usedAtMs < beforeMs)
        .toSorted((a, b) => a.usedAtMs - b.usedAtMs)
        .slice(0, limit),
  };

  async collections({
    limit,
    after = "",
  }: {
    limit: number;
    after?: string | undefined;
  }): Promise<CollectionInfo[]> {
    const names = [...this.#collections.keys()].filter((name) => name > after).toSorted();
    return Promise.all(names.slice(0, limit).map((name) => this.info(name)));
  }

  async info(collection: string): Promise<CollectionInfo> {
    const found = this.#collections.get(collection);
    return {
      name: collection,
      documents: found?.documents.size ?? 0,
      chunks: found?.chunks.size ?? 0,
    };
  }

  async document(collection: string, id: string): Promise<KnowledgeDocument | undefined> {
    return this.#collections.get(collection)?.documents.get(id);
  }

  async documents(
    collection: string,
    { limit, after = "", state }: Parameters<KnowledgeStore["documents"]>[1],
  ): Promise<KnowledgeDocument[]> {
    return [...(this.#collections.get(collection)?.documents.values() ?? [])]
      .filter((document) => document.name > after && (state ?? document.state) === document.state)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }

  async putDocument(collection: string, document: KnowledgeDocument): Promise<void> {
    this.#at(collection).documents.set(document.id, document);
  }

  async updateDocument(
    collection: string,
    { id, recipe }: { readonly id: string; readonly recipe?: string },
    change: DocumentChange,
  ): Promise<boolean> {
    const documents = this.#collections.get(collection)?.documents;
    const found = documents?.get(id);
    if (found === undefined || (recipe ?? found.recipe) !== found.recipe) return false;
    documents?.set(id, { ...found, ...change });
    return true;
  }

  async deleteDocument(collection: string, id: string): Promise<void> {
    const found = this.#collections.get(collection);
    if (found === undefined) return;
    found.documents.delete(id);
    await this.deleteChunks(collection, await this.chunkIds(collection, id));
    if (found.documents.size === 0) this.#collections.delete(collection);
  }

  async chunkIds(collection: string, document: string): Promise<string[]> {
    return [...(this.#collections.get(collection)?.chunks.values() ?? [])]
      .filter((chunk) => chunk.document === document)
      .toSorted((a, b) => a.ordinal - b.ordinal)
      .map(({ id }) => id);
  }

  async chunks(collection: string, ids: readonly string[]): Promise<KnowledgeChunk[]> {
    const found = this.#collections.get(collection)?.chunks;
    return ids.flatMap((id) => found?.get(id) ?? []);
  }

  async putChunks(collection: string, chunks: readonly KnowledgeChunk[]): Promise<void> {
    const { chunks: kept, words } = this.#at(collection);
    for (const chunk of chunks) {
      kept.set(chunk.id, chunk);
      const { own, near, about } = chunkWords(chunk);
      words.setTerms(chunk.id, [own, near, about, [collection]]);
    }
  }

  async deleteChunks(collection: string, ids: readonly string[]): Promise<void> {
    const found = this.#collections.get(collection);
    for (const id of ids) {
      found?.chunks.delete(id);
      found?.words.delete(id);
    }
  }

  async searchText(
    collection: string,
    terms: readonly string[],
    limit: number,
  ): Promise<KnowledgeChunk[]> {
    const found = this.#collections.get(collection);
    const ids = found?.words.search(terms, { limit, passes: () => true }) ?? [];
    return ids.flatMap((id) => found?.chunks.get(id) ?? []);
  }

  async deleteCollection(collection: string): Promise<void> {
    this.#collections.delete(collection);
    for (const use of this.#uses.values())
      if (use.collection === collection) this.#uses.delete(use.id);
  }

  #at(collection: string): Collection {
    let found = this.#collections.get(collection);
    if (found === undefined)
      this.#collections.set(
        collection,
        (found = { documents: new Map(), chunks: new Map(), words: new Bm25Index(WORDS) }),
      );
    return found;
  }
}
