import { DatabaseSync } from "node:sqlite";
import { D1MemoryRecords } from "../../../src/cloudflare/d1-memory-records.ts";
import type { BatchDatabase, Statement } from "../../../src/cloudflare/d1.ts";
import { describeMemoryRecords } from "../../support/memory-records.suite.ts";
import { readSource } from "../../support/source-files.ts";

/** `node:sqlite` as D1 answers: a batch is a transaction, and one at a time. */
function database(): BatchDatabase {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(readSource("migrations/0008_memory.sql"));
  type Bound = ReadonlyArray<string | number | null | Uint8Array>;
  const run = new WeakMap<Statement, () => { results: readonly unknown[] }>();
  const statement = (sql: string, values: Bound): Statement => {
    const rows = () => ({ results: sqlite.prepare(sql).all(...values) });
    const made: Statement = {
      bind: (...bound) => statement(sql, bound),
      first: async () => sqlite.prepare(sql).get(...values) ?? null,
      all: async () => rows(),
      run: async () => ({ meta: { changes: Number(sqlite.prepare(sql).run(...values).changes) } }),
    };
    run.set(made, rows);
    return made;
  };
  return {
    prepare: (sql) => statement(sql, []),
    batch: async (statements) => {
      sqlite.exec("BEGIN");
      try {
        const results = statements.map((made) => run.get(made)?.() ?? { results: [] });
        sqlite.exec("COMMIT");
        return results;
      } catch (error) {
        sqlite.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

const shared = database();

describeMemoryRecords({
  name: "in D1's SQL",
  open: (tenant) => new D1MemoryRecords(shared, tenant),
});
