import { command } from "../command.ts";
import { scheduleLines } from "../schedule-lines.ts";

/** `edgecrew schedules pause`: stops schedules from starting runs. */
export const schedulesPause = command({
  name: "schedules pause",
  about: "start no runs until it is unpaused",
  args: "<id>",
  example: "edgecrew schedules pause morning",
  options: {},
  run: async ({ client, out }, { args: [id = ""] }) => {
    const schedule = await (await client()).schedules.pause(id);
    out.result(schedule, () => scheduleLines(schedule));
  },
});
