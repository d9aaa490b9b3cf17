import { DurableObject } from "cloudflare:workers";
import { toResult, type RpcResult } from "../src/cloudflare/rpc-result.ts";
import { SqlVectorIndex } from "../src/cloudflare/vectors/sql-vector-index.ts";
import type { NamedModel, VectorIndexApi } from "../src/cloudflare/vectors/vector-index-api.ts";
import type {
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStoreInfo,
} from "../src/vectors/vector-store.ts";

/** One object, one collection of vectors. Bind it as `VECTORS` to keep vectors in Durable Objects. */
export class VectorIndex extends DurableObject implements VectorIndexApi {
  readonly #index: SqlVectorIndex;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    const { storage } = ctx;
    this.#index = new SqlVectorIndex({
      exec: (query, ...bindings) => storage.sql.exec(query, ...bindings),
      transaction: (change) => storage.transactionSync(change),
    });
  }

  upsert(named: NamedModel, rows: readonly VectorRow[]): Promise<RpcResult<void>> {
    return toResult(() => this.#index.upsert(named, rows));
  }

  remove(ids: readonly string[]): Promise<RpcResult<void>> {
    return toResult(() => this.#index.delete(ids));
  }

  search(
    named: NamedModel,
    vector: Float32Array,
    query: VectorQuery,
  ): Promise<RpcResult<readonly VectorMatch[]>> {
    return toResult(() => this.#index.search(named, vector, query));
  }

  info(): Promise<RpcResult<VectorStoreInfo | undefined>> {
    return toResult(() => this.#index.info());
  }

  clear(except?: VectorStoreInfo): Promise<RpcResult<void>> {
    return toResult(() => this.#index.clear(except));
  }
}
