// Completes an unfinished command line.
//
//   CPW1. No network: names are those of profiles and of the last listings.
import type { CommandEntry } from "./command-entry.ts";
import type { CliContext } from "./command.ts";
import { GLOBAL } from "./global-options.ts";
import { keptNames } from "./kept-names.ts";
import { configPath, readConfig } from "./profiles.ts";

type Place = Pick<CliContext, "project" | "variables">;

/** Commands with a definition, a profile, or else a run as their argument. */
const OF_DEFINITIONS = new Set(["run", "chat", "plot", "test", "train", "types"]);
const OF_PROFILES = new Set(["config use", "config rm"]);
const OF_RUNS = /^(?:runs (?!ls|prune)|replay|fork|tasks|trace download|waits (?:show|answer))/;

/** Returns all possible words at the place of the last one. */
export async function completionWords(
  typed: readonly string[],
  place: Place,
  commands: readonly CommandEntry[],
): Promise<readonly string[]> {
  const current = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  const fits = (words: readonly string[]): readonly string[] =>
    [...new Set(words)].filter((word) => word.startsWith(current));
  const [option] = before.slice(-1);
  if (option === "--profile") return fits(profilesOf(place));
  if (option === "--run") return fits(keptNames(place).runs);
  const plain = before.filter((word) => !word.startsWith("-"));
  const named = commands.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((each) => isBegun(each, plain)),
  );
  const entry = named.toSorted((a, b) => b.name.length - a.name.length)[0];
  const next = current.startsWith("-") ? [] : nextWords(commands, plain);
  if (entry === undefined) return fits(next);
  if (current.startsWith("-")) return fits(await optionsOf(entry));
  return fits([...next, ...argumentsOf(entry.name, place)]);
}

/** True if the line begins with the command's words. */
function isBegun(name: string, words: readonly string[]): boolean {
  return name.split(" ").every((word, index) => words[index] === word);
}

function nextWords(commands: readonly CommandEntry[], words: readonly string[]): readonly string[] {
  return commands.flatMap(({ name, aliases = [] }) =>
    [name, ...aliases].flatMap((each) => {
      const parts = each.split(" ");
      const next = parts[words.length];
      const isOn = words.every((word, index) => parts[index] === word);
      return isOn && next !== undefined ? [next] : [];
    }),
  );
}

async function optionsOf({ load }: CommandEntry): Promise<readonly string[]> {
  const { options } = await load();
  return Object.entries({ ...options, ...GLOBAL })
    .filter(([, { hidden = false }]) => !hidden)
    .map(([name, { on = false }]) => {
      const long = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return on ? `--no-${long}` : `--${long}`;
    });
}

function argumentsOf(command: string, place: Place): readonly string[] {
  if (OF_DEFINITIONS.has(command)) return keptNames(place).definitions;
  if (OF_PROFILES.has(command)) return profilesOf(place);
  return OF_RUNS.test(command) ? keptNames(place).runs : [];
}

function profilesOf({ variables }: Place): readonly string[] {
  try {
    return Object.keys(readConfig(configPath(variables)).profiles);
  } catch {
    return []; // commands that need the file report its faults
  }
}
