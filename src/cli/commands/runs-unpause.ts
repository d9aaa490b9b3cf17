import { changeRuns } from "../change-runs.ts";
import { command } from "../command.ts";

/** `edgecrew runs unpause`: continues paused runs. */
export const runsUnpause = command({
  name: "runs unpause",
  serves: true,
  about: "let paused runs go on",
  args: "<id...>",
  example: "edgecrew runs unpause 6dcb20",
  options: {},
  run: (context, { args }) =>
    changeRuns(context, {
      texts: args,
      change: async (run) => (await run.unpause()).status,
    }),
});
