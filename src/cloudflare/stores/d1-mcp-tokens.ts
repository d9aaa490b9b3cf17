import type { SecretBox } from "../../security/secret-box.ts";
import { onDatabase, type Database } from "../d1.ts";

type KeptToken = { readonly value: string; readonly expiresAtMs: number | undefined };

/** A tenant's tokens of MCP servers in D1, encrypted for the tenant. */
export class D1McpTokens {
  readonly #db: Database;
  readonly #tenant: string;
  readonly #box: Pick<SecretBox, "seal" | "open">;

  constructor(db: Database, tenant: string, box: Pick<SecretBox, "seal" | "open">) {
    this.#db = db;
    this.#tenant = tenant;
    this.#box = box;
  }

  async get(key: string): Promise<KeptToken | undefined> {
    const row = await onDatabase(
      async () =>
        (await this.#db
          .prepare("SELECT sealed, expires_at FROM mcp_tokens WHERE tenant = ? AND key = ?")
          .bind(this.#tenant, key)
          .first()) as { readonly sealed: string; readonly expires_at: number | null } | null,
    );
    if (row === null) return undefined;
    const value = await this.#box.open(row.sealed, this.#owner(key)).catch(() => undefined);
    // A token sealed with another key is unreadable, so a new token is requested.
    return value === undefined ? undefined : { value, expiresAtMs: row.expires_at ?? undefined };
  }

  async put(key: string, { value, expiresAtMs }: KeptToken): Promise<void> {
    const sealed = await this.#box.seal(value, this.#owner(key));
    await onDatabase(async () => {
      await this.#db
        .prepare(
          "INSERT OR REPLACE INTO mcp_tokens (tenant, key, sealed, expires_at) VALUES (?, ?, ?, ?)",
        )
        .bind(this.#tenant, key, sealed, expiresAtMs ?? null)
        .run();
    });
  }

  async delete(key: string): Promise<void> {
    await onDatabase(async () => {
      await this.#db
        .prepare("DELETE FROM mcp_tokens WHERE tenant = ? AND key = ?")
        .bind(this.#tenant, key)
        .run();
    });
  }

  #owner(key: string): string {
    return `${this.#tenant}/mcp/${key}`;
  }
}
