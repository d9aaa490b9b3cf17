// Names of the last listings, for completion.
//
//   KPN1. They are stored beside the project, else beside the profiles. A read-only folder stops no command.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../base/json.ts";
import type { CliContext } from "./command.ts";
import { configPath } from "./profiles.ts";

export type KeptNames = {
  /** Names of crews, flows, agents and conversations. */
  readonly definitions: readonly string[];
  /** Ids of runs, newest first. */
  readonly runs: readonly string[];
};

type Place = Pick<CliContext, "project" | "variables">;

const MAX_NAMES = 500;

function namesPath({ project, variables }: Place): string {
  return project === undefined
    ? join(dirname(configPath(variables)), "names.json")
    : join(project.folder, ".edgecrew", "names.json");
}

export function keepNames(place: Place, names: Partial<KeptNames>): void {
  const path = namesPath(place);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ ...keptNames(place), ...names }), { mode: 0o600 });
  } catch {}
}

/** Empty lists without stored names. */
export function keptNames(place: Place): KeptNames {
  let kept: unknown;
  try {
    kept = JSON.parse(readFileSync(namesPath(place), "utf8"));
  } catch {}
  const { definitions, runs } = isJsonObject(kept) ? kept : {};
  return { definitions: textsOf(definitions), runs: textsOf(runs) };
}

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is string => typeof each === "string").slice(0, MAX_NAMES);
}
