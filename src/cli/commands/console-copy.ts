import { cpSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { packageFolder } from "../package-folder.ts";

/** `edgecrew console copy`: copies the console's pages into an app's own assets. */
export const consoleCopy = command({
  name: "console copy",
  about: "copy the console's pages into your own folder of assets",
  args: "<folder>",
  example: "edgecrew console copy public",
  options: {},
  run: async ({ out, cwd }, { args: [folder] }) => {
    if (folder === undefined)
      throw wrongUse("console copy needs a folder", "edgecrew console copy public");
    const from = join(packageFolder(), "dist", "console-root");
    if (!existsSync(join(from, "console", "index.html")))
      throw new CliFailure(1, `this package has no pages of the console in ${from}`);
    const to = resolve(cwd, folder);
    cpSync(join(from, "console"), join(to, "console"), { recursive: true });
    const count = readdirSync(join(to, "console"), { recursive: true }).length;
    out.result({ folder: to, files: count }, () => `${count} files in ${join(to, "console")}`);
    const headers = join(to, "_headers");
    if (existsSync(headers)) out.note(`Add the lines of ${join(from, "_headers")} to ${headers}.`);
    else cpSync(join(from, "_headers"), headers);
  },
});
