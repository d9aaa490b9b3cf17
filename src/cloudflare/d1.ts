import { EngineError, errorMessage } from "../base/error.ts";

/** Used part of a D1 database. A `D1Database` fits it. */
export interface Database {
  prepare(sql: string): Statement;
}

export interface Statement {
  bind(...values: ReadonlyArray<string | number | null | Uint8Array>): Statement;
  /** Returns the first row, or null without one. */
  first(): Promise<unknown>;
  all(): Promise<{ readonly results: readonly unknown[] }>;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
}

/** Database with a batch of statements as one transaction. */
export interface BatchDatabase extends Database {
  batch(statements: Statement[]): Promise<
    ReadonlyArray<{
      readonly meta: { readonly changes: number };
      readonly results: readonly unknown[];
    }>
  >;
}

declare module "../parts/part.ts" {
  interface PartEnv {
    readonly DB: BatchDatabase;
  }
}

/** D1 errors after which the same query may succeed a moment later. */
const TRANSIENT =
  /network connection lost|overloaded|storage caused object to be reset|reset because its code was updated|internal error|timed? ?out|too many requests queued/i;

/**
 * Runs database work. Missing tables or a missing migration fail with `unavailable` and the remedy in the message. A
 * temporary fault fails with `unavailable`, retryable. Any other error is rethrown unchanged.
 */
export async function onDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (EngineError.is(error)) throw error;
    const message = errorMessage(error);
    const [, what, name] = /no such (table|column): (\w+)/i.exec(message) ?? [];
    if (name !== undefined) {
      const detail = `the D1 database has no ${what} "${name}": run \`wrangler d1 migrations apply DB\` (with --local or --remote, and the --env you deploy)`;
      throw new EngineError("unavailable", detail, { cause: error });
    }
    if (TRANSIENT.test(message))
      throw new EngineError("unavailable", "the D1 database did not answer; try again", {
        retryable: true,
        retryAfterMs: 1000,
        cause: error,
      });
    throw error;
  }
}

/** Returns all rows of a query. Fails as `onDatabase` does. */
export function rowsOf<Row>(
  db: Database,
  sql: string,
  values: ReadonlyArray<string | number | null>,
): Promise<readonly Row[]> {
  return onDatabase(async () => {
    const { results } = await db
      .prepare(sql)
      .bind(...values)
      .all();
    return results as Row[];
  });
}
