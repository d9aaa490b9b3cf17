import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun } from "../follow-run.ts";

/** `edgecrew runs watch`: follows a run from its start. */
export const runsWatch = command({
  name: "runs watch",
  serves: true,
  about: "follow a run that is under way, from its start",
  args: "<id>",
  example: "edgecrew runs watch 6dcb20",
  options: {
    ...FOLLOW_OPTIONS,
  },
  run: async (context, { args: [text = ""], options }) => {
    const client = await context.client();
    const id = await findRun(client, text);
    const { name } = await client.runs.get(id);
    return followRun(context, client.runs.handle(id), { name, ...options });
  },
});
