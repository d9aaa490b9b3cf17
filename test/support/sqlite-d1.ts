import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { Database, Statement } from "../../src/cloudflare/d1.ts";
import { readSource } from "./source-files.ts";

/** `node:sqlite` as D1 answers, with all migrations. */
export function sqliteD1(): Database {
  const sqlite = new DatabaseSync(":memory:");
  const folder = fileURLToPath(new URL("../../migrations", import.meta.url));
  for (const name of readdirSync(folder).toSorted()) sqlite.exec(readSource(`migrations/${name}`));
  const statement = (
    sql: string,
    values: ReadonlyArray<string | number | null | Uint8Array>,
  ): Statement => ({
    bind: (...bound) => statement(sql, bound),
    first: async () => sqlite.prepare(sql).get(...values) ?? null,
    all: async () => ({ results: sqlite.prepare(sql).all(...values) }),
    run: async () => ({ meta: { changes: Number(sqlite.prepare(sql).run(...values).changes) } }),
  });
  return { prepare: (sql) => statement(sql, []) };
}
