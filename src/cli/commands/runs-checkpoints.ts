import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { age } from "../times.ts";

/** `edgecrew runs checkpoints`: lists the points from which a run can continue. */
export const runsCheckpoints = command({
  name: "runs checkpoints",
  serves: true,
  about: "list the finished tasks or methods from which a run can be continued",
  args: "<id>",
  example: "edgecrew runs checkpoints 6dcb20",
  options: { outputs: { about: "with --json: also their results" } },
  run: async ({ client, out, clock }, { args: [text = ""], options }) => {
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const rows = await edgecrew.runs.handle(id).checkpoints({ values: options.outputs });
    const nowMs = clock.now();
    const none = "The run has finished no task or method yet.";
    out.table({ rows, value: rows, none }, [
      { title: "CHECKPOINT", of: (row) => row.id },
      { title: "TASK", of: ({ task }) => task },
      { title: "AGE", of: ({ at }) => age(at, nowMs) },
      { title: "TOKENS", of: ({ usage }) => usage.totalTokens.toLocaleString("en") },
      { title: "BRANCH", of: ({ branch }) => branch },
    ]);
    if (rows.length > 0 && !out.isJson)
      out.note(`edgecrew replay ${id} --from-checkpoint <checkpoint> goes on after one.`);
  },
});
