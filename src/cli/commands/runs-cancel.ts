import { changeRuns } from "../change-runs.ts";
import { command } from "../command.ts";

/** `edgecrew runs cancel`: cancels active runs. */
export const runsCancel = command({
  name: "runs cancel",
  serves: true,
  about: "cancel runs: their calls are aborted",
  args: "<id...>",
  example: "edgecrew runs cancel 6dcb20 --reason 'no longer needed'",
  options: { reason: { about: "reason, stored with each run", value: "text" } },
  run: (context, { args, options: { reason } }) =>
    changeRuns(context, {
      texts: args,
      change: async (run) => (await run.cancel(reason)).status,
    }),
});
