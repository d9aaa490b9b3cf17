// Plants a bug in everything that this thread loads from now on.
import { registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { patched, PLANTED_BUGS, type PlantedBug } from "./planted-bugs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function plant(name: string): PlantedBug {
  const bug = PLANTED_BUGS.find((each) => each.name === name);
  if (bug === undefined)
    throw new Error(
      `there is no planted bug ${name}; there are: ${PLANTED_BUGS.map((each) => each.name).join(", ")}`,
    );
  const files = new Set(bug.patches.map((patch) => patch.file));
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith("file:")) return loaded;
      const file = relative(ROOT, fileURLToPath(url)).replaceAll("\\", "/");
      if (!files.has(file)) return loaded;
      return {
        ...loaded,
        source: patched(bug, file, Buffer.from(loaded.source as Uint8Array).toString("utf8")),
      };
    },
  });
  return bug;
}
