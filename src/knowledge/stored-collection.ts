import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { Embedder } from "../vectors/embedder.ts";
import { indexDocument, vectorCollection, type IndexedDocument } from "./index-document.ts";
import type { KnowledgeAnswer, KnowledgeQuery } from "./knowledge-query.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { DocumentSource } from "./knowledge-source.ts";
import type { KnowledgeCollection } from "./knowledge-view.ts";
import { queryKnowledge } from "./query-knowledge.ts";

type CollectionOptions = {
  readonly name: string;
  readonly documents?: readonly DocumentSource[];
  /** @default the service's */
  readonly embedder?: Embedder | undefined;
  /** Distinguishes it from collections of other stores. @default its name */
  readonly key?: unknown;
};

/** A collection in the store of a service. */
export class StoredCollection implements KnowledgeCollection {
  readonly name: string;
  readonly key: unknown;
  readonly #service: KnowledgeService;
  readonly #documents: readonly DocumentSource[];
  readonly #embedder: Embedder | undefined;

  constructor(
    service: KnowledgeService,
    { name, documents = [], embedder, key = name }: CollectionOptions,
  ) {
    this.name = name;
    this.key = key;
    this.#service = service;
    this.#documents = documents;
    this.#embedder = embedder;
  }

  async index(place: RunScope): Promise<void> {
    const at = place.at(`collection:${keySegment(this.name)}`);
    for (const source of this.#documents) {
      const request = { ...this.#target(), source };
      const done = await indexDocument(at, this.#service, request);
      if (done.state === "failed") throw this.#failure(done);
    }
  }

  query(
    query: Omit<KnowledgeQuery, "collection" | "embedder">,
    signal: AbortSignal,
  ): Promise<KnowledgeAnswer> {
    return queryKnowledge(this.#service, { ...query, ...this.#target() }, signal);
  }

  /** True while no document of it is stored. */
  async isEmpty(): Promise<boolean> {
    return (await this.#service.store.documents(this.name, { limit: 1 })).length === 0;
  }

  async reset(): Promise<void> {
    const { tenant, vectors, store, embedder } = this.#service;
    const { model } = this.#embedder ?? embedder;
    await vectors.open({ tenant, collection: vectorCollection(this.name), model }).clear();
    await store.deleteCollection(this.name);
  }

  /** An unreachable embedder is not a fault of the document. */
  #failure({ name, error = "it failed", failure }: IndexedDocument): EngineError {
    return new EngineError(
      failure?.code ?? "invalid_input",
      `knowledge ${preview(this.name)} cannot be indexed: document ${preview(name)}: ${error}`,
      { retryable: failure?.retryable ?? false },
    );
  }

  #target(): Pick<KnowledgeQuery, "collection" | "embedder"> {
    const collection = this.name;
    return this.#embedder === undefined ? { collection } : { collection, embedder: this.#embedder };
  }
}
