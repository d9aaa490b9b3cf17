import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { eachOf } from "../each-of.ts";

/** `edgecrew hooks rm`: deletes webhooks. */
export const hooksRm = command({
  name: "hooks rm",
  about: "delete webhooks; their senders are refused from then on",
  args: "<names...>",
  example: "edgecrew hooks rm issues",
  options: {},
  run: async (context, { args: names }) => {
    const { webhooks } = await context.client();
    await confirm(context, `delete ${counted(names.length, "webhook")}`);
    return eachOf(context, names, async (name) => {
      await webhooks.delete(name);
      return "deleted";
    });
  },
});
