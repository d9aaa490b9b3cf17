import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { eachOf } from "../each-of.ts";

/** `edgecrew keys rm`: deletes keys. */
export const keysRm = command({
  name: "keys rm",
  about: "delete API keys; they stop working at once",
  args: "<ids...>",
  example: "edgecrew keys rm 3f2a91",
  options: {},
  run: async (context, { args: ids }) => {
    const { keys } = await context.client();
    await confirm(context, `delete ${counted(ids.length, "key")}`);
    return eachOf(context, ids, async (id) => {
      await keys.delete(id);
      return "deleted";
    });
  },
});
