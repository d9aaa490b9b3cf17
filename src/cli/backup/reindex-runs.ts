import { existsSync, readFileSync } from "node:fs";
import { parsedObject } from "../../base/json.ts";
import type { EdgecrewClient } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { patiently } from "./patiently.ts";

/** Number of ids in one request. */
const AT_ONCE = 100;
const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

export type RunsToIndex = {
  readonly runs: EdgecrewClient["runs"];
  readonly ids: readonly string[];
  /** Command that continues after an interruption. */
  readonly again: string;
};

export type IndexedRuns = { readonly reindexed: number; readonly missing: number };

/** Lets these runs write their index rows again. Throws as `patiently` after an interruption. */
export async function reindexRuns(
  context: CliContext,
  { runs, ids, again }: RunsToIndex,
): Promise<IndexedRuns> {
  const cut = { what: "the reindexing", again };
  let reindexed = 0;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const part = ids.slice(at, at + AT_ONCE);
    const done = await patiently(context, cut, () => runs.reindex(part));
    reindexed += done.reindexed;
  }
  return { reindexed, missing: ids.length - reindexed };
}

/** The ids in a file: one on each line, or the `runs.ndjson` of a backup. Throws exit code 2. */
export function runIdsIn(path: string): readonly string[] {
  if (!existsSync(path)) throw wrongUse(`there is no file ${path}`);
  const lines = readFileSync(path, "utf8").split(/\r?\n/);
  const ids = lines.flatMap((line, index) => {
    const text = line.trim();
    if (text === "") return [];
    const id = text.startsWith("{") ? idOfLine(text) : text;
    if (id !== undefined && RUN_ID.test(id)) return [id];
    throw wrongUse(`${path}:${index + 1}: expected the id of a run, got ${JSON.stringify(text)}`);
  });
  return [...new Set(ids)];
}

function idOfLine(text: string): string | undefined {
  const id = parsedObject(text)?.["id"];
  return typeof id === "string" ? id : undefined;
}
