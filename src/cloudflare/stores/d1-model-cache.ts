import type { JsonValue } from "../../base/json.ts";
import { systemClock } from "../../base/system.ts";
import type { ModelCache } from "../../llm/model-cache.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import type { ModelCacheSetting } from "./kv-model-cache.ts";
import { D1TimedStore } from "./d1-tenant-store.ts";

/** Maximum length of a cached answer. D1 allows rows of at most 2 MB, in bytes; longer answers are not cached. */
const MAX_LENGTH = 500_000;
/** Number of expired rows deleted with each new one. */
const FORGOTTEN_AT_ONCE = 20;

/** Caches answers of models in the D1 database. */
export const d1ModelCache: ModelCacheSetting = (env, tenant) =>
  new D1ModelCache((env as { readonly DB: BatchDatabase }).DB, tenant, systemClock);

/** A tenant's cache of model answers in D1. */
export class D1ModelCache extends D1TimedStore<BatchDatabase> implements ModelCache {
  get(key: string): Promise<JsonValue | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare("SELECT value FROM model_cache WHERE tenant = ? AND key = ? AND expires_at > ?")
        .bind(this.tenant, key, this.clock.now())
        .first()) as { readonly value: string } | null;
      return row === null ? undefined : (JSON.parse(row.value) as JsonValue);
    });
  }

  async set(key: string, value: JsonValue, ttlSeconds: number): Promise<void> {
    const text = JSON.stringify(value);
    if (text.length > MAX_LENGTH) return;
    const nowMs = this.clock.now();
    await onDatabase(() =>
      this.db.batch([
        this.db
          .prepare(
            "DELETE FROM model_cache WHERE (tenant, key) IN (SELECT tenant, key FROM model_cache WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
          )
          .bind(nowMs, FORGOTTEN_AT_ONCE),
        this.db
          .prepare(
            "INSERT OR REPLACE INTO model_cache (tenant, key, value, expires_at) VALUES (?, ?, ?, ?)",
          )
          .bind(this.tenant, key, text, nowMs + ttlSeconds * 1000),
      ]),
    );
  }
}
