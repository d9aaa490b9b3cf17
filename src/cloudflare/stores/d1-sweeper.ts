import { errorMessage } from "../../base/error.ts";
import { onDatabase, type Database } from "../d1.ts";

/** Minimum time between two notes, in milliseconds. Of several crons in the same minute, one is enough. */
const PAUSE_MS = 30_000;

/** Time of the last cron visit, in D1. */
export class D1Sweeper {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Writes at most one row. */
  note(nowMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          `INSERT INTO sweeper (only, last_at) VALUES (1, ?1)
           ON CONFLICT (only) DO UPDATE SET last_at = ?1 WHERE last_at <= ?1 - ${PAUSE_MS}`,
        )
        .bind(nowMs)
        .run();
    });
  }

  /** Returns undefined if the cron never ran, or if the database has no table for it yet. */
  async lastAtMs(): Promise<number | undefined> {
    const row = await unlessNoTable(this.#db.prepare(`SELECT last_at FROM sweeper`).first());
    return (row as { last_at: number } | null | undefined)?.last_at;
  }
}

/** Returns the names of the migrations applied by wrangler; undefined if the list is missing under its usual name. */
export async function appliedMigrations(db: Database): Promise<readonly string[] | undefined> {
  const rows = await unlessNoTable(db.prepare(`SELECT name FROM d1_migrations ORDER BY id`).all());
  return (rows?.results as { name: string }[] | undefined)?.map(({ name }) => name);
}

function unlessNoTable<Rows>(rows: Promise<Rows>): Promise<Rows | undefined> {
  return onDatabase(() =>
    rows.catch((error: unknown) => {
      if (/no such table/i.test(errorMessage(error))) return undefined;
      throw error;
    }),
  );
}
