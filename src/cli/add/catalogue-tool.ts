import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nearestNames, toolKey } from "../../wire/tool-key.ts";

/** Origin of a tool in the catalogue: `serperDev` of `edgecrew/tools/serper`. */
export type CatalogueTool = { readonly factory: string; readonly vendor: string };

/** Finds a tool by any spelling of its name in the package in this folder, or returns undefined. */
export function catalogueTool(name: string, packageFolder: string): CatalogueTool | undefined {
  const key = toolKey(name);
  return catalogue(packageFolder).find(({ factory }) => toolKey(factory) === key);
}

/** Returns the most similar names in the catalogue. */
export function nearestTools(name: string, packageFolder: string): readonly string[] {
  return nearestNames(
    name,
    catalogue(packageFolder).map(({ factory }) => factory),
  );
}

function catalogue(packageFolder: string): readonly CatalogueTool[] {
  const [folder, index] = [
    ["dist/src/tools/catalog", "index.d.ts"],
    ["src/tools/catalog", "index.ts"],
  ].find(([path = ""]) => existsSync(join(packageFolder, path))) ?? ["", ""];
  const root = join(packageFolder, folder ?? "");
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, index ?? "")))
    .flatMap(({ name: vendor }) =>
      Array.from(
        readFileSync(join(root, vendor, index ?? ""), "utf8").matchAll(
          /export \{\s*([^}]+?)\s*\}/g,
        ),
        ([, names = ""]) => names.split(/\s*,\s*/),
      )
        .flat()
        .filter((factory) => /^[a-z]\w*$/.test(factory))
        .map((factory) => ({ factory, vendor })),
    );
}
