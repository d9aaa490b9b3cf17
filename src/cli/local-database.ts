// Makes the local D1 of a new project from all migrations at once.
//
//   LDB1. It makes no database if one exists, or if wrangler would read the migrations differently.
//   LDB2. The result is that of `wrangler d1 migrations apply`, which starts a runtime for each migration. All are in
//         the table of applied migrations, so later ones are applied normally.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { readConfig } from "./project.ts";

/** Place of a project's local database. */
export type LocalPlace = {
  /** The project's folder. */
  readonly folder: string;
  /** Path of its configuration in that folder. @default the one that wrangler finds */
  readonly config?: string | undefined;
  /** Folder of the local state. @default wrangler's own */
  readonly persistTo?: string | undefined;
  readonly environment?: string | undefined;
};

/** Four-digit numbers, so that sorted names are in order. */
const NUMBERED = /^\d{4}_\w+\.sql$/;
const MADE_BY_RUNTIME = "metadata.sqlite";

/** Local database of a project, with its migrations. */
export type LocalDatabase = {
  /** Folder of the local databases. It may be missing. */
  readonly folder: string;
  /** Names of the existing databases. */
  readonly files: readonly string[];
  /** Entry of the configuration, and its environment. */
  readonly settings: string;
  /** Names of the migrations, in order. */
  readonly names: readonly string[];
};

/** Returns undefined if only wrangler can read the configuration. */
export function localDatabase(place: LocalPlace): LocalDatabase | undefined {
  const migrations = migrationsOf(place);
  if (migrations === undefined) return undefined;
  const folder = databasesOf(place);
  const settings = JSON.stringify([place.environment, migrations]);
  return { folder, files: databasesIn(folder), settings, names: sqlFilesIn(migrations.folder) };
}

/** Returns the SQL that makes the database. Undefined if `wrangler d1 migrations apply` must make it. */
export function newDatabaseSql(place: LocalPlace): string | undefined {
  if (databasesIn(databasesOf(place)).length > 0) return undefined;
  const migrations = migrationsOf(place);
  if (migrations === undefined) return undefined;
  const { folder, table } = migrations;
  const names = sqlFilesIn(folder);
  if (names.length === 0 || !names.every((name) => NUMBERED.test(name))) return undefined;
  return [
    `CREATE TABLE "${table}"(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`,
    ...names.map(
      (name) =>
        `${readFileSync(join(folder, name), "utf8")}\nINSERT INTO "${table}" (name) VALUES ('${name}');`,
    ),
  ].join("\n");
}

function sqlFilesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

function databasesOf({ folder, persistTo = join(".wrangler", "state") }: LocalPlace): string {
  const state = isAbsolute(persistTo) ? persistTo : join(folder, persistTo);
  return join(state, "v3", "d1", "miniflare-D1DatabaseObject");
}

function databasesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && name !== MADE_BY_RUNTIME)
    .toSorted();
}

/** Undefined for a configuration that differs from the templates. */
function migrationsOf({
  folder,
  config: file,
  environment,
}: LocalPlace):
  | { readonly folder: string; readonly table: string; readonly database: JsonObject }
  | undefined {
  const config = readConfig(folder, file);
  const own =
    environment === undefined ? config : objectOf(objectOf(config?.["env"])?.[environment]);
  const databases = own?.["d1_databases"];
  const [database, ...others] = Array.isArray(databases) ? databases.filter(isJsonObject) : [];
  if (database?.["binding"] !== "DB" || others.length > 0) return undefined;
  const { migrations_dir: path, migrations_table: table = "d1_migrations" } = database;
  if (typeof path !== "string" || typeof table !== "string" || !/^\w+$/.test(table))
    return undefined;
  // Wrangler reads it from the folder of the configuration.
  const absolute = resolve(folder, file === undefined ? "." : dirname(file), path);
  const isOther = database["migrations_pattern"] !== undefined || !existsSync(absolute);
  return isOther ? undefined : { folder: absolute, table, database };
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
