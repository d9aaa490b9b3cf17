export type SqlValue = string | number | null;

/** Used part of a Durable Object's SQLite. `node:sqlite` fits it as well. */
export interface SqlDatabase {
  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>>;
  /** Runs a change as one transaction. */
  transaction(change: () => void): void;
}
