import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "smol-toml";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { checkConfig, type Finding } from "../check-config.ts";
import { CliFailure } from "../cli-failure.ts";
import { CloudFault, type Cloud } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";
import type { Output } from "../output.ts";
import { environmentsOf, sharedResources } from "../shared-resources.ts";
import { migrationFiles } from "./database-steps.ts";
import { readDeployState } from "./deploy-state.ts";

export type CheckedProject = {
  readonly findings: readonly Finding[];
  readonly gzipBytes: number | undefined;
};

/**
 * Finds reasons to refuse a deployment before it begins: faults of the configuration, and code without a valid bundle.
 */
export async function checkProject({
  environment,
  config,
  folder,
  cloud,
  clock,
}: {
  readonly environment: Environment;
  readonly config: JsonObject;
  readonly folder: string;
  /** Undefined leaves the bundle out. */
  readonly cloud: Cloud | undefined;
  readonly clock: Clock;
}): Promise<CheckedProject> {
  const bundle: CheckedBundle = cloud === undefined ? {} : await bundleOf(cloud);
  const { gzipBytes, finding } = bundle;
  const lastBytes = readDeployState(folder, environment.stateName).gzipBytes;
  const findings = checkConfig({
    environment,
    nowMs: clock.now(),
    migrations: Object.fromEntries(
      environment.databases.map((each) => [each.binding, migrationFiles(folder, each)]),
    ),
    packageMigrations: packageMigrations(folder),
    ...(gzipBytes === undefined ? {} : { bundle: { gzipBytes, lastBytes } }),
  });
  const found = finding === undefined ? [] : [finding];
  return { findings: [...found, ...findings, ...sharedDatabases(config, environment)], gzipBytes };
}

/** Two environments may share a database on purpose; more often a name was copied. */
function sharedDatabases(config: JsonObject, environment: Environment): readonly Finding[] {
  const { env } = environment;
  return sharedResources(environment, environmentsOf(config, environment))
    .filter(({ kind }) => kind === "database")
    .map(({ what, with: other }) => ({
      code: "shared_database",
      place: env === undefined ? "d1_databases" : `env.${env}.d1_databases`,
      message: `${what} is also that of ${other}: they list each other's runs, and share keys`,
      fix: "give each environment a database_name of its own",
      isError: false,
    }));
}

type CheckedBundle = { readonly gzipBytes?: number | undefined; readonly finding?: Finding };

async function bundleOf(cloud: Cloud): Promise<CheckedBundle> {
  try {
    return await cloud.bundle();
  } catch (error) {
    if (!(error instanceof CloudFault)) throw error;
    const finding: Finding = {
      code: "bundle_failed",
      place: "main",
      message: faultIn(error.output),
      fix: "npx wrangler deploy --dry-run shows all of it",
      isError: true,
    };
    return { finding };
  }
}

const ANSI = /\u001b\[[0-9;]*m/g;

/** Returns wrangler's message about a fault, without its greeting, its warnings, and its own stack. */
function faultIn(whole: string): string {
  const text = whole.replaceAll(ANSI, "");
  const start = text.search(/^\s*(?:✘|X) \[ERROR\]/mu);
  const built = text
    .split("\n")
    .filter((line) => /^\[custom build\] (?!Running:)\S/.test(line))
    .map((line) => line.slice("[custom build] ".length));
  const [fault = ""] = text.slice(Math.max(0, start)).split(/\n\s+at /);
  const said = fault.replace(/^(?:\s*(?:✘|X) \[ERROR\] )+/u, "").trim();
  return [...built, ...(built.length > 0 && /non-zero status/.test(said) ? [] : [said])].join("\n");
}

/** Prints findings. Throws exit code 1 if an error remains that `--force` does not name. */
export function refuseErrors(
  findings: readonly Finding[],
  {
    out,
    force,
    configFile,
  }: { readonly out: Output; readonly force: readonly string[]; readonly configFile: string },
): void {
  for (const finding of findings) out.note(findingText(finding, { out, configFile }));
  const errors = findings.filter(({ code, isError }) => isError && !force.includes(code));
  const [first] = errors;
  if (first === undefined) return;
  throw new CliFailure(1, `this cannot be deployed: ${errors.map(({ code }) => code).join(", ")}`, {
    code: first.code,
    fix: `${first.place}: ${first.fix}`,
    issues: errors.map(({ place, message }) => ({ path: place, message })),
  });
}

/** A finding with its fix, for people. */
export function findingText(
  { code, place, message, fix, isError, add }: Finding,
  { out, configFile }: { readonly out: Output; readonly configFile: string },
): string {
  const sign = isError ? out.style("red", "✗") : out.style("yellow", "!");
  const mend = add === undefined || !configFile.endsWith(".toml") ? fix : tomlLines(add);
  return `${sign} ${place}: ${message} (${code})\n${mend.replaceAll(/^/gm, "    ")}`;
}

/** Lines to add by hand to a TOML file, as a change by program would lose its comments. */
function tomlLines(add: JsonObject): string {
  return `add:\n${stringify(add).trim()}`;
}

/** Returns the folder of the installed package. Undefined if it is not installed. */
export function projectPackage(folder: string): string | undefined {
  for (let from = folder; ; from = dirname(from)) {
    const found = join(from, "node_modules", "edgecrew");
    if (existsSync(join(found, "package.json"))) return found;
    if (dirname(from) === from) return undefined;
  }
}

/** Returns the names of the installed package's migrations. Undefined if it is not installed. */
export function packageMigrations(folder: string): readonly string[] | undefined {
  const found = projectPackage(folder);
  const path = found === undefined ? "" : join(found, "migrations");
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".sql")) : undefined;
}

/** Returns the version of the installed package. Undefined if it is not installed. */
export function packageVersion(folder: string): string | undefined {
  const found = projectPackage(folder);
  if (found === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(found, "package.json"), "utf8")) as {
    readonly version?: string;
  };
  return manifest.version;
}

/** Returns the short hash of the current commit. Undefined without one. */
export function commitOf(folder: string): string | undefined {
  for (let from = folder; ; from = dirname(from)) {
    const git = join(from, ".git");
    if (existsSync(join(git, "HEAD"))) return hashIn(git);
    if (dirname(from) === from) return undefined;
  }
}

function hashIn(git: string): string | undefined {
  const head = readFileSync(join(git, "HEAD"), "utf8").trim();
  const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
  const path = join(git, ref ?? "");
  const hash = ref === undefined ? head : existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return /^[0-9a-f]{40,}$/.test(hash) ? hash.slice(0, 10) : undefined;
}
