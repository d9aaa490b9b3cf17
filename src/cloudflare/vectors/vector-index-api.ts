import type {
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStoreInfo,
} from "../../vectors/vector-store.ts";
import type { RpcResult } from "../rpc-result.ts";

/** RPC interface of a collection's Durable Object. */
export interface VectorIndexApi {
  upsert(collection: NamedModel, rows: readonly VectorRow[]): Promise<RpcResult<void>>;
  remove(ids: readonly string[]): Promise<RpcResult<void>>;
  search(
    collection: NamedModel,
    vector: Float32Array,
    query: VectorQuery,
  ): Promise<RpcResult<readonly VectorMatch[]>>;
  info(): Promise<RpcResult<VectorStoreInfo | undefined>>;
  clear(except?: VectorStoreInfo): Promise<RpcResult<void>>;
}

/** Name of the collection in errors, and the model of the caller's vectors. */
export type NamedModel = { readonly collection: string; readonly model: string };

/** Returns the name of a collection's object. It includes the tenant, so other tenants cannot reach the collection. */
export function vectorObjectName(tenant: string, collection: string): string {
  return `t:${encodeURIComponent(tenant)}/vectors:${encodeURIComponent(collection)}`;
}
