import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";

/** `edgecrew memory reset`: deletes all memories, or all below a path. */
export const memoryReset = command({
  name: "memory reset",
  serves: true,
  about: "delete all memories, or all at a path and below it",
  example: "edgecrew memory reset --scope /customers/acme",
  options: { scope: { about: "this path and its subpaths", value: "path" } },
  run: async (context, { options: { scope } }) => {
    const { memory } = await context.client();
    const { recordCount } = await memory.info(scope, { includePrivate: true });
    const where = scope === undefined ? "" : ` at ${scope} and below`;
    await confirm(context, `delete ${counted(recordCount, "memory", "memories")}${where}`);
    await (scope === undefined ? memory.resetAll() : memory.reset(scope));
    context.out.result(
      { deleted: recordCount },
      () => `${counted(recordCount, "memory", "memories")} deleted`,
    );
  },
});
