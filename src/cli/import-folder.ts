import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { CATALOGUE_NAMES } from "../wire/catalogue-names.ts";
import { toolKey } from "../wire/tool-key.ts";
import { wrongUse } from "./cli-failure.ts";
import { importProject, type Import } from "./import/import-project.ts";
import { readFolder } from "./import/read-folder.ts";

/** Imports the CrewAI project in a folder. Throws exit code 2 for a missing folder, or one without a project. */
export function importFolder(
  folder: string,
  {
    cwd,
    shown = folder,
    withEnv = false,
  }: { readonly cwd: string; readonly shown?: string; readonly withEnv?: boolean },
): Import {
  const source = resolve(cwd, folder);
  if (!existsSync(source) || !statSync(source).isDirectory())
    throw wrongUse(`there is no folder ${shown}`);
  const read = readFolder(source);
  const made = importProject(read.files, {
    open: read.open,
    others: read.others,
    withEnv,
    name: basename(source),
    isInCatalogue: (name) => CATALOGUE_NAMES.has(toolKey(name)),
  });
  if (made !== undefined) return made;
  const [first] = read.open;
  const why = first === undefined ? "" : ` (${first.file}: ${first.why})`;
  throw wrongUse(
    `${shown} has no crew and no flow of CrewAI${why}`,
    "name the folder with crew.py, crew.jsonc or flow.yaml, or one around it",
  );
}
