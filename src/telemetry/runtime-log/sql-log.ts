import { LOG_TABLES, type LogRow, type LogSink, type LogTable, type LogValue } from "./log-row.ts";

/** A statement and the values of its question marks. */
export type SqlStatement = { readonly sql: string; readonly values: readonly LogValue[] };

/** Executes statements in their order, as one transaction if the database supports it. */
export type SqlExecute = (statements: readonly SqlStatement[]) => unknown;

/** Subset of a D1 database for a log. */
export interface LogDatabase {
  prepare(sql: string): LogStatement;
  batch(statements: LogStatement[]): Promise<unknown>;
}

/** A statement of a `LogDatabase`. */
export interface LogStatement {
  bind(...values: readonly LogValue[]): LogStatement;
}

/** Number of statements in a batch, a moderate size for D1. */
const MAX_BATCH = 50;

const CREATE: readonly SqlStatement[] = Object.entries(LOG_TABLES).map(([table, columns]) => ({
  sql: `CREATE TABLE IF NOT EXISTS ${table} (${Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")})`,
  values: [],
}));

/**
 * Writes a runtime log to SQLite: a D1 database, or any other through a function that executes statements. Creates the
 * tables with the first rows. Existing rows stay unchanged, except a wrapper without an agent.
 */
export function sqlLog(database: LogDatabase | SqlExecute): LogSink {
  const execute: SqlExecute =
    typeof database === "function"
      ? database
      : (statements) =>
          database.batch(
            statements.map(({ sql, values }) => database.prepare(sql).bind(...values)),
          );
  let hasTables = false;
  return {
    write: async (rows) => {
      if (!hasTables) await execute(CREATE);
      hasTables = true;
      for (let start = 0; start < rows.length; start += MAX_BATCH)
        await execute(rows.slice(start, start + MAX_BATCH).map(insertOf));
    },
  };
}

function insertOf({ table, values }: LogRow): SqlStatement {
  return { sql: INSERTS[table], values: columnsOf(table).map((name) => cell(values, name)) };
}

function cell(values: Readonly<Record<string, LogValue>>, name: string): LogValue {
  return values[name] ?? null;
}

function columnsOf(table: LogTable): readonly string[] {
  return Object.keys(LOG_TABLES[table]);
}

const INSERTS = Object.fromEntries(
  (Object.keys(LOG_TABLES) as LogTable[]).map((table) => {
    const columns = columnsOf(table);
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    const otherwise =
      table === "agents"
        ? "UPDATE SET wrapper_id = coalesce(agents.wrapper_id, excluded.wrapper_id)"
        : "NOTHING";
    return [table, `${insert} ON CONFLICT (id) DO ${otherwise}`];
  }),
) as Readonly<Record<LogTable, string>>;
