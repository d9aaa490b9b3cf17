// Plans the changes that bring a project to the installed version.
//
//   MGP1. The plan covers every environment, and the top level, which `edgecrew dev` serves. Requirements of
//         deployments alone are not added for this machine.
//   MGP2. Migrations in the project's own folder are copied from the package, and existing ones are never changed.
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { checkConfig, type Finding } from "../check-config.ts";
import { migrationFiles } from "../deploy/database-steps.ts";
import { packageMigrations, projectPackage } from "../deploy/check-project.ts";
import { environmentOf, type Environment } from "../environment.ts";
import type { Project } from "../project.ts";
import { mergedConfig } from "./merge-config.ts";

export type MigrationPlan = {
  readonly before: string;
  readonly after: string;
  /** Migrations to copy, from the project's folder. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  /** Additions to a configuration that must be made by hand. */
  readonly add: readonly JsonObject[];
  /** Findings left to a person. */
  readonly left: readonly Finding[];
};

/** Decisions of the person: public access, secrets, and the age of the platform. */
const BY_HAND: ReadonlySet<string> = new Set([
  "open_auth_public",
  "open_to_everybody",
  "public_secret",
  "compatibility_date",
]);

export function planMigration(project: Project, nowMs: number): MigrationPlan {
  const before = readFileSync(project.configFile, "utf8");
  const isToml = project.configFile.endsWith(".toml");
  const own = packageMigrations(project.folder);
  const environments = environmentsOf(project.config);
  const all = environments.flatMap((environment) =>
    findingsOf(project, { environment, nowMs, own }),
  );
  const ours = all.filter(({ code }) => !BY_HAND.has(code));
  const add = [...present(ours.map((each) => each.add)), ...buildChange(project)];
  const changes = [...present(ours.map(({ change }) => change)), ...add];
  const after = isToml ? before : changes.reduce((text, each) => mergedConfig(text, each), before);
  const copies = copiesOf(project, environments);
  const isDone = ({ code, add: ofIt, change }: Finding): boolean =>
    code === "migrations_missing"
      ? copies.length > 0
      : !BY_HAND.has(code) && (ofIt ?? change) !== undefined;
  const left = all.filter(
    (finding) => (isToml && finding.code !== "migrations_missing") || !isDone(finding),
  );
  const unique = new Map(left.map((each) => [`${each.code} ${each.place}`, each]));
  return { before, after, copies, add: isToml ? add : [], left: [...unique.values()] };
}

function present(values: readonly (JsonObject | undefined)[]): readonly JsonObject[] {
  return values.filter((each) => each !== undefined);
}

/** Copies them without overwriting existing ones. */
export function copyMigrations({ folder }: Project, copies: MigrationPlan["copies"]): void {
  for (const { from, to } of copies)
    if (!existsSync(join(folder, to))) copyFileSync(from, join(folder, to));
}

function environmentsOf(config: JsonObject): readonly Environment[] {
  const { env } = config;
  const names = Object.keys(isJsonObject(env) ? env : {});
  return [
    environmentOf({ ...config, env: {} }),
    ...names.map((name) => environmentOf(config, name)),
  ];
}

/** Requirements of deployments alone. */
const NOT_LOCAL: ReadonlySet<string> = new Set([
  "open_auth_public",
  "open_to_everybody",
  "public_secret",
  "no_version_metadata",
]);

function findingsOf(
  { folder, config }: Project,
  {
    environment,
    nowMs,
    own,
  }: {
    readonly environment: Environment;
    readonly nowMs: number;
    readonly own: readonly string[] | undefined;
  },
): readonly Finding[] {
  const isLocal = environment.env === undefined && isJsonObject(config["env"]);
  return checkConfig({
    environment,
    nowMs,
    migrations: Object.fromEntries(
      environment.databases.map((each) => [each.binding, migrationFiles(folder, each)]),
    ),
    packageMigrations: own,
  }).filter(({ code }) => !isLocal || !NOT_LOCAL.has(code));
}

function buildChange({ folder, config }: Project): readonly JsonObject[] {
  const folders = ["crews", "flows", "skills"].filter((each) => existsSync(join(folder, each)));
  if (folders.length === 0 || config["build"] !== undefined) return [];
  return [{ build: { command: "edgecrew build", watch_dir: ["crews", "flows", "skills"] } }];
}

function copiesOf(project: Project, environments: readonly Environment[]): MigrationPlan["copies"] {
  const { folder } = project;
  const found = projectPackage(folder);
  if (found === undefined) return [];
  const folders = environments
    .flatMap(({ databases }) => databases)
    .filter(({ binding }) => binding === "DB")
    .map((database) => [database.migrationsFolder, migrationFiles(folder, database)] as const);
  return [...new Map(folders)].flatMap(([to, there]) =>
    there === undefined || there.length === 0
      ? []
      : (packageMigrations(folder) ?? [])
          .filter((name) => !there.includes(name))
          .toSorted()
          .map((name) => ({ from: join(found, "migrations", name), to: `${to}/${name}` })),
  );
}
