// SQLite with the tables of a run's files.
import { errorMessage } from "../../../base/error.ts";
import { PlatformFault } from "../../../base/platform-fault.ts";

export type TableValue = string | number | null;

export type TableRead = {
  readonly columns: readonly string[];
  /** Rows up to the requested number. */
  readonly rows: ReadonlyArray<readonly unknown[]>;
  /** Number of counted rows beyond these. */
  readonly more: number;
  /** True if there are even more, uncounted rows. */
  readonly isOpen: boolean;
};

/** Limits of a result, in rows. A statement gives few more than `maxCounted`. */
export type TableReadLimits = { readonly maxRows: number; readonly maxCounted: number };

export interface TableDatabase {
  /** Runs a statement of this folder. */
  run(sql: string, ...values: readonly TableValue[]): ReadonlyArray<readonly unknown[]>;
  /** Reads a statement within limits. Throws the database's own error about it. */
  read(sql: string, limits: TableReadLimits): TableRead;
  /** Makes all changes, or no change. */
  transaction(change: () => void): void;
}

/** Storage of a Durable Object with SQLite. */
export interface DurableTables {
  readonly sql: {
    exec(
      query: string,
      ...values: TableValue[]
    ): { readonly columnNames: readonly string[]; raw(): Iterable<readonly unknown[]> };
  };
  transactionSync(change: () => void): void;
}

/** Used part of `DatabaseSync` of `node:sqlite`. */
export interface ProcessTables {
  exec(sql: string): void;
  prepare(sql: string): {
    columns(): ReadonlyArray<{ readonly name: string }>;
    setReturnArrays(enabled: boolean): void;
    iterate(...values: TableValue[]): Iterable<unknown>;
  };
}

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /**
     * SQLite for tables of the run's files, with no use beside the tools for them. @default in memory, in Node; no
     * tables elsewhere
     */
    readonly tableStorage?: DurableTables | ProcessTables;
  }
}

/** Opens a database over SQLite of either platform. */
export function tableDatabase(storage: DurableTables | ProcessTables): TableDatabase {
  return "transactionSync" in storage ? durable(storage) : inProcess(storage);
}

function durable(storage: DurableTables): TableDatabase {
  return {
    run: (query, ...values) => guarded(() => [...storage.sql.exec(query, ...values).raw()]),
    read: (query, limits) =>
      guarded(() => {
        const cursor = storage.sql.exec(query);
        return readRows(cursor.columnNames, cursor.raw(), limits);
      }),
    transaction: (change) => storage.transactionSync(change),
  };
}

function inProcess(database: ProcessTables): TableDatabase {
  const open = (query: string) => {
    const statement = database.prepare(query);
    statement.setReturnArrays(true);
    return statement;
  };
  let last: { readonly query: string; readonly statement: ReturnType<typeof open> } | undefined;
  const again = (query: string) => {
    if (last?.query !== query) last = { query, statement: open(query) };
    return last.statement;
  };
  return {
    run: (query, ...values) => [...(again(query).iterate(...values) as Iterable<unknown[]>)],
    read: (query, limits) => {
      const statement = open(query);
      const columns = statement.columns().map(({ name }) => name);
      return readRows(columns, statement.iterate() as Iterable<unknown[]>, limits);
    },
    transaction: (change) => {
      database.exec("SAVEPOINT edgecrew_tables");
      try {
        change();
      } catch (error) {
        database.exec("ROLLBACK TO edgecrew_tables");
        throw error;
      } finally {
        database.exec("RELEASE edgecrew_tables");
      }
    },
  };
}

function readRows(
  columns: readonly string[],
  all: Iterable<readonly unknown[]>,
  { maxRows, maxCounted }: TableReadLimits,
): TableRead {
  const rows: Array<readonly unknown[]> = [];
  let count = 0;
  // To the end: an abandoned cursor locks its tables, and a Durable Object cannot close it.
  for (const row of all) if (++count <= maxRows) rows.push(row);
  const counted = Math.min(count, maxCounted);
  return { columns, rows, more: Math.max(0, counted - maxRows), isOpen: count > maxCounted };
}

/** Errors about a statement stay; all others are faults of the storage. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (/SQLITE_(?:ERROR|AUTH|TOOBIG|MISMATCH|RANGE|LIMIT)\b/.test(errorMessage(error)))
      throw error;
    throw new PlatformFault(error);
  }
}

const inMemory = new WeakMap<object, TableDatabase>();

/**
 * Returns the tables of a run in this process, in memory: `owner` is its drive, and they go with it. Undefined where the
 * process has no SQLite.
 */
export function processTables(owner: object): TableDatabase | undefined {
  const known = inMemory.get(owner);
  if (known !== undefined) return known;
  const { process } = globalThis as { readonly process?: NodeProcess };
  const sqlite = process?.getBuiltinModule?.("node:sqlite");
  if (sqlite?.DatabaseSync === undefined) return undefined;
  const made = tableDatabase(new sqlite.DatabaseSync(":memory:"));
  inMemory.set(owner, made);
  return made;
}

type NodeProcess = {
  readonly getBuiltinModule?: (
    name: string,
  ) => { readonly DatabaseSync?: new (place: string) => ProcessTables } | undefined;
};
