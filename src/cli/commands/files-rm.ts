import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { eachOf } from "../each-of.ts";

/** `edgecrew files rm`: deletes files. */
export const filesRm = command({
  name: "files rm",
  serves: true,
  about: "delete files",
  args: "<ids...>",
  example: "edgecrew files rm 3f2a91 77c0de",
  options: { force: { about: "also while a run uses them; needs an admin key" } },
  run: async (context, { args: ids, options: { force } }) => {
    const { files } = await context.client();
    await confirm(context, `delete ${counted(ids.length, "file")}`);
    return eachOf(context, ids, async (id) => {
      await files.delete(id, { force });
      return "deleted";
    });
  },
});
