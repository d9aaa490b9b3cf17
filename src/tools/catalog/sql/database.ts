// Databases for tools: one statement at a time, read within limits.
import type { SqlDialect } from "./sql-tokens.ts";
import type { SqlStatement } from "./sql-guard.ts";

export type SqlRows = {
  readonly columns: readonly string[];
  /** Rows up to the requested number. */
  readonly rows: readonly (readonly unknown[])[];
  /** Number of counted rows beyond these. */
  readonly more: number;
  /** True if there are even more, uncounted rows. */
  readonly isOpen: boolean;
};

export type SqlLimits = {
  readonly maxRows: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Connection to a database. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Reads with writes disabled by the database itself. */
  read(statement: SqlStatement, limits: SqlLimits): Promise<SqlRows>;
  /** Writes all rows of the statement or, on failure, no row. Returns their number. */
  write(statement: SqlStatement, limits: SqlLimits): Promise<number>;
  close(): Promise<void>;
}

/** Used part of a D1 database. A `D1Database` fits it. */
export interface SqliteBinding {
  prepare(sql: string): SqlitePrepared;
}

export interface SqlitePrepared {
  all(): Promise<{ readonly results: readonly unknown[] }>;
  raw(options: { readonly columnNames: true }): Promise<readonly (readonly unknown[])[]>;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
}

/** Database bound to the Worker. */
export type DatabaseBinding =
  | { readonly kind: "d1"; readonly database: SqliteBinding }
  | { readonly kind: "hyperdrive"; readonly connectionString: string };

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /**
     * Databases bound to the Worker, by the names of their bindings. @default none: tools reach databases by address
     * alone
     */
    readonly databases?: (name: string) => DatabaseBinding | undefined;
  }
}

/** Maximum number of counted rows. */
export const MAX_COUNTED = 10_000;
