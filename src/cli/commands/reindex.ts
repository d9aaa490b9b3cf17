import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject } from "../../base/json.ts";
import { patiently } from "../backup/patiently.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { counted } from "../counted.ts";
import { everyPage } from "../every-page.ts";

/** Of one request. */
const AT_ONCE = 100;
const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** `edgecrew reindex`: runs write their rows of the list again. */
export const reindex = command({
  name: "reindex",
  about: "list runs again from what they know of themselves, as after a loss of the database",
  example: "edgecrew reindex --ids backups/monday/runs.ndjson",
  options: {
    ids: {
      about:
        "a file with an id on each line, or the runs.ndjson of a backup; else all that are listed",
      value: "file",
    },
  },
  run: async (context, { options: { ids: file } }) => {
    const { cwd, out } = context;
    const named = file === undefined ? undefined : idsOf(resolve(cwd, file));
    const { runs } = await context.client();
    const ids = named ?? (await everyPage((page) => runs.list(page))).map(({ id }) => id);
    const cut = { what: "the reindexing", again: "edgecrew reindex" };
    let reindexed = 0;
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const part = ids.slice(at, at + AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop -- batch by batch
      const done = await patiently(context, cut, () => runs.reindex(part));
      reindexed += done.reindexed;
    }
    const missing = ids.length - reindexed;
    out.result({ reindexed, missing }, () => `${counted(reindexed, "run")} listed again`);
    if (missing > 0) out.note(`${counted(missing, "run")} could not be found`);
  },
});

function idsOf(path: string): readonly string[] {
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
  try {
    const value: unknown = JSON.parse(text);
    const id = isJsonObject(value) ? value["id"] : undefined;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
