import { wrongUse } from "./cli-failure.ts";
import type { CommandEntry } from "./command-entry.ts";
import { COMMANDS } from "./command-table.ts";
import { nearestOf } from "../base/nearest.ts";

/** Command at the beginning of a command line. */
export type FoundCommand =
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly words: number }
  /** Help about commands that begin with these words; without words, about all. */
  | { readonly kind: "help"; readonly below: string };

/** Throws exit code 2 for an unknown command. */
export function findCommand(argv: readonly string[]): FoundCommand {
  const plainWords: string[] = [];
  for (const word of argv) {
    if (word.startsWith("-")) break;
    plainWords.push(word);
  }
  for (let words = Math.min(2, plainWords.length); words > 0; words--) {
    const name = plainWords.slice(0, words).join(" ");
    const entry = COMMANDS.find((each) => each.name === name || each.aliases?.includes(name));
    if (entry !== undefined) return { kind: "command", entry, words };
  }
  const [first] = plainWords;
  if (first === undefined || first === "help") return { kind: "help", below: "" };
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const wantsHelp = argv.some((word) => word === "--help" || word === "-h");
  if (below.length > 0 && plainWords.length === 1 && wantsHelp)
    return { kind: "help", below: `${first} ` };
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = nearestOf(plainWords.slice(0, 2).join(" "), names) ?? nearestOf(first, names);
  if (below.length > 0 && plainWords.length === 1) {
    const list = below.map(({ name }) => name).join(", ");
    throw wrongUse(
      `edgecrew ${first} needs one of its commands: ${list}`,
      `edgecrew ${first} --help`,
    );
  }
  const unknown = plainWords.slice(0, below.length > 0 ? 2 : 1).join(" ");
  throw wrongUse(
    `unknown command ${JSON.stringify(unknown)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    below.length > 0 ? `edgecrew ${first} --help` : "edgecrew help",
  );
}

/** `edgecrew help run` is `edgecrew run --help`. */
export function withoutHelp(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  const [word] = rest;
  const isOwn = COMMANDS.some(({ name }) => name === `help ${word}`);
  return first === "help" && word !== undefined && !word.startsWith("-") && !isOwn
    ? [...rest, "--help"]
    : argv;
}
