// Resets the Worker's database to a time: Time Travel of D1.
//
//   TTR1. Before the database is overwritten, the command prints the changes since that time and the bookmark that
//         undoes the reset.
//   TTR2. `--yes` alone overwrites no database: it is named with `--confirm`, or a person is asked.
//   TTR3. Migrations applied since are applied again: the deployed Worker needs them.
//   TTR4. Runs are indexed in their current state: those listed before, those listed again, and the named ones.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../base/error.ts";
import type { EdgecrewClient } from "../../client/index.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { clientOf, deployedWorker } from "../deploy/deployed-worker.ts";
import {
  againCommand,
  openProject,
  withAccount,
  type OpenProject,
} from "../deploy/open-project.ts";
import type { Environment } from "../environment.ts";
import { everyPage } from "../every-page.ts";
import { timeOf } from "../time-option.ts";
import { age } from "../times.ts";
import { patiently } from "./patiently.ts";
import { reindexRuns, runIdsIn, type IndexedRuns, type RunsToIndex } from "./reindex-runs.ts";

/** Maximum age of a Time Travel target. */
const REACH_MS = 30 * 86_400_000;

export type RestoreDatabaseOptions = {
  /** A time, or an age. */
  readonly to: string | undefined;
  /** A file of ids of runs. */
  readonly ids: string | undefined;
  /** The database's name, in place of an answer. */
  readonly confirm: string | undefined;
  readonly dry: boolean;
};

/** Resets the database of the project's Worker to a time. Throws exit code 2 for a time out of reach. */
export async function restoreDatabase(
  context: CliContext,
  options: RestoreDatabaseOptions,
): Promise<void> {
  const { out, signal, global } = context;
  const at = timeIn(context, options.to);
  const named = options.ids === undefined ? [] : runIdsIn(options.ids);
  const opened = openProject(context);
  const { cloud, environment } = opened;
  const database = databaseOf(environment);
  const { name, binding, migrationsTable } = database;
  if (options.confirm !== undefined && options.confirm !== name)
    throw wrongUse(
      `--confirm: expected the name ${name}, got ${JSON.stringify(options.confirm)}; no change was made`,
    );
  const worker = deployedWorker(context, opened);
  if (options.ids !== undefined && worker === undefined)
    throw wrongUse("--ids: the address of the Worker is unknown here", "name it with --url");
  const again = againCommand("restore", global, `--d1 --to ${at} --confirm ${name}`);
  const step = <Result>(what: string, work: () => Promise<Result>): Promise<Result> =>
    withAccount(what, work, { signal, again });

  const bookmark = await step("bookmark", () => cloud.bookmark(binding, at));
  const present = await step("present bookmark", () => cloud.bookmark(binding));
  const runs = worker === undefined ? undefined : clientOf(context, worker).runs;
  const listed = runs === undefined ? undefined : await listedNow(context, runs);
  const isLater = ({ createdAt }: { readonly createdAt: string }): boolean =>
    Date.parse(createdAt) > Date.parse(at);
  const between: Between = {
    deployments: (await step("deployments", () => cloud.deployments())).filter(isLater).length,
    migrations: await step("migrations", () => cloud.migratedSince(binding, migrationsTable, at)),
    runs: listed?.filter(isLater).length ?? null,
  };
  const undoes = (to: string): string =>
    cloud.describe(["d1", "time-travel", "restore", name, "--bookmark", to]);
  out.note(
    [
      `database      ${name}`,
      `goes back to  ${at}, ${age(at, context.clock.now())} ago`,
      `bookmark      ${bookmark}`,
      `since then    ${betweenText(between)}`,
      "lost          definitions, schedules, keys, memories and knowledge stored since then",
      `to undo it    ${undoes(present)}`,
    ].join("\n"),
  );
  const others = environment.databases.filter((each) => each !== database);
  if (others.length > 0)
    out.note(`! left as they are: ${others.map((each) => each.name).join(", ")}`);
  const value = { database: name, to: at, bookmark, between };
  if (options.dry)
    return out.result({ ...value, undo: null }, () => `${name} would go back to ${at}`);
  await agree(context, { name, at, again, isNamed: options.confirm !== undefined });

  const known = [...new Set([...named, ...(listed ?? []).map(({ id }) => id)])];
  const kept = runs === undefined ? undefined : keepIds(opened, known);
  const undo = await step("restore", () => cloud.restoreDatabase(binding, bookmark));
  out.note(`restored; to undo it: ${undoes(undo)}`);
  if (between.migrations.length > 0) await step("migrations", () => cloud.migrate(binding));
  if (runs === undefined || kept === undefined) {
    out.note("the Worker's address is unknown: run edgecrew reindex to list its runs");
    return out.result({ ...value, undo }, () => `${name} is as it was at ${at}`);
  }
  const ofFile = kept.ids.length === 0 ? "" : ` --ids ${kept.path}`;
  const done = await listAgain(context, {
    runs,
    ids: kept.ids,
    again: `edgecrew reindex --url ${worker?.url}${ofFile}`,
  });
  kept.remove();
  if (done.missing > 0) out.note(`${counted(done.missing, "run")} could not be found`);
  out.result(
    { ...value, undo, ...done },
    () => `${name} is as it was at ${at}; ${counted(done.reindexed, "run")} listed as they are now`,
  );
}

/** Changes between the time and now. */
type Between = {
  readonly deployments: number;
  readonly migrations: readonly string[];
  /** Number of runs begun; null if the Worker does not report it. */
  readonly runs: number | null;
};

function betweenText({ deployments, migrations, runs }: Between): string {
  const names = migrations.length === 0 ? "" : ` (applied again: ${migrations.join(", ")})`;
  return [
    counted(deployments, "deployment"),
    ...(runs === null ? [] : [`${counted(runs, "run")} begun`]),
    `${counted(migrations.length, "migration")}${names}`,
  ].join(", ");
}

/** Indexes these runs, and those in the restored index. */
async function listAgain(
  context: CliContext,
  { runs, ids, again }: RunsToIndex,
): Promise<IndexedRuns> {
  try {
    const cut = { what: "the reindexing", again };
    const back = await patiently(context, cut, () =>
      everyPage((page) => runs.list(page), Infinity),
    );
    const all = new Set([...ids, ...back.map(({ id }) => id)]);
    return await reindexRuns(context, { runs, ids: [...all], again });
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const message = `the database is restored, its runs are not listed again: ${error.message}`;
    throw new CliFailure(5, message, { code: "partly_done", fix: again, cause: error });
  }
}

function timeIn({ clock }: CliContext, text: string | undefined): string {
  if (text === undefined) throw wrongUse("--to is missing", "--to 2026-11-20T10:00Z, or --to 2h");
  const nowMs = clock.now();
  const at = timeOf(text, { option: "to", nowMs });
  const agoMs = nowMs - Date.parse(at);
  if (agoMs < 0) throw wrongUse(`--to: ${at} is in the future`);
  if (agoMs >= REACH_MS) throw wrongUse(`--to: ${at} is out of reach: D1 keeps the last 30 days`);
  return at;
}

function databaseOf({ databases, worker }: Environment): Environment["databases"][number] {
  const found = databases.find(({ binding }) => binding === "DB");
  if (found === undefined) throw new CliFailure(2, `${worker} has no database with the binding DB`);
  return found;
}

/** Undefined if the Worker does not answer, which may be the reason for the reset. */
async function listedNow(
  { out, signal }: CliContext,
  runs: EdgecrewClient["runs"],
): Promise<readonly { readonly id: string; readonly createdAt: string }[] | undefined> {
  try {
    return await everyPage((page) => runs.list(page), Infinity);
  } catch (error) {
    signal.throwIfAborted();
    const why = EngineError.is(error) ? error.message : String(error);
    out.note(
      `! the Worker does not list its runs (${why}): those that began after that time are listed again with --ids alone`,
    );
    return undefined;
  }
}

async function agree(
  context: CliContext,
  {
    name,
    at,
    again,
    isNamed,
  }: {
    readonly name: string;
    readonly at: string;
    readonly again: string;
    readonly isNamed: boolean;
  },
): Promise<void> {
  if (isNamed) return;
  if (context.prompt === undefined)
    throw wrongUse("--yes is not enough to overwrite a database; no change was made", again);
  const global = { ...context.global, yes: false };
  await confirm({ ...context, global }, `overwrite 1 database, ${name}, with its state at ${at}`);
}

/**
 * Keeps the ids that only the index knows in a file until they are indexed again. Ids of an earlier attempt stay in it.
 */
function keepIds(
  { project, environment }: OpenProject,
  ids: readonly string[],
): { readonly path: string; readonly ids: readonly string[]; readonly remove: () => void } {
  const folder = join(project.folder, ".edgecrew");
  const path = join(folder, `runs.${environment.stateName}.txt`);
  const all = [...new Set([...(existsSync(path) ? runIdsIn(path) : []), ...ids])];
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, all.map((id) => `${id}\n`).join(""));
  return { path, ids: all, remove: () => rmSync(path, { force: true }) };
}
