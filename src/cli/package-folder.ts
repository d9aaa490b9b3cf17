import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where this package lies: the nearest folder above this module whose manifest is ours, bundled or not. */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        name?: string;
      };
      if (name === "edgecrew") return folder;
    } catch {}
    if (dirname(folder) === folder) throw new Error("the package's own folder was not found");
  }
}
