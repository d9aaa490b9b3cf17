import type { DatabaseSync } from "node:sqlite";
import type { SqliteBinding } from "../../src/tools/catalog/sql/database.ts";

/** `node:sqlite` as D1 answers tools, with the statements that it was asked for. */
export function sqliteBinding(
  sqlite: DatabaseSync,
): SqliteBinding & { readonly statements: string[] } {
  const statements: string[] = [];
  return {
    statements,
    prepare: (sql) => {
      const run = () => {
        statements.push(sql);
        return sqlite.prepare(sql);
      };
      return {
        all: async () => ({ results: run().all() }),
        raw: async () => {
          const statement = run();
          statement.setReturnArrays(true);
          const rows = statement.all() as unknown as unknown[][];
          return [statement.columns().map(({ name }) => name), ...rows];
        },
        run: async () => {
          const { changes } = run().run();
          return { meta: { changes: Number(changes) } };
        },
      };
    },
  };
}
