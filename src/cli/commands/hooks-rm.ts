import { command } from "../command.ts";
import { confirm, count } from "../confirm.ts";
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
    await confirm(context, `delete ${count(names.length, "webhook")}`);
    return eachOf(context, names, async (name) => {
      await webhooks.delete(name);
      return "deleted";
    });
  },
});
