import type { Revocations } from "../../access/revocations.ts";
import { onDatabase, type Database } from "../d1.ts";

/** Revoked tokens in D1. */
export class D1Revocations implements Revocations {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  isRevoked(tenant: string, subjects: readonly string[], madeAt: number): Promise<boolean> {
    return onDatabase(async () => {
      const marks = subjects.map(() => "?").join(", ");
      const found = await this.#db
        .prepare(
          `SELECT 1 AS found FROM revoked_tokens WHERE tenant = ? AND subject IN (${marks}) AND made_until >= ? LIMIT 1`,
        )
        .bind(tenant, ...subjects, madeAt)
        .first();
      return found !== null;
    });
  }

  revoke(
    tenant: string,
    subjects: readonly string[],
    { madeUntil, expiresAt }: { readonly madeUntil: number; readonly expiresAt: number },
  ): Promise<void> {
    return onDatabase(async () => {
      const rows = subjects.map(() => "(?, ?, ?, ?)").join(", ");
      await this.#db
        .prepare(
          `INSERT INTO revoked_tokens (tenant, subject, made_until, expires_at) VALUES ${rows} ON CONFLICT DO UPDATE SET made_until = max(made_until, excluded.made_until), expires_at = max(expires_at, excluded.expires_at)`,
        )
        .bind(...subjects.flatMap((subject) => [tenant, subject, madeUntil, expiresAt]))
        .run();
    });
  }

  sweep(nowSeconds: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "DELETE FROM revoked_tokens WHERE (tenant, subject) IN (SELECT tenant, subject FROM revoked_tokens WHERE expires_at < ? LIMIT 500)",
        )
        .bind(nowSeconds)
        .run();
    });
  }
}
