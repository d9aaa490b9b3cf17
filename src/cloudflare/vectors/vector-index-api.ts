import type {
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStoreInfo,
} from "../../vectors/vector-store.ts";
import type { RpcResult } from "../rpc-result.ts";

/** What the Durable Object of one collection answers over RPC. */
export interface VectorIndexApi {
  upsert(collection: NamedModel, rows: readonly VectorRow[]): Promise<RpcResult<void>>;
  remove(ids: readonly string[]): Promise<RpcResult<void>>;
  search(
    collection: NamedModel,
    vector: Float32Array,
    query: VectorQuery,
  ): Promise<RpcResult<readonly VectorMatch[]>>;
  info(): Promise<RpcResult<VectorStoreInfo | undefined>>;
  clear(): Promise<RpcResult<void>>;
}

/** The collection as errors call it, and the model that the caller's vectors are of. */
export type NamedModel = { readonly collection: string; readonly model: string };

/** The name of a collection's object. Another tenant's collection has another name, and so does not exist. */
export function vectorObjectName(tenant: string, collection: string): string {
  return `t:${encodeURIComponent(tenant)}/vectors:${encodeURIComponent(collection)}`;
}
