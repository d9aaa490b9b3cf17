import { readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { BatchDatabase, Statement } from "../../src/cloudflare/d1.ts";
import { readSource } from "./source-files.ts";

type Values = ReadonlyArray<string | number | null | Uint8Array>;

type Done = {
  readonly meta: { readonly changes: number };
  readonly results: readonly unknown[];
};

/** `node:sqlite` as D1 answers; unless one is passed in, an empty database with the released schema. */
export function sqliteD1(
  sqlite: DatabaseSync = migrated(),
): BatchDatabase & { readonly sqlite: DatabaseSync } {
  const runs = new WeakMap<Statement, () => Done>();
  const statement = (sql: string, values: Values): Statement => {
    const run = (): Done => {
      const results = sqlite.prepare(sql).all(...values);
      const { changes } = sqlite.prepare("SELECT changes() AS changes").get() ?? {};
      return { results, meta: { changes: Number(changes) } };
    };
    const made: Statement = {
      bind: (...bound) => statement(sql, bound),
      first: async () => sqlite.prepare(sql).get(...values) ?? null,
      all: async () => ({ results: sqlite.prepare(sql).all(...values) }),
      run: async () => run(),
    };
    runs.set(made, run);
    return made;
  };
  return {
    sqlite,
    prepare: (sql) => statement(sql, []),
    /** All or nothing, with nothing else in between. */
    batch: async (statements) => {
      sqlite.exec("BEGIN");
      try {
        const done = statements.flatMap((each) => runs.get(each)?.() ?? []);
        sqlite.exec("COMMIT");
        return done;
      } catch (error) {
        sqlite.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

function migrated(): DatabaseSync {
  const sqlite = new DatabaseSync(":memory:");
  const folder = new URL("../../migrations/", import.meta.url);
  for (const name of readdirSync(folder).toSorted()) sqlite.exec(readSource(`migrations/${name}`));
  return sqlite;
}
