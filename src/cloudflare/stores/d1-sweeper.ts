import { errorMessage } from "../../base/error.ts";
import { onDatabase, type Database } from "../d1.ts";

/** Several crons may come in the same minute: one of them is enough. */
const PAUSE_MS = 30_000;

/** When the cron last came, in D1. */
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

  /** Undefined where it never came, also in a database that has no place for it yet. */
  async lastAtMs(): Promise<number | undefined> {
    const row = await unlessNoTable(this.#db.prepare(`SELECT last_at FROM sweeper`).first());
    return (row as { last_at: number } | null | undefined)?.last_at;
  }
}

/** The names of the migrations that wrangler has applied; undefined where it has kept no list under its usual name. */
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
