export type SqlValue = string | number | null;

/** The part of a Durable Object's SQLite that a run needs; `node:sqlite` fits it as well. */
export interface SqlDatabase {
  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>>;
  /** All or nothing. */
  transaction(change: () => void): void;
}
