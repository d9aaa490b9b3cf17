// Applies the same change to several runs.
//
//   CHR1. Each run is changed by itself: a failure does not stop the others, and makes exit code 1.
//   CHR2. An ambiguous beginning of an id is wrong use, before any run is changed.
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError, type EdgecrewClient, type RemoteRun } from "../client/index.ts";
import { findRuns } from "./find-run.ts";
import type { CliContext } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";

/** Result of a change to one run. */
export type ChangedRun = { readonly id: string; readonly result: string; readonly error?: string };

const AT_ONCE = 5;

/** Connection failures, which are the same for every run. */
const FOR_ALL: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "unavailable"]);

export type ChangeOptions = {
  readonly texts: readonly string[];
  /** Called with the ids before the first change. An error stops the command. */
  readonly before?: (ids: readonly string[]) => Promise<void>;
  /** Changes the run and returns its new state in a word. */
  readonly change: (run: RemoteRun) => Promise<string>;
};

/** Changes runs, and prints a table with the result of each. */
export async function changeRuns(
  context: CliContext,
  { texts, before, change }: ChangeOptions,
): Promise<ExitCode> {
  const client = await context.client();
  const { ids, missing } = await findRuns(client, texts);
  if (ids.length > 0) await before?.(ids);
  const changed = await mapAtMost(ids, AT_ONCE, (id) => changeOne(client, id, change));
  const rows: readonly ChangedRun[] = [
    ...changed,
    ...missing.map((id) => ({ id, result: "failed", error: "there is no such run" })),
  ];
  context.out.table({ rows, value: rows, none: "" }, [
    { title: "ID", of: ({ id }) => id },
    { title: "RESULT", of: ({ result }) => result },
    { title: "WHY", of: ({ error = "" }) => error },
  ]);
  return rows.some(({ error }) => error !== undefined) ? 1 : 0;
}

async function changeOne(
  client: EdgecrewClient,
  id: string,
  change: ChangeOptions["change"],
): Promise<ChangedRun> {
  try {
    return { id, result: await change(client.runs.handle(id)) };
  } catch (error) {
    if (!EngineError.is(error) || FOR_ALL.has(error.code)) throw error;
    return { id, result: "failed", error: error.message };
  }
}
