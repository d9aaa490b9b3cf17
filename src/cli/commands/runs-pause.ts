import { changeRuns } from "../change-runs.ts";
import { command } from "../command.ts";

/** `edgecrew runs pause`: pauses runs before their next step. */
export const runsPause = command({
  name: "runs pause",
  serves: true,
  about: "pause runs: steps in progress finish, no new one starts",
  args: "<id...>",
  example: "edgecrew runs pause 6dcb20",
  options: {},
  run: (context, { args }) =>
    changeRuns(context, {
      texts: args,
      change: async (run) => {
        const { paused = false, status } = await run.pause();
        return paused ? "paused" : status;
      },
    }),
});
