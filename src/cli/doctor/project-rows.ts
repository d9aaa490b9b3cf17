// Checks the project: its configuration, its files on this machine, and the names of its keys.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isJsonObject } from "../../base/json.ts";
import { bytesText } from "../bytes-text.ts";
import { checkConfig, type Finding } from "../check-config.ts";
import { migrationFiles } from "../deploy/database-steps.ts";
import { packageMigrations } from "../deploy/check-project.ts";
import { environmentOf, type Environment } from "../environment.ts";
import { devServerOf, type Project } from "../project.ts";
import { fault, ok, unknown, type DoctorRow } from "./doctor-row.ts";

export async function projectRows(
  project: Project,
  { env, nowMs }: { readonly env: string | undefined; readonly nowMs: number },
): Promise<readonly DoctorRow[]> {
  const { folder } = project;
  return [
    ...configRows(project, { env, nowMs }),
    ...(await definitionRows(project)),
    ...stateRows(project),
    ...keyRows(folder),
  ];
}

/** Requirements of deployments alone: this machine has one user and no secrets from others. */
const OF_DEPLOYMENTS: ReadonlySet<string> = new Set([
  "open_auth_public",
  "open_to_everybody",
  "public_secret",
  "no_version_metadata",
]);

function configRows(
  { config, folder }: Project,
  { env, nowMs }: { readonly env: string | undefined; readonly nowMs: number },
): readonly DoctorRow[] {
  const findingsOf = (environment: Environment): readonly Finding[] =>
    checkConfig({
      environment,
      nowMs,
      migrations: Object.fromEntries(
        environment.databases.map((each) => [each.binding, migrationFiles(folder, each)]),
      ),
      packageMigrations: packageMigrations(folder),
    });
  const environment = environmentOf(config, env);
  const deployed = findingsOf(environment);
  const known = new Set(deployed.map(({ code, place }) => `${code} ${place}`));
  // `edgecrew dev` serves the top level.
  const local =
    environment.env === undefined
      ? []
      : findingsOf(environmentOf({ ...config, env: {} })).filter(
          ({ code, place }) => !OF_DEPLOYMENTS.has(code) && !known.has(`${code} ${place}`),
        );
  const rows = [...deployed, ...local].map(({ code, place, message, fix, isError }) =>
    fault("configuration", { code, found: `${place}: ${message}`, fix, isError }),
  );
  const name = environment.env ?? "the top level";
  return [
    ...(rows.length === 0 ? [ok("configuration", `${name} has all that it needs`)] : rows),
    ...oldDate(environment, nowMs),
  ];
}

const OLD_MONTHS = 18;

function oldDate({ compatibilityDate: date }: Environment, nowMs: number): readonly DoctorRow[] {
  const oldest = new Date(nowMs);
  oldest.setUTCMonth(oldest.getUTCMonth() - OLD_MONTHS);
  if (date === undefined || date >= oldest.toISOString().slice(0, 10)) return [];
  return [
    fault("configuration", {
      code: "old_compatibility_date",
      found: `compatibility_date: ${date} is more than ${OLD_MONTHS} months ago`,
      fix: `set it to ${new Date(nowMs).toISOString().slice(0, 10)}, then run the project's tests`,
      isError: false,
    }),
  ];
}

async function definitionRows({ folder, config }: Project): Promise<readonly DoctorRow[]> {
  const { buildDefinitions, DEFINITIONS_MODULE } = await import("../../build/build-definitions.ts");
  const { crews, flows, skills, faults, changed } = buildDefinitions(folder, { write: false });
  if (faults.length > 0)
    return faults.map(({ message }) =>
      fault("definitions", {
        code: "invalid_definition",
        found: message,
        fix: "fix it; edgecrew check shows details",
      }),
    );
  const count = crews.length + flows.length + skills.length;
  if (count === 0) return [unknown("definitions", "none in crews/, flows/ and skills/")];
  const { build } = config;
  const command = isJsonObject(build) ? build["command"] : undefined;
  if (typeof command !== "string" || !command.includes("edgecrew build"))
    return [
      fault("definitions", {
        code: "no_build_command",
        found: "the configuration does not build crews/, flows/ and skills/",
        fix: 'add "build": { "command": "edgecrew build", "watch_dir": ["crews", "flows", "skills"] }',
        isError: false,
      }),
    ];
  return [
    changed
      ? fault("definitions", {
          code: "stale_definitions",
          found: `${DEFINITIONS_MODULE} differs from crews/, flows/ and skills/`,
          fix: "edgecrew build",
          isError: false,
        })
      : ok("definitions", `${crews.length} crews, ${flows.length} flows, ${skills.length} skills`),
  ];
}

const STATE = ".wrangler/state";

function stateRows(project: Project): readonly DoctorRow[] {
  const path = join(project.folder, STATE);
  const dev = devServerOf(project);
  return [
    existsSync(path)
      ? ok("local state", `${STATE}: ${bytesText(bytesBelow(path))}`)
      : unknown("local state", "none yet: edgecrew dev makes it"),
    ...(dev === undefined ? [] : [ok("dev server", `${dev.url}, since ${dev.started}`)]),
  ];
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
}

/** A file of a running server may have disappeared in between. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function keyRows(folder: string): readonly DoctorRow[] {
  const path = join(folder, ".dev.vars");
  if (!existsSync(path)) return [unknown("keys", "no .dev.vars: the built-in model answers")];
  const names = Object.entries(parseEnv(readFileSync(path, "utf8")))
    .filter(([, value]) => value !== "")
    .map(([name]) => name);
  const rows = [ok("keys", names.length === 0 ? ".dev.vars has none" : names.join(", "))];
  return isIgnored(folder)
    ? rows
    : [
        ...rows,
        fault("keys", {
          code: "dev_vars_not_ignored",
          found: ".dev.vars has secrets, and Git would keep it",
          fix: "add a line .dev.vars to .gitignore",
        }),
      ];
}

/** True if `.gitignore` of the folder, or of one above it in the repository, covers `.dev.vars`. */
function isIgnored(folder: string): boolean {
  for (let from = folder; ; from = join(from, "..")) {
    const path = join(from, ".gitignore");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split(/\r?\n/) : [];
    if (lines.some((line) => /^\/?(?:\*\*\/)?\.dev\.vars\*?$/.test(line.trim()))) return true;
    if (existsSync(join(from, ".git"))) return false;
    if (join(from, "..") === from) return true; // no repository, so it cannot be committed
  }
}
