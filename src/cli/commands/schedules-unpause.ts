import { command } from "../command.ts";
import { scheduleLines } from "../schedule-lines.ts";

/** `edgecrew schedules unpause`: lets schedules start runs again. */
export const schedulesUnpause = command({
  name: "schedules unpause",
  about: "start runs again; times that passed are skipped",
  args: "<id>",
  example: "edgecrew schedules unpause morning",
  options: {},
  run: async ({ client, out }, { args: [id = ""] }) => {
    const schedule = await (await client()).schedules.unpause(id);
    out.result(schedule, () => scheduleLines(schedule));
  },
});
