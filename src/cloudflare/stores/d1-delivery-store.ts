import {
  MAX_DELIVERIES,
  type DeliveryOutcome,
  type DeliveryStore,
  type StoredDelivery,
} from "../../triggers/delivery-store.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";

type Row = {
  id: string;
  at: number;
  outcome: DeliveryOutcome;
  status: number;
  run_id: string | null;
  event: string | null;
  reason: string | null;
  bytes: number;
  body?: string | null;
  count: number;
  unsigned: number;
};

type OfHook = { readonly tenant: string; readonly hook: string };

const COLUMNS = "id, at, outcome, status, run_id, event, reason, bytes, count, unsigned";
const OF_HOOK = "tenant = ?1 AND hook = ?2";

/** Deliveries of webhooks in D1. */
export class D1DeliveryStore implements DeliveryStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  add({ tenant, hook }: OfHook, delivery: Omit<StoredDelivery, "count">): Promise<void> {
    const { id, atMs, outcome, status, runId, event, reason, bytes, body, unsigned } = delivery;
    return onDatabase(async () => {
      await this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO hook_deliveries (tenant, hook, id, at, outcome, status, run_id, event, reason, bytes, body, unsigned)
             SELECT ?1, ?2, ?3, ?4,
               CASE WHEN ?5 = 'started' AND EXISTS (SELECT 1 FROM hook_deliveries WHERE ${OF_HOOK} AND run_id = ?7) THEN 'repeated' ELSE ?5 END,
               ?6, ?7, ?8, ?9, ?10, ?11, ?12
             WHERE TRUE
             ON CONFLICT (tenant, hook, id) DO UPDATE SET count = count + 1, at = excluded.at`,
          )
          .bind(
            tenant,
            hook,
            id,
            atMs,
            outcome,
            status,
            runId ?? null,
            event ?? null,
            reason ?? null,
            bytes,
            body ?? null,
            unsigned === true ? 1 : 0,
          ),
        this.#db
          .prepare(
            `DELETE FROM hook_deliveries WHERE ${OF_HOOK} AND unsigned = ?3 AND id <= (SELECT id FROM hook_deliveries WHERE ${OF_HOOK} AND unsigned = ?3 ORDER BY id DESC LIMIT 1 OFFSET ${MAX_DELIVERIES})`,
          )
          .bind(tenant, hook, unsigned === true ? 1 : 0),
      ]);
    });
  }

  list(
    { tenant, hook }: OfHook,
    page: {
      readonly before?: string | undefined;
      readonly outcome?: DeliveryOutcome | undefined;
      readonly sinceMs: number;
      readonly limit: number;
    },
  ): Promise<ReadonlyArray<Omit<StoredDelivery, "body">>> {
    const { before = null, outcome = null, sinceMs, limit } = page;
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT ${COLUMNS} FROM hook_deliveries
           WHERE ${OF_HOOK} AND (?3 IS NULL OR id < ?3) AND (?4 IS NULL OR outcome = ?4) AND at >= ?5 ORDER BY id DESC LIMIT ?6`,
        )
        .bind(tenant, hook, before, outcome, sinceMs, limit)
        .all();
      return results.map((row) => toDelivery(row as Row));
    });
  }

  get(
    { tenant, hook }: OfHook,
    { id, sinceMs }: { readonly id: string; readonly sinceMs: number },
  ): Promise<StoredDelivery | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare(
          `SELECT ${COLUMNS}, body FROM hook_deliveries WHERE ${OF_HOOK} AND id = ?3 AND at >= ?4`,
        )
        .bind(tenant, hook, id, sinceMs)
        .first();
      return row === null ? undefined : toDelivery(row as Row);
    });
  }

  deleteOf({ tenant, hook }: OfHook): Promise<void> {
    return onDatabase(async () => {
      const statement = this.#db.prepare(`DELETE FROM hook_deliveries WHERE ${OF_HOOK}`);
      await statement.bind(tenant, hook).run();
    });
  }

  deleteBefore(ms: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.prepare("DELETE FROM hook_deliveries WHERE at < ?").bind(ms).run();
    });
  }
}

function toDelivery(row: Row): StoredDelivery {
  const { id, at, outcome, status, run_id, event, reason, bytes, body, count, unsigned } = row;
  return {
    id,
    atMs: at,
    outcome,
    status,
    ...(run_id === null ? undefined : { runId: run_id }),
    ...(event === null ? undefined : { event }),
    ...(reason === null ? undefined : { reason }),
    bytes,
    ...(typeof body === "string" ? { body } : undefined),
    count,
    ...(unsigned === 1 ? { unsigned: true } : undefined),
  };
}
