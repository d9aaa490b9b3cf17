// Builds a module for the Worker from the crews, flows and skills of a project's folders.
//
//   BD1. If a definition has a fault, no module is written: the last valid one stays.
//   BD2. An unchanged module is not written again, so watchers see no change.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Issue } from "../base/error.ts";
import { definitionFaults, definitionWarnings } from "./definition-faults.ts";
import { readDefinitionFiles } from "./definition-files.ts";
import { definitionsModule } from "./definitions-module.ts";

/** The files themselves, for callers with other needs than a module. */
export { readDefinitionFiles, skillFiles } from "./definition-files.ts";

/** Result of a build. */
export type BuiltDefinitions = {
  readonly crews: readonly string[];
  readonly flows: readonly string[];
  readonly skills: readonly string[];
  /** Faults with file, line and column. */
  readonly faults: readonly Issue[];
  /** Fields ignored as in CrewAI, with file, line and column. */
  readonly warnings: readonly Issue[];
  /** True if the module differs from the one before. */
  readonly changed: boolean;
};

/** Path of the module in the project's folder. */
export const DEFINITIONS_MODULE = ".edgecrew/definitions.ts";

/** Reads the definitions of a project. Writes the module unless a definition has a fault or `write` is false. */
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
    warnings: definitionWarnings(files),
    changed,
  };
}
