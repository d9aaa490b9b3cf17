// Crews, flows and skills from the folders of a project, for its Worker to import.
//
//   BD1. Where a definition is at fault nothing is written: the last module that was right stays.
//   BD2. A module whose text would be the same is left alone, so that no watcher sees a change.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Issue } from "../base/error.ts";
import { definitionFaults } from "./definition-faults.ts";
import { readDefinitionFiles } from "./definition-files.ts";
import { definitionsModule } from "./definitions-module.ts";

/** The files themselves, for who asks more of them than a module. */
export { readDefinitionFiles, skillFiles } from "./definition-files.ts";

/** What was built. */
export type BuiltDefinitions = {
  readonly crews: readonly string[];
  readonly flows: readonly string[];
  readonly skills: readonly string[];
  /** With file, line and column. */
  readonly faults: readonly Issue[];
  /** Whether the module is another than before. */
  readonly changed: boolean;
};

/** Where the module is, from the project's folder. */
export const DEFINITIONS_MODULE = ".edgecrew/definitions.ts";

/** Reads the definitions of a project and writes the module, unless one of them is at fault or `write` is false. */
export function buildDefinitions(
  folder: string,
  { write = true }: { readonly write?: boolean } = {},
): BuiltDefinitions {
  const files = readDefinitionFiles(folder);
  const faults = definitionFaults(files);
  const path = join(folder, DEFINITIONS_MODULE);
  const text = definitionsModule(files);
  const changed = faults.length === 0 && (!existsSync(path) || readFileSync(path, "utf8") !== text);
  if (changed && write) {
    mkdirSync(join(folder, ".edgecrew"), { recursive: true });
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
  return {
    crews: Object.keys(files.crews),
    flows: Object.keys(files.flows),
    skills: Object.keys(files.skills),
    faults,
    changed,
  };
}
