import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ModelCache } from "../../llm/model-cache.ts";

/** Makes a tenant's cache of models' answers, of the bindings of a Worker. */
export type ModelCacheSetting = (env: object, tenant: string) => ModelCache;

/** The part of a KV namespace that the cache needs; a `KVNamespace` fits it. */
export interface KvNamespace {
  get(key: string, type: "json"): Promise<unknown>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
}

/** Keeps answers of models in a KV namespace, by the name of its binding: near to where they are read, and seen elsewhere after a minute. */
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

/** A tenant's cache of models' answers in KV. */
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
