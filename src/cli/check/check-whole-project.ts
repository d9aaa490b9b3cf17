// Checks a whole project.
//
//   CHK1. Faults of definitions are found before any program starts, each with its file, line and column.
//   CHK2. References to code (tools, functions, schemas, crews that flows and triggers start) are checked by the Worker
//         itself. It is started on this machine for the check, with a state of its own.
//   CHK3. The deployed Worker is asked only with `remote`, and not changed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { workerClient } from "../worker-client.ts";
import type { Finding } from "../check-config.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { checkProject, packageVersion } from "../deploy/check-project.ts";
import type { OpenProject } from "../deploy/open-project.ts";
import { withLocalWorker } from "../local-worker.ts";
import { definitionFindings } from "./definition-findings.ts";
import { namedSecrets } from "./named-secrets.ts";
import { aboutOf, danglingTriggers, lackingCrews, type CrewTexts } from "./worker-findings.ts";

export type WholeCheck = {
  /** Errors first. */
  readonly findings: readonly Finding[];
  readonly gzipBytes: number | undefined;
};

export type WholeCheckOptions = {
  /** True to start the Worker on this machine. */
  readonly start: boolean;
  /** True to ask the deployed Worker. */
  readonly remote: boolean;
};

export async function checkWholeProject(
  context: CliContext,
  opened: OpenProject,
  { start, remote }: WholeCheckOptions,
): Promise<WholeCheck> {
  const { project, environment, cloud } = opened;
  const { folder } = project;
  const { buildDefinitions, readDefinitionFiles, skillFiles } =
    await import("../../build/build-definitions.ts");
  const { faults, warnings } = buildDefinitions(folder, { write: false });
  const files = readDefinitionFiles(folder);
  const skills = Object.fromEntries(skillFiles(files).map(({ path, text }) => [path, text]));
  const crews: CrewTexts = Object.fromEntries(
    Object.entries(files.crews).map(([name, texts]) => [name, { ...texts, ...skills }]),
  );
  const ignored = definitionFindings(warnings).map((finding) => ({
    ...finding,
    code: "ignored_field",
    fix: "remove it, or write it as a field of Edgecrew",
    isError: false,
  }));
  const findings: Finding[] = [...definitionFindings(faults), ...ignored];
  // Wrangler's build would only repeat the faults of definitions, with less detail.
  const canBuild = faults.length === 0;
  const { clock } = context;
  const checked = await checkProject({
    environment,
    config: project.config,
    folder,
    cloud: canBuild ? cloud : undefined,
    clock,
  });
  findings.push(...checked.findings.map(namingClasses));
  findings.push(...unsetSecrets(folder, environment.vars));
  const canStart = canBuild && !checked.findings.some(({ code }) => code === "bundle_failed");
  if (start && canStart)
    findings.push(...(await askLocal(context, { folder, crews, vars: environment.vars })));
  if (remote) findings.push(...(await askRemote(context, folder)));
  return {
    findings: findings.toSorted((one, other) => Number(other.isError) - Number(one.isError)),
    gzipBytes: checked.gzipBytes,
  };
}

/** Wrangler lists classes of objects that the entry does not export. */
function namingClasses(finding: Finding): Finding {
  if (finding.code !== "bundle_failed") return finding;
  const [, names] = /not exported in your entrypoint file:\s*([^\n]+)/.exec(finding.message) ?? [];
  if (names === undefined) return finding;
  const list = names.replace(/\.?\s*$/, "");
  return {
    ...finding,
    code: "class_not_exported",
    message: `the configuration names classes that it does not export: ${list}`,
    fix: `export them there, as in: export const { ${list} } = app.durableObjects;`,
  };
}

function unsetSecrets(folder: string, vars: Readonly<Record<string, unknown>>): readonly Finding[] {
  const path = join(folder, ".dev.vars");
  const local = existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
  return namedSecrets(folder)
    .filter(({ name }) => (local[name] ?? "") === "" && vars[name] === undefined)
    .map(({ name, place }) => ({
      code: "secret_not_set",
      place,
      message: `${name} is not set on this machine`,
      fix: `a line ${name}=… in .dev.vars; edgecrew secrets put ${name} for the deployment`,
      isError: false,
    }));
}

/** Faults of definitions in the output of a Worker, each up to the next. */
const PLACED = /[^\s:]+\.\w+:\d+:\d+: .*?(?=[;,]? [^\s:]+\.\w+:\d+:\d+: |$)/g;

async function askLocal(
  context: CliContext,
  {
    folder,
    crews,
    vars,
  }: {
    readonly folder: string;
    readonly crews: CrewTexts;
    readonly vars: Readonly<Record<string, unknown>>;
  },
): Promise<readonly Finding[]> {
  const { clock, fetch, out } = context;
  out.note("Starting the Worker …");
  const answer = await withLocalWorker(context, folder, async (url) => {
    const client = workerClient({ url, key: undefined, clock, fetch });
    return [...(await danglingTriggers(client)), ...(await lackingCrews(client, crews, vars))];
  });
  if (answer.started) return answer.result;
  const placed = Array.from(answer.said.matchAll(PLACED), ([message]) => message);
  if (placed.length > 0)
    return definitionFindings(placed.map((message) => ({ path: "", message })));
  const [named] = definitionFindings([{ path: "", message: answer.said }], "src/worker.ts");
  return named === undefined || named.code !== "invalid_definition"
    ? [named].filter((each) => each !== undefined)
    : [{ ...named, code: "worker_does_not_start", fix: "edgecrew dev --verbose shows all of it" }];
}

async function askRemote(context: CliContext, folder: string): Promise<readonly Finding[]> {
  const response = await context.request("/about");
  const { status } = response;
  if (status === 401 || status === 403)
    throw new CliFailure(4, `the Worker answers ${status} to GET /about`, {
      fix: "edgecrew login, --key, or EDGECREW_KEY",
    });
  const triggers = await danglingTriggers(await context.client());
  if (status === 404) return triggers;
  if (!response.ok) throw new CliFailure(1, `the Worker answers ${status} to GET /about`);
  const { version, missing } = aboutOf(await response.json());
  const installed = packageVersion(folder);
  const differs = version !== undefined && installed !== undefined && version !== installed;
  return [
    ...missing,
    ...(differs
      ? [
          {
            code: "other_version",
            place: "worker",
            message: `the Worker runs ${version}, the project has ${installed}`,
            fix: "edgecrew deploy",
            isError: false,
          },
        ]
      : []),
    ...triggers,
  ];
}
