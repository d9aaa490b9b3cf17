import { EngineError } from "../../base/error.ts";
import { checkCollection, checkIds, checkQuery, checkRows } from "../../vectors/check-vectors.ts";
import type {
  VectorCollection,
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStore,
  VectorStoreInfo,
  VectorStores,
} from "../../vectors/vector-store.ts";
import { fromResult, type RpcResult } from "../rpc-result.ts";
import { vectorObjectName, type VectorIndexApi } from "./vector-index-api.ts";

/** Used part of a Durable Object namespace: objects by name. */
export interface VectorNamespace {
  getByName(name: string): VectorIndexApi;
}

/** Collections, each in a Durable Object of the class `VectorIndex`. */
export class DurableVectorStores implements VectorStores {
  readonly #objects: VectorNamespace;

  constructor(objects: VectorNamespace) {
    this.#objects = objects;
  }

  open(collection: VectorCollection): DurableVectorStore {
    return new DurableVectorStore(this.#objects, collection);
  }
}

/**
 * Returns the collections of the Durable Objects bound as `VECTORS`. Fails with `invalid_definition` if they are not
 * bound.
 */
export function durableVectors(env: { readonly VECTORS?: unknown }): DurableVectorStores {
  const namespace = env.VECTORS;
  if (typeof namespace === "object" && namespace !== null && "getByName" in namespace)
    return new DurableVectorStores(namespace as VectorNamespace);
  throw new EngineError(
    "invalid_definition",
    "wrangler.toml must bind the Durable Object class VectorIndex as VECTORS, and the Worker export it",
  );
}

/** Collection in its Durable Object. Calls fail with `vector_store_unavailable` if the object cannot be reached. */
export class DurableVectorStore implements VectorStore {
  readonly #objects: VectorNamespace;
  readonly #collection: VectorCollection;

  constructor(objects: VectorNamespace, collection: VectorCollection) {
    checkCollection(collection);
    this.#objects = objects;
    this.#collection = collection;
  }

  async upsert(rows: readonly VectorRow[]): Promise<void> {
    checkRows(rows);
    if (rows.length === 0) return;
    // A copy, as RPC would send the whole buffer behind a view.
    const sent = rows.map((row) => ({ ...row, vector: row.vector.slice() }));
    await this.#ask((index) => index.upsert(this.#collection, sent));
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    if (ids.length > 0) await this.#ask((index) => index.remove(ids));
  }

  async query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkQuery(vector, query);
    return this.#ask((index) => index.search(this.#collection, vector.slice(), query));
  }

  info(): Promise<VectorStoreInfo | undefined> {
    return this.#ask((index) => index.info());
  }

  clear({ except }: { readonly except?: VectorStoreInfo } = {}): Promise<void> {
    return this.#ask((index) => index.clear(except));
  }

  async #ask<T>(call: (index: VectorIndexApi) => Promise<RpcResult<T>>): Promise<T> {
    const { tenant, collection } = this.#collection;
    // Each call uses a new stub, as a stub does not recover after losing its object.
    const index = this.#objects.getByName(vectorObjectName(tenant, collection));
    try {
      return await fromResult(call(index));
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "unavailable") throw error;
      throw new EngineError(
        "vector_store_unavailable",
        `the vectors of "${collection}" cannot be reached just now; the same request may be repeated`,
        { retryable: true, cause: error.cause },
      );
    }
  }
}
