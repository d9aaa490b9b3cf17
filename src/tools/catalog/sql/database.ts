// Databases as tools see them: one statement at a time, read within bounds.
import type { SqlDialect } from "./sql-tokens.ts";
import type { SqlStatement } from "./sql-guard.ts";

export type SqlRows = {
  readonly columns: readonly string[];
  /** As many as were asked for. */
  readonly rows: readonly (readonly unknown[])[];
  /** Rows that were counted beyond those. */
  readonly more: number;
  /** There are even more, which nobody counted. */
  readonly isOpen: boolean;
};

export type SqlLimits = {
  readonly maxRows: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** A connection to a database. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Reads in a way in which the database itself lets nothing be written. */
  read(statement: SqlStatement, limits: SqlLimits): Promise<SqlRows>;
  /** Writes rows, all of the statement or nothing, and tells how many. */
  write(statement: SqlStatement, limits: SqlLimits): Promise<number>;
  close(): Promise<void>;
}

/** The part of a D1 database that tools need; a `D1Database` fits it. */
export interface SqliteBinding {
  prepare(sql: string): SqlitePrepared;
}

export interface SqlitePrepared {
  all(): Promise<{ readonly results: readonly unknown[] }>;
  raw(options: { readonly columnNames: true }): Promise<readonly (readonly unknown[])[]>;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
}

/** A database that the Worker has bound. */
export type DatabaseBinding =
  | { readonly kind: "d1"; readonly database: SqliteBinding }
  | { readonly kind: "hyperdrive"; readonly connectionString: string };

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /** The databases that the Worker has bound, by the names of their bindings. @default none: tools reach databases by address alone */
    readonly databases?: (name: string) => DatabaseBinding | undefined;
  }
}

/** Rows are counted up to this. */
export const MAX_COUNTED = 10_000;
