// The forms of a run's store, so that one behaviour suite holds for all of them: `describe.each(RUN_STORES)`.
import { DatabaseSync } from "node:sqlite";
import type { SqlDatabase } from "../../src/cloudflare/runs/sql-database.ts";
import { SqlRunStore } from "../../src/cloudflare/runs/sql-run-store.ts";
import type { VectorDatabase } from "../../src/cloudflare/vectors/sql-vector-index.ts";
import { InMemoryRunStore } from "../../src/runtime/in-memory-run-store.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";

/** A store, and a second look at what it keeps, as after the process was started again. */
export type StoreFixture = { readonly store: RunStore; readonly reopen: () => RunStore };

export type StoreForm = { readonly name: string; readonly open: () => StoreFixture };

export const RUN_STORES: readonly StoreForm[] = [
  { name: "in memory", open: openMemoryStore },
  { name: "in SQLite", open: openSqlStore },
];

/** What is in memory is gone with the process, so its second look is the same object. */
export function openMemoryStore(): StoreFixture {
  const store = new InMemoryRunStore();
  return { store, reopen: () => store };
}

export function openSqlStore(): StoreFixture {
  const database = sqliteInMemory();
  const store = new SqlRunStore(database);
  let current = store;
  const reopen = (): SqlRunStore => {
    current.commit(); // as at the end of the turn
    return (current = new SqlRunStore(database));
  };
  return { store, reopen };
}

/** `node:sqlite` behind the port; transactions nest, as those of a Durable Object do. */
export function sqliteInMemory(): SqlDatabase & VectorDatabase {
  const database = new DatabaseSync(":memory:");
  let depth = 0;
  return {
    exec: (query: string, ...bindings: (string | number | null | Uint8Array)[]) =>
      database.prepare(query).all(...bindings),
    transaction: (change) => {
      const name = `level_${depth}`;
      database.exec(`SAVEPOINT ${name}`);
      depth++;
      try {
        change();
      } catch (error) {
        database.exec(`ROLLBACK TO ${name}`);
        throw error;
      } finally {
        depth--;
        database.exec(`RELEASE ${name}`);
      }
    },
  };
}
