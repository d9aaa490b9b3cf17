import { wrongUse } from "./cli-failure.ts";
import { COMMANDS, type CommandEntry } from "./command-table.ts";
import { nearestOf } from "./nearest.ts";

/** The words of a command line that name its command; none where help is asked for. Throws exit code 2 for what is no command. */
export function findCommand(argv: readonly string[]): {
  readonly entry: CommandEntry | undefined;
  readonly words: number;
} {
  const plainWords: string[] = [];
  for (const word of argv) {
    if (word.startsWith("-")) break;
    plainWords.push(word);
  }
  for (let words = Math.min(2, plainWords.length); words > 0; words--) {
    const name = plainWords.slice(0, words).join(" ");
    const entry = COMMANDS.find((each) => each.name === name || each.aliases?.includes(name));
    if (entry !== undefined) return { entry, words };
  }
  const [first] = plainWords;
  if (first === undefined || first === "help") return { entry: undefined, words: 0 };
  const within = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (within.length > 0) {
    const names = within.map(({ name }) => name).join(", ");
    throw wrongUse(`edgecrew ${first} needs one of its commands: ${names}`, `edgecrew help`);
  }
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = nearestOf(plainWords.slice(0, 2).join(" "), names) ?? nearestOf(first, names);
  throw wrongUse(
    `unknown command ${JSON.stringify(first)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    "edgecrew help",
  );
}
