// Postgres, through the package `postgres`.
//
//   SQP1. A text is sent as a prepared statement. The server rejects more than one statement.
//   SQP2. Reads run in a read-only transaction that is rolled back, within the server's own time limit.
import type postgres from "postgres";
import { missingPackage } from "./missing-package.ts";
import { MAX_COUNTED, type SqlDatabase, type SqlLimits, type SqlRows } from "./database.ts";
import type { SqlStatement } from "./sql-guard.ts";

/** Number of rows fetched at once. */
const PAGE = 500;
const CONNECT_SECONDS = 10;

type Page = readonly (readonly unknown[])[] & {
  readonly columns?: ReadonlyArray<{ readonly name: string }> | undefined;
};
type Cursor = {
  readonly cursor: (rows: number, take: (page: Page) => unknown) => Promise<Page>;
};
/** Keeps dates and times in the database's form. */
const TIMES = {
  to: 1184,
  from: [1082, 1083, 1114, 1184, 1266],
  serialize: String,
  parse: (text: string) => text,
};
const PREPARED = { simple: false } as postgres.UnsafeQueryOptions;

export class PostgresDatabase implements SqlDatabase {
  readonly dialect = "postgres";
  readonly #sql: postgres.Sql;

  private constructor(sql: postgres.Sql) {
    this.#sql = sql;
  }

  static async open(address: string): Promise<PostgresDatabase> {
    const { default: connect } = await import("postgres").catch((cause: unknown) => {
      throw missingPackage("postgres", cause);
    });
    const sql = connect(address, {
      max: 1,
      prepare: false,
      fetch_types: false,
      connect_timeout: CONNECT_SECONDS,
      onnotice: () => undefined,
      types: { times: TIMES },
      connection: { application_name: "edgecrew" },
    });
    return new PostgresDatabase(sql);
  }

  async read({ text }: SqlStatement, limits: SqlLimits): Promise<SqlRows> {
    let columns: readonly string[] = [];
    const rows: (readonly unknown[])[] = [];
    let counted = 0;
    const take = (page: Page): unknown => {
      columns = page.columns?.map(({ name }) => name) ?? columns;
      if (counted > MAX_COUNTED) return this.#sql.CLOSE;
      rows.push(...page.slice(0, Math.max(0, limits.maxRows - counted)));
      counted += page.length;
      return counted > MAX_COUNTED ? this.#sql.CLOSE : undefined;
    };
    const undone = new Error("what was read needs no commit");
    try {
      await this.#within(limits, "READ ONLY", async (sql) => {
        const values = sql.unsafe(text, [], PREPARED).values() as unknown as Cursor;
        const last = await values.cursor(PAGE, take);
        // Takes the last page if it was not taken: SHOW and EXPLAIN do not report their number of rows and arrive only
        // here.
        if (counted === 0) take(last);
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
    return {
      columns,
      rows,
      more: Math.max(0, Math.min(counted, MAX_COUNTED) - rows.length),
      isOpen: counted > MAX_COUNTED,
    };
  }

  write({ text }: SqlStatement, limits: SqlLimits): Promise<number> {
    return this.#within(limits, "READ WRITE", async (sql) => {
      const { count } = await sql.unsafe(text, [], PREPARED);
      return count;
    });
  }

  close(): Promise<void> {
    return this.#sql.end({ timeout: 1 });
  }

  /** Runs a transaction on one connection: committed after the work, rolled back if it throws. */
  async #within<T>(
    { signal, timeoutMs }: SqlLimits,
    mode: "READ ONLY" | "READ WRITE",
    work: (sql: postgres.TransactionSql) => Promise<T>,
  ): Promise<T> {
    const end = (): void => void this.#sql.end({ timeout: 0 }).catch(() => undefined);
    signal.throwIfAborted();
    signal.addEventListener("abort", end, { once: true });
    try {
      return (await this.#sql.begin(mode, async (sql) => {
        await sql.unsafe(`SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`);
        return work(sql);
      })) as T;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }
}
