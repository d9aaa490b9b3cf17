import type { BrowserSession, FoundSession, SessionStore } from "../../access/session-store.ts";
import type { Scope } from "../../parts/key-store.ts";
import { onDatabase, type Database } from "../d1.ts";

type Row = {
  tenant: string;
  key_id: string | null;
  admin_mark: string | null;
  scopes: string;
  by_name: string | null;
  created_at: number;
  expires_at: number;
  key_hash: string | null;
  key_name: string | null;
  key_scopes: string | null;
  key_expires_at: number | null;
};

/** Sessions in D1. One read finds a session and its key. */
export class D1SessionStore implements SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(hash: string): Promise<FoundSession | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare(
          "SELECT s.tenant, s.key_id, s.admin_mark, s.scopes, s.by_name, s.created_at, s.expires_at, k.hash AS key_hash, k.name AS key_name, k.scopes AS key_scopes, k.expires_at AS key_expires_at FROM sessions s LEFT JOIN api_keys k ON k.id = s.key_id WHERE s.hash = ?",
        )
        .bind(hash)
        .first();
      return row === null ? undefined : toSession(row as Row);
    });
  }

  add(session: BrowserSession, hash: string): Promise<void> {
    const { tenant, keyId, adminMark, scopes, by, createdAtMs, expiresAtMs } = session;
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "INSERT INTO sessions (hash, tenant, key_id, admin_mark, scopes, by_name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(
          hash,
          tenant,
          keyId ?? null,
          adminMark ?? null,
          scopes.join(" "),
          by ?? null,
          createdAtMs,
          expiresAtMs,
        )
        .run();
    });
  }

  delete(hash: string): Promise<void> {
    return this.#run("DELETE FROM sessions WHERE hash = ?", hash);
  }

  deleteAll(tenant: string): Promise<void> {
    return this.#run("DELETE FROM sessions WHERE tenant = ?", tenant);
  }

  sweep(nowMs: number): Promise<void> {
    return this.#run(
      "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= ? LIMIT 500)",
      nowMs,
    );
  }

  #run(sql: string, value: string | number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.prepare(sql).bind(value).run();
    });
  }
}

function toSession(row: Row): FoundSession {
  const { key_hash: hash, key_scopes: scopes, key_expires_at: expiresAtMs } = row;
  return {
    tenant: row.tenant,
    scopes: scopesOf(row.scopes),
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    ...(row.key_id === null ? undefined : { keyId: row.key_id }),
    ...(row.admin_mark === null ? undefined : { adminMark: row.admin_mark }),
    ...(row.by_name === null ? undefined : { by: row.by_name }),
    ...(hash === null || scopes === null
      ? undefined
      : {
          key: {
            hash,
            scopes: scopesOf(scopes),
            ...(row.key_name === null ? undefined : { name: row.key_name }),
            ...(expiresAtMs === null ? undefined : { expiresAtMs }),
          },
        }),
  };
}

function scopesOf(text: string): readonly Scope[] {
  return text.split(" ") as Scope[];
}
