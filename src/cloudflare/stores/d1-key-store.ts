import type { ApiKey, KeyStore, Scope } from "../../parts/key-store.ts";
import { onDatabase, type Database } from "../d1.ts";

type Row = {
  id: string;
  tenant: string;
  name: string | null;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  last_used_on: string | null;
};

const COLUMNS = "id, tenant, name, scopes, created_at, expires_at, last_used_on";

/** API keys in D1. */
export class D1KeyStore implements KeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(hash: string): Promise<ApiKey | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`)
        .bind(hash)
        .first();
      return row === null ? undefined : toKey(row as Row);
    });
  }

  used(id: string, on: string): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare("UPDATE api_keys SET last_used_on = ?2 WHERE id = ?1 AND last_used_on IS NOT ?2")
        .bind(id, on)
        .run();
    });
  }

  any(): Promise<boolean> {
    return onDatabase(
      async () =>
        (await this.#db.prepare("SELECT 1 AS found FROM api_keys LIMIT 1").bind().first()) !== null,
    );
  }

  add({ id, tenant, name, scopes, createdAtMs, expiresAtMs }: ApiKey, hash: string): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "INSERT INTO api_keys (id, tenant, name, hash, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(id, tenant, name ?? null, hash, scopes.join(" "), createdAtMs, expiresAtMs ?? null)
        .run();
    });
  }

  list({
    afterId = "",
    limit,
  }: {
    afterId?: string | undefined;
    limit: number;
  }): Promise<readonly ApiKey[]> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(
        `SELECT ${COLUMNS} FROM api_keys WHERE id > ? ORDER BY id LIMIT ?`,
      );
      return (await statement.bind(afterId, limit).all()).results.map((row) => toKey(row as Row));
    });
  }

  delete(id: string): Promise<boolean> {
    return onDatabase(
      async () =>
        (await this.#db.prepare("DELETE FROM api_keys WHERE id = ?").bind(id).run()).meta.changes >
        0,
    );
  }
}

function toKey({ id, tenant, name, scopes, created_at, expires_at, last_used_on }: Row): ApiKey {
  return {
    id,
    tenant,
    ...(name === null ? undefined : { name }),
    scopes: scopes.split(" ") as Scope[],
    createdAtMs: created_at,
    ...(expires_at === null ? undefined : { expiresAtMs: expires_at }),
    ...(last_used_on === null ? undefined : { lastUsedOn: last_used_on }),
  };
}
