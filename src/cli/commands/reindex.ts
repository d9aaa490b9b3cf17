import { resolve } from "node:path";
import { reindexRuns, runIdsIn } from "../backup/reindex-runs.ts";
import { command } from "../command.ts";
import { counted } from "../counted.ts";
import { everyPage } from "../every-page.ts";

/** `edgecrew reindex`: lets runs write their index rows again. */
export const reindex = command({
  name: "reindex",
  about: "rebuild the list of runs from the runs themselves, as after a loss of the database",
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
    const named = file === undefined ? undefined : runIdsIn(resolve(cwd, file));
    const { runs } = await context.client();
    const ids = named ?? (await everyPage((page) => runs.list(page))).map(({ id }) => id);
    const again = "edgecrew reindex";
    const { reindexed, missing } = await reindexRuns(context, { runs, ids, again });
    out.result({ reindexed, missing }, () => `${counted(reindexed, "run")} listed again`);
    if (missing > 0) out.note(`${counted(missing, "run")} could not be found`);
  },
});
