import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { eachOf } from "../each-of.ts";

/** `edgecrew schedules rm`: deletes schedules. */
export const schedulesRm = command({
  name: "schedules rm",
  about: "delete schedules; their runs stay",
  args: "<ids...>",
  example: "edgecrew schedules rm morning",
  options: {},
  run: async (context, { args: ids }) => {
    const { schedules } = await context.client();
    await confirm(context, `delete ${counted(ids.length, "schedule")}`);
    return eachOf(context, ids, async (id) => {
      await schedules.delete(id);
      return "deleted";
    });
  },
});
