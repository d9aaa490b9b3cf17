// The reference pages that are made of the source: `npm run docs:fill` writes them.
import { COMMANDS } from "../../src/cli/command-table.ts";
import type { OptionSpec, OptionSpecs } from "../../src/cli/command.ts";
import { GLOBAL } from "../../src/cli/global-options.ts";
import { readSource } from "./source-files.ts";
import { ag2NamesPage, crewaiNamesPage } from "../world/reflect/names-page.ts";
import { providersPage } from "./providers-page.ts";
import { toolNamesPage } from "./tool-names-page.ts";

/** The pages by their paths, as they must stand in the repository. */
export const REFERENCE_PAGES: Readonly<Record<string, () => Promise<string> | string>> = {
  "docs/tool-names.md": toolNamesPage,
  "docs/providers.md": providersPage,
  "docs/reference-cli.md": commandsPage,
  "docs/reference-app.md": appPage,
  "docs/crewai-names.md": crewaiNamesPage,
  "docs/ag2-names.md": ag2NamesPage,
};

async function commandsPage(): Promise<string> {
  const commands = await Promise.all(
    COMMANDS.map(async ({ aliases = [], load }) => ({ aliases, command: await load() })),
  );
  const list = commands.map(
    ({ command: { name, about } }) => `| [\`${name}\`](#${anchorOf(name)}) | ${escaped(about)} |`,
  );
  const sections = commands.map(({ aliases, command: { name, about, args, options, example } }) => {
    const other = aliases.length === 0 ? "" : `\nOther names: ${code(aliases)}.\n`;
    const rows = optionRows(options);
    const table = rows.length === 0 ? "" : `\n${OPTION_HEAD}\n${rows.join("\n")}\n`;
    const usage = ["edgecrew", name, args].filter((word) => word !== undefined).join(" ");
    return `## ${name}\n\n\`${usage}\`: ${about}.\n${other}${table}\nFor example \`${example}\`.\n`;
  });
  return `# All commands and options

Each command with its arguments and options, as \`edgecrew <command> --help\` prints them.
[The command line](cli.md) and [workers, stores and triggers](cli-stores.md) describe their use together.

| Command | Action |
| --- | --- |
${list.join("\n")}

## Options of every command

${OPTION_HEAD}
${optionRows(GLOBAL).join("\n")}
| \`--no-input\` | ask no questions |
| \`-h\`, \`--help\` | show this help |

${sections.join("\n")}`;
}

const OPTION_HEAD = "| Option | Meaning |\n| --- | --- |";

function optionRows(specs: OptionSpecs): string[] {
  return Object.entries(specs)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([name, spec]) => `| ${flagsOf(name, spec)} | ${escaped(meaningOf(spec))} |`);
}

function flagsOf(name: string, { short, value, on }: OptionSpec): string {
  const long = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const written = `--${on === true ? "no-" : ""}${long}${value === undefined ? "" : ` <${value}>`}`;
  return escaped(short === undefined ? `\`${written}\`` : `\`-${short}\`, \`${written}\``);
}

function meaningOf({ about, on, choices, integer, many }: OptionSpec): string {
  return [
    on === true ? `no ${about}` : about,
    ...(choices === undefined ? [] : [`one of ${code(choices)}`]),
    ...(integer === undefined ? [] : [`from ${integer.least} to ${integer.most}`]),
    ...(many === true ? ["may stand several times"] : []),
  ].join("; ");
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

/** The options of `defineApp`, of the text of their type. */
function appPage(): string {
  const source = readSource("src/cloudflare/app-options.ts");
  const type = /export type AppOptions = \{\n([^]*?)\n\};/.exec(source)?.[1] ?? "";
  const options = Array.from(
    type.matchAll(/^ {2}\/\*\*([^]*?)\*\/\n {2}readonly (\w+)\??:/gm),
    ([, text = "", name = ""]) => ({ name, ...partsOf(text) }),
  );
  const rows = options.map(
    ({ name, meaning, standard }) => `| \`${name}\` | ${standard} | ${escaped(meaning)} |`,
  );
  return `# Options of an app

All options of \`defineApp({ … })\` of \`edgecrew/worker\`; [entry points](entry-points.md) names the values for them, and [variables and secrets](reference-variables.md) the settings of a deployment.

| Option | Default | Meaning |
| --- | --- | --- |
${rows.join("\n")}

Within \`limits\`, \`maxBodyBytes\` is the size of a request's body (1,048,576), and \`maxBatchInputs\` the inputs of one \`kickoff-for-each\` (1,000).
`;
}

function partsOf(text: string): { readonly meaning: string; readonly standard: string } {
  const plain = text
    .replaceAll(/^\s*\*/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const [meaning = "", standard = ""] = plain.split(/ ?@default /);
  const value = standard.trim();
  return {
    meaning: meaning.trim(),
    standard: /^["[{]/.test(value) ? `\`${value}\`` : escaped(value) || "none",
  };
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/<(?=[a-zA-Z])(?![^`]*`)/g, "&lt;");
}
