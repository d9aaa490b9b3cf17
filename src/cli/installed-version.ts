import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of a package, as a module in this folder would find it. */
export function installedVersion(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const text = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      if (dirname(folder) === folder) return null;
    }
  }
}
