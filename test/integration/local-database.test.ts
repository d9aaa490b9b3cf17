// The local D1 that is made at once, beside the one that wrangler makes of one migration after another.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { newDatabaseSql } from "../../src/cli/local-database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Wrangler takes long for each; all of them are in the databases of the other tests. */
const MIGRATIONS = 6;
const temporary = mkdtempSync(join(tmpdir(), "edgecrew-database-"));
const config = {
  name: "database",
  compatibility_date: "2026-08-15",
  d1_databases: [{ binding: "DB", database_name: "database", migrations_dir: "some" }],
};
mkdirSync(join(temporary, "some"));
for (const name of readdirSync(join(root, "migrations")).toSorted().slice(0, MIGRATIONS))
  copyFileSync(join(root, "migrations", name), join(temporary, "some", name));
writeFileSync(join(temporary, "wrangler.json"), JSON.stringify(config));

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

it("LDB2: has the tables and the applied migrations of wrangler's own, which adds no more", () => {
  const [slow, quick] = [join(temporary, "slow"), join(temporary, "quick")];
  d1(["migrations", "apply", "DB", "--persist-to", slow]);
  const file = join(temporary, "all.sql");
  writeFileSync(file, newDatabaseSql({ folder: temporary, persistTo: quick }) ?? "");
  d1(["execute", "DB", "--persist-to", quick, "--file", file]);

  const made = contentOf(quick);
  expect(made).toEqual(contentOf(slow));
  expect(made.migrations).toHaveLength(MIGRATIONS);
  expect(d1(["migrations", "list", "DB", "--persist-to", quick])).toContain(
    "No migrations to apply",
  );
  expect(newDatabaseSql({ folder: temporary, persistTo: quick })).toBeUndefined();
}, 180_000);

function d1(args: readonly string[]): string {
  const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
  const environment = {
    CI: "true",
    WRANGLER_SEND_METRICS: "false",
    X_LOCAL_OBSERVABILITY: "false",
  };
  return execFileSync(process.execPath, [wrangler, "d1", ...args, "--local"], {
    cwd: temporary,
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
}

function contentOf(state: string): { readonly tables: unknown; readonly migrations: unknown[] } {
  const folder = join(state, "v3/d1/miniflare-D1DatabaseObject");
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  expect(names).toHaveLength(1);
  const database = new DatabaseSync(join(folder, names[0] ?? ""));
  try {
    const tables = database.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY name");
    const migrations = database.prepare("SELECT id, name FROM d1_migrations ORDER BY id");
    const isOwn = ({ name }: Record<string, unknown>): boolean => name !== "d1_migrations";
    return { tables: tables.all().filter(isOwn), migrations: migrations.all() };
  } finally {
    database.close();
  }
}
