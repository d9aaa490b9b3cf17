import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ModelCache } from "../../llm/model-cache.ts";

/** Creates a tenant's cache of model answers from the bindings of a Worker. */
export type ModelCacheSetting = (env: object, tenant: string) => ModelCache;

/** Used part of a KV namespace. A `KVNamespace` fits it. */
export interface KvNamespace {
  get(key: string, type: "json"): Promise<unknown>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
}

/**
 * Caches model answers in the KV namespace with this binding: near the readers, and visible elsewhere after a minute.
 */
export function kvModelCache(binding: string): ModelCacheSetting {
  return (env, tenant) => {
    const namespace = (env as Readonly<Record<string, unknown>>)[binding];
    if (typeof namespace === "object" && namespace !== null && "get" in namespace)
      return new KvModelCache(namespace as KvNamespace, tenant);
    throw new EngineError(
      "invalid_definition",
      `defineApp({ modelCache: kvModelCache("${binding}") }) needs a KV namespace bound as ${binding} in wrangler.toml`,
    );
  };
}

/** A tenant's cache of model answers in KV. */
export class KvModelCache implements ModelCache {
  readonly #namespace: KvNamespace;
  readonly #prefix: string;

  constructor(namespace: KvNamespace, tenant: string) {
    this.#namespace = namespace;
    this.#prefix = `edgecrew/models/${encodeURIComponent(tenant)}`;
  }

  async get(key: string): Promise<JsonValue | undefined> {
    return ((await this.#namespace.get(`${this.#prefix}/${key}`, "json")) ?? undefined) as
      | JsonValue
      | undefined;
  }

  set(key: string, value: JsonValue, ttlSeconds: number): Promise<void> {
    return this.#namespace.put(`${this.#prefix}/${key}`, JSON.stringify(value), {
      expirationTtl: ttlSeconds,
    });
  }
}
