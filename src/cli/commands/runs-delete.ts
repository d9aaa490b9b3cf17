import { changeRuns } from "../change-runs.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";

/** `edgecrew runs delete`: deletes finished runs completely. */
export const runsDelete = command({
  name: "runs delete",
  serves: true,
  about: "delete finished runs: journal, events and output",
  args: "<id...>",
  example: "edgecrew runs delete 6dcb20 --yes",
  options: {},
  run: (context, { args }) =>
    changeRuns(context, {
      texts: args,
      before: ({ length }) => confirm(context, `delete ${counted(length, "run")}`),
      change: async (run) => {
        await run.delete();
        return "deleted";
      },
    }),
});
