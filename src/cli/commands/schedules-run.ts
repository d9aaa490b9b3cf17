import { command } from "../command.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun } from "../follow-run.ts";

/** `edgecrew schedules run`: starts its run now. */
export const schedulesRun = command({
  name: "schedules run",
  about: "start a schedule's run now, beside those at its times",
  args: "<id>",
  example: "edgecrew schedules run morning",
  options: {
    detach: { about: "print the id of the run and go" },
    ...FOLLOW_OPTIONS,
  },
  run: async (context, { args: [id = ""], options }) => {
    const run = await (await context.client()).schedules.run(id);
    if (options.detach) return context.out.result({ id: run.id }, () => run.id);
    context.out.note(`run ${run.id}`);
    return followRun(context, run, { name: id, ...options });
  },
});
