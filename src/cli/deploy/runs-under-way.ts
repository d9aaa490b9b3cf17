// Predicts the effect of a deployment on active runs.
//
//   RUW1. Open runs of the deployed Worker are replayed over the new code on this machine. The replay calls no service,
//         and their data is not kept.
//   RUW2. Runs that the code would hold, or fail, stop the deployment. A person is asked; without one only `--force
//         runs_would_be_held` continues.
//   RUW3. Skipped checks are listed with their reasons.
//   RUW4. A listed version of a definition that no open run needs is named.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { EdgecrewClient, ExportedRun, RunSummary } from "../../client/index.ts";
import { workerClient } from "../worker-client.ts";
import type { ListedVersions } from "../../testing/verify-app.ts";
import type { Verdict } from "../../testing/verify-run.ts";
import { asFailure, CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { counted } from "../counted.ts";
import type { Environment } from "../environment.ts";
import { openRuns } from "../open-runs.ts";
import { plain } from "../output.ts";
import type { Project } from "../project.ts";
import { deployedWorker } from "./deployed-worker.ts";
import { withLocalCode } from "./local-code.ts";
import { sampleRuns } from "./sample-runs.ts";
import { unneededVersions } from "./unneeded-versions.ts";

const HELD = "runs_would_be_held";
const CHECKED_RUNS = 50;
/** Maximum number of open runs to list. */
const MOST_LISTED = 20_000;
/** Number of recent runs to search for versions. */
const RECENT = 100;
/** Number of concurrent exports. */
const WIDTH = 4;
/** Maximum number of held runs to print. */
const MOST_SHOWN = 20;

/** Subject of the check, and options of the person. */
export type RunsUnderWayOptions = {
  readonly project: Project;
  readonly environment: Environment;
  readonly options: {
    /** `false` is the value of `--no-check-runs`. */
    readonly checkRuns?: number | false | undefined;
    readonly force: readonly string[];
  };
  readonly isPlan: boolean;
  /** The typed command. */
  readonly again: string;
};

type Checked = { readonly run: RunSummary; readonly verdict: Verdict };

/** Second step of a deployment. Throws exit code 1 for runs that the code would hold. */
export async function checkRunsUnderWay(
  context: CliContext,
  { project, environment, options, isPlan, again }: RunsUnderWayOptions,
): Promise<void> {
  const { out } = context;
  const { checkRuns = CHECKED_RUNS } = options;
  const worker = deployedWorker(context, { project, environment });
  if (worker === undefined) return;
  if (checkRuns === false)
    return out.note(
      `- open runs of ${worker.url}: not checked, --no-check-runs; runs that do not fit the code will be held`,
    );
  const client = workerClient({ ...context, url: worker.url, key: worker.key });
  let found: Awaited<ReturnType<typeof findRuns>>;
  try {
    found = await findRuns(client);
  } catch (error) {
    if (context.signal.aborted) throw error;
    const { message } = asFailure(error);
    return out.note(`- open runs of ${worker.url}: not checked, ${message}`);
  }
  const { runs, isAll, hasVersions } = found;
  if (runs.length === 0 && !hasVersions) return out.note(`${tick(out)} no run is under way`);
  out.note(
    `  replaying ${counted(sampleRuns(runs, checkRuns).length, "open run")} of ${runs.length}${isAll ? "" : " and more"} on the new code …`,
  );
  const { checked, listed } = await withLocalCode(context, { project, environment }, (url) =>
    replayAll(context, { client, url, runs: sampleRuns(runs, checkRuns) }),
  );
  if (isAll)
    for (const version of unneededVersions(listed, runs))
      out.note(`! ${version}: no open run needs this version any more, and it can be removed`);
  await judge(context, { checked, options, isPlan, again });
}

const tick = (out: CliContext["out"]): string => out.style("green", "✓");

/** Only runs of the key's tenant. */
async function findRuns(client: EdgecrewClient): Promise<{
  readonly runs: readonly RunSummary[];
  readonly isAll: boolean;
  readonly hasVersions: boolean;
}> {
  const runs: RunSummary[] = [];
  for await (const run of openRuns(client)) {
    if (runs.length === MOST_LISTED) return { runs, isAll: false, hasVersions: true };
    runs.push(run);
  }
  const { items } = await client.runs.list({ limit: RECENT });
  const hasVersions = items.some(({ definitionVersion }) => definitionVersion !== undefined);
  return { runs, isAll: true, hasVersions };
}

async function replayAll(
  { fetch, signal, out }: CliContext,
  {
    client,
    url,
    runs,
  }: {
    readonly client: EdgecrewClient;
    readonly url: string;
    readonly runs: readonly RunSummary[];
  },
): Promise<{ readonly checked: readonly Checked[]; readonly listed: readonly ListedVersions[] }> {
  const listed = (await (await fetch(`${url}/versions`, { signal })).json()) as ListedVersions[];
  const checked: Checked[] = [];
  for (let from = 0; from < runs.length; from += WIDTH) {
    const exported = await Promise.all(
      runs.slice(from, from + WIDTH).map((run) => exportOf(client, run)),
    );
    for (const { run, record } of exported) {
      if (record === undefined) continue; // deleted meanwhile
      const verdict = await verdictOn(record, { url, fetch, signal });
      if (out.isVerbose) out.note(`  ${run.id}: ${verdict.verdict}`);
      checked.push({ run, verdict });
    }
  }
  return { checked, listed };
}

async function exportOf(
  client: EdgecrewClient,
  run: RunSummary,
): Promise<{ readonly run: RunSummary; readonly record?: ExportedRun }> {
  try {
    return { run, record: await client.runs.handle(run.id).export() };
  } catch (error) {
    const { code } = asFailure(error);
    if (code === "not_found") return { run };
    throw error;
  }
}

/** A replay needs no inputs of steps and no events: hashes suffice. */
async function verdictOn(
  record: ExportedRun,
  {
    url,
    fetch,
    signal,
  }: {
    readonly url: string;
    readonly fetch: typeof globalThis.fetch;
    readonly signal: AbortSignal;
  },
): Promise<Verdict> {
  const steps = record.steps.map(({ request, ...step }) => {
    void request;
    return step;
  });
  const response = await fetch(`${url}/verify`, {
    method: "POST",
    body: JSON.stringify({ ...record, steps, events: [] }),
    signal,
  });
  const answer = (await response.json()) as JsonValue;
  if (response.ok) return answer as Verdict;
  const message = isJsonObject(answer) ? answer["message"] : undefined;
  return { verdict: "not known", message: typeof message === "string" ? message : "" };
}

async function judge(
  { out, prompt, global, signal }: CliContext,
  {
    checked,
    options,
    isPlan,
    again,
  }: Pick<RunsUnderWayOptions, "options" | "isPlan" | "again"> & {
    readonly checked: readonly Checked[];
  },
): Promise<void> {
  const stopped = checked.filter(
    ({ run, verdict }) => run.held !== true && ["held", "failed"].includes(verdict.verdict),
  );
  const released = checked.filter(
    ({ run, verdict }) => run.held === true && verdict.verdict === "goes on",
  );
  const unknown = checked.filter(({ verdict }) => verdict.verdict === "not known");
  const shown = [...stopped, ...unknown].slice(0, MOST_SHOWN);
  for (const line of lines(shown)) out.note(line);
  const more = stopped.length + unknown.length - shown.length;
  if (more > 0) out.note(`  … and ${more} more`);
  if (released.length > 0)
    out.note(`${tick(out)} ${counted(released.length, "held run")} would go on`);
  if (stopped.length === 0)
    return out.note(
      `${tick(out)} ${counted(checked.length - unknown.length, "open run")} would go on${unknown.length === 0 ? "" : `, ${unknown.length} not known`}`,
    );
  const message = `${stopped.length} of ${counted(checked.length, "open run")} would be held by the new code`;
  if (options.force.includes(HELD)) return out.note(`! ${message}; --force ${HELD}`);
  if (prompt !== undefined && !global.yes && !isPlan) {
    const yes = await prompt.confirm({ message: `${message}. Deploy?`, initial: false, signal });
    if (yes) return;
    throw new CliFailure(1, "no version was deployed", { code: "declined" });
  }
  throw new CliFailure(1, message, {
    code: HELD,
    fix: `keep the old code beside the new one with versions(), or ${again} --force ${HELD}`,
    issues: stopped.map(({ run, verdict }) => ({
      path: run.id,
      message: "message" in verdict ? verdict.message : "",
    })),
  });
}

function lines(checked: readonly Checked[]): readonly string[] {
  const rows = checked.map(({ run, verdict }) => ({
    run: run.id,
    name: `${run.kind} ${plain(run.name)}${run.definitionVersion === undefined ? "" : `@${run.definitionVersion}`}`,
    verdict: verdict.verdict === "goes on" ? "" : verdict.verdict,
    step: "step" in verdict ? (verdict.step ?? "") : "",
    why: "message" in verdict ? plain(verdict.message) : "",
  }));
  const width = (of: (row: (typeof rows)[number]) => string): number =>
    Math.max(0, ...rows.map((row) => of(row).length));
  const widths = [width(({ run }) => run), width(({ name }) => name), width(({ step }) => step)];
  return rows.map(
    ({ run, name, verdict, step, why }) =>
      `  ${run.padEnd(widths[0] ?? 0)}  ${name.padEnd(widths[1] ?? 0)}  ${verdict.padEnd(9)}  ${step.padEnd(widths[2] ?? 0)}  ${why}`,
  );
}
