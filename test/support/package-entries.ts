// Entries of the package, by the name in a program's import: their files in `src`, from the package's manifest.
import { readFileSync } from "node:fs";

type Manifest = {
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>;
};

const BUILT = "./dist/src/";

const { exports } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as Manifest;

/** `"edgecrew/files": "entry/files.ts"` */
export const PACKAGE_ENTRIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(exports).flatMap(([subpath, entry]) => {
    const file = typeof entry === "string" ? entry : (entry.default ?? "");
    return file.startsWith(BUILT) && file.endsWith(".js")
      ? [[`edgecrew${subpath.slice(1)}`, `${file.slice(BUILT.length, -3)}.ts`]]
      : [];
  }),
);
