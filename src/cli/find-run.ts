// Finds runs by the beginning of their ids.
import { wrongUse, type CliFailure } from "./cli-failure.ts";
import type { EdgecrewClient, RunSummary } from "../client/index.ts";
import { EngineError } from "../client/index.ts";

const LEAST = 6;
const LOOKED_THROUGH = 500;

/**
 * Returns the id of the one run whose id begins with a text. Throws exit code 2 if no run or several match, and for
 * fewer than six characters.
 */
export async function findRun(client: EdgecrewClient, text: string): Promise<string> {
  const found = await runsLike(client, text);
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  throw found.length === 0
    ? wrongUse(`no run has an id that begins with ${text}`, LIST)
    : ambiguous(text, found);
}

/** Like `findRun`, for several texts. `missing` has those without a run; a run found twice is listed once. */
export async function findRuns(
  client: EdgecrewClient,
  texts: readonly string[],
): Promise<{ readonly ids: readonly string[]; readonly missing: readonly string[] }> {
  const ids = new Set<string>();
  const missing: string[] = [];
  for (const text of texts) {
    const found = await runsLike(client, text);
    if (found.length > 1) throw ambiguous(text, found);
    for (const id of found) ids.add(id);
    if (found.length === 0) missing.push(text);
  }
  return { ids: [...ids], missing };
}

/** Returns the named run, or the newest one without a parent run. */
export async function findRunOrNewest(
  client: EdgecrewClient,
  text: string | undefined,
): Promise<string> {
  if (text !== undefined) return findRun(client, text);
  for await (const { id, parent } of newestRuns(client)) if (parent === undefined) return id;
  throw wrongUse("there are no runs yet", "edgecrew run");
}

const LIST = "edgecrew runs ls";

function ambiguous(text: string, found: readonly string[]): CliFailure {
  return wrongUse(
    `${text} is the beginning of several runs: ${found.slice(0, 5).join(", ")}`,
    LIST,
  );
}

async function runsLike(client: EdgecrewClient, text: string): Promise<readonly string[]> {
  try {
    return [(await client.runs.get(text)).id];
  } catch (error) {
    if (!EngineError.is(error) || !["not_found", "invalid_input"].includes(error.code)) throw error;
  }
  if (text.length < LEAST)
    throw wrongUse(
      `there is no run ${text}; the beginning of an id needs at least ${LEAST} characters`,
    );
  const found: string[] = [];
  for await (const { id } of newestRuns(client)) if (id.startsWith(text)) found.push(id);
  return found;
}

async function* newestRuns(client: EdgecrewClient): AsyncGenerator<RunSummary> {
  let cursor: string | undefined;
  for (let looked = 0; looked < LOOKED_THROUGH;) {
    const page = await client.runs.list({
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield* page.items;
    looked += page.items.length;
    cursor = page.nextCursor;
    if (cursor === undefined || page.items.length === 0) return;
  }
}
