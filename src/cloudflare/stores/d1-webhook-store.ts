import { HttpError } from "../../parts/problem.ts";
import type {
  WebhookDefinition,
  WebhookStore,
  StoredWebhook,
} from "../../triggers/webhook-store.ts";
import { onDatabase, type Database } from "../d1.ts";

type Row = {
  tenant: string;
  name: string;
  definition: string;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  created_at: number;
  updated_at: number;
};

/** Maximum number of webhooks of one tenant. */
const MAX_WEBHOOKS = 1_000;

/** Webhooks in D1. */
export class D1WebhookStore implements WebhookStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(tenant: string, name: string): Promise<StoredWebhook | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare("SELECT * FROM hooks WHERE tenant = ? AND name = ?")
        .bind(tenant, name)
        .first();
      return row === null ? undefined : toWebhook(row as Row);
    });
  }

  list(
    tenant: string,
    { afterName = "", limit }: { readonly afterName?: string | undefined; readonly limit: number },
  ): Promise<readonly StoredWebhook[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare("SELECT * FROM hooks WHERE tenant = ? AND name > ? ORDER BY name LIMIT ?")
        .bind(tenant, afterName, limit)
        .all();
      return results.map((row) => toWebhook(row as Row));
    });
  }

  put(webhook: StoredWebhook): Promise<void> {
    return onDatabase(async () => {
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO hooks (tenant, name, definition, secret, previous_secret, previous_until, created_at, updated_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
           WHERE EXISTS (SELECT 1 FROM hooks WHERE tenant = ?1 AND name = ?2) OR (SELECT COUNT(*) FROM hooks WHERE tenant = ?1) < ?9
           ON CONFLICT (tenant, name) DO UPDATE SET definition = excluded.definition, secret = excluded.secret,
             previous_secret = excluded.previous_secret, previous_until = excluded.previous_until, updated_at = excluded.updated_at`,
        )
        .bind(
          webhook.tenant,
          webhook.name,
          JSON.stringify(webhook.definition),
          webhook.secret,
          webhook.previous?.secret ?? null,
          webhook.previous?.untilMs ?? null,
          webhook.createdAtMs,
          webhook.updatedAtMs,
          MAX_WEBHOOKS,
        )
        .run();
      if (meta.changes === 0)
        throw new HttpError(
          "limit_exceeded",
          `a tenant may have at most ${MAX_WEBHOOKS} webhooks; delete some first`,
          { status: 409 },
        );
    });
  }

  delete(tenant: string, name: string): Promise<boolean> {
    return onDatabase(async () => {
      const statement = this.#db.prepare("DELETE FROM hooks WHERE tenant = ? AND name = ?");
      return (await statement.bind(tenant, name).run()).meta.changes > 0;
    });
  }
}

function toWebhook(row: Row): StoredWebhook {
  const { previous_secret: secret, previous_until: untilMs } = row;
  return {
    tenant: row.tenant,
    name: row.name,
    definition: JSON.parse(row.definition) as WebhookDefinition,
    secret: row.secret,
    ...(secret === null || untilMs === null ? undefined : { previous: { secret, untilMs } }),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
