import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the folder of this package: the nearest one above this module with our manifest, bundled or not. */
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
