// Local D1 databases with all migrations: made once for the same migrations, and copied from then on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newDatabaseSql } from "../../src/cli/local-database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;
const cache = `${root}/node_modules/.cache/edgecrew/databases`;

export type DatabasePlace = {
  /** The project's folder. */
  readonly cwd: string;
  /** Path of its wrangler.toml, from there. */
  readonly config: string;
  readonly persistTo: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** Makes the D1 of an empty folder. Answers false where one is there, or where only wrangler knows how. */
export function copyMigratedDatabase(place: DatabasePlace): boolean {
  const { cwd, config, persistTo } = place;
  const sql = newDatabaseSql({ folder: cwd, config, persistTo });
  if (sql === undefined) return false;
  // Wrangler names the file after the database's id.
  const text = readFileSync(join(cwd, config), "utf8");
  const ids = text.match(/database_id\W+\w+/g) ?? [];
  const key = createHash("sha256")
    .update(JSON.stringify([sql, ids]))
    .digest("hex");
  const made = join(cache, key.slice(0, 32));
  if (!existsSync(made)) make(place, { sql, made });
  cpSync(made, persistTo, { recursive: true });
  return true;
}

/** In a folder of its own, which then is in its place as a whole. */
function make(
  { cwd, config, environment }: DatabasePlace,
  { sql, made }: { readonly sql: string; readonly made: string },
): void {
  mkdirSync(cache, { recursive: true });
  const state = mkdtempSync(join(cache, "new-"));
  const file = `${state}.sql`;
  writeFileSync(file, sql);
  const options = ["--local", "--config", config, "--persist-to", state, "--file", file];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wrangler, "d1", "execute", "DB", ...options],
    { cwd, env: environment, encoding: "utf8" },
  );
  rmSync(file);
  if (status !== 0) throw new Error(`the migrations failed:\n${stdout}\n${stderr}`);
  if (existsSync(made)) rmSync(state, { recursive: true });
  else renameSync(state, made);
}
