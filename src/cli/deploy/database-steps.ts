// Steps for the database and its migrations.
//
//   DDB1. A foreign database is not migrated.
//   DDB2. Migrations come before the code that needs them; if one fails, the code is not deployed.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "../cli-failure.ts";
import type { DatabaseState } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";
import { eachInTurn, type Action, type DeployStep, type Deployment } from "./deployment.ts";

type Database = Environment["databases"][number];

/** Makes missing databases. */
export const databaseStep: DeployStep = {
  name: "database",
  look: async ({ cloud, environment, place }) => {
    const { databases } = environment;
    const there = databases.length === 0 ? [] : await cloud.databases();
    return databases.map(({ name }): Action => {
      const about = `D1 database ${name}`;
      if (there.includes(name)) return { about, state: "there" };
      const where = Object.entries(place).map(([key, value]) => `--${key} ${value}`);
      return {
        about,
        state: "to create",
        command: cloud.describe(["d1", "create", name, ...where]),
        run: () => cloud.createDatabase(name, place),
      };
    });
  },
};

/** Applies pending migrations. */
export const migrationsStep: DeployStep = {
  name: "migrations",
  look: async (deployment) => {
    const there = await deployment.cloud.databases();
    const { databases } = deployment.environment;
    return eachInTurn(databases, (database) => lookAt(deployment, database, there));
  },
};

async function lookAt(
  { cloud, folder }: Deployment,
  database: Database,
  there: readonly string[],
): Promise<Action> {
  const { name, binding, migrationsTable } = database;
  const files = migrationFiles(folder, database) ?? [];
  const isThere = there.includes(name);
  const state = isThere
    ? await cloud.databaseState(binding, migrationsTable)
    : { tables: [], applied: [] };
  refuseForeign(database, state, files);
  const pending = files.filter((file) => !state.applied.includes(file));
  const about = `${pending.length === 0 ? files.length : pending.length} migrations of ${name}`;
  if (pending.length === 0) return { about, state: "there" };
  return {
    about: `${about}: ${pending.join(", ")}`,
    state: "to change",
    command: cloud.describe(["d1", "migrations", "apply", binding, "--remote"]),
    run: () => cloud.migrate(binding),
  };
}

function refuseForeign(
  { name, migrationsTable }: Database,
  { tables, applied }: DatabaseState,
  files: readonly string[],
): void {
  const strange = applied.filter((each) => !files.includes(each));
  const hasOurs = applied.some((each) => files.includes(each));
  const isForeign =
    (tables.length > 0 && !tables.includes(migrationsTable)) || (strange.length > 0 && !hasOurs);
  if (isForeign)
    throw new CliFailure(
      1,
      `the database ${name} is somebody else's: it has ${[...strange, ...tables].slice(0, 5).join(", ")}`,
      { code: "foreign_database", fix: "give database_name another name in the configuration" },
    );
  if (strange.length > 0)
    throw new CliFailure(
      1,
      `the database ${name} has migrations that this project does not: ${strange.join(", ")}`,
      { code: "newer_database", fix: "deploy with the package that brought them, or a newer one" },
    );
}

/** Returns names of a database's migration files, in order. Undefined if the folder does not exist. */
export function migrationFiles(
  folder: string,
  { migrationsFolder }: Database,
): readonly string[] | undefined {
  const path = join(folder, migrationsFolder);
  if (!existsSync(path)) return undefined;
  return readdirSync(path)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}
