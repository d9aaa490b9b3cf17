// Pages of the documentation with the rows of a reflection: `npm run docs:fill` writes them.
import type { Rows } from "./rows.ts";
import { UPSTREAMS } from "./upstreams.ts";

type Page = {
  readonly upstreams: readonly string[];
  readonly head: string;
};

const CREWAI: Page = {
  upstreams: ["crewai"],
  head: `# CrewAI's names

Public names of CrewAI with another name here, and names without a counterpart: fields, methods, event types, exports, commands and options.
All other names are the same, in camelCase.
[Coming from CrewAI](coming-from-crewai.md) explains the differences; \`npm run world:reflect\` compares this page with the newest CrewAI.
`,
};

const AG2: Page = {
  upstreams: ["autogen", "ag2"],
  head: `# AG2's names

Public names of AG2 with another name here, and names without a counterpart: classes, functions and parameters.
All other names are the same, in camelCase.
[Coming from AG2](coming-from-ag2.md) explains the differences; \`npm run world:reflect\` compares this page with the newest AG2.
`,
};

export const crewaiNamesPage = (): Promise<string> => pageOf(CREWAI);
export const ag2NamesPage = (): Promise<string> => pageOf(AG2);

async function pageOf({ upstreams, head }: Page): Promise<string> {
  const sections = await Promise.all(
    UPSTREAMS.filter(({ name }) => upstreams.includes(name)).map(async ({ title, rows }) =>
      sectionOf(title, await rows()),
    ),
  );
  return [head, ...sections].join("\n");
}

function sectionOf(title: string, { renamed, decided }: Rows): string {
  return `## ${title}: other names

A name with a dot is an option or a field, one with \`#\` a method or an export of the entry, and \`$\` begins a command.

| ${title} | Edgecrew |
| --- | --- |
${renamed.map(({ upstream, ours }) => `| ${code(upstream)} | ${ours.map(code).join(", ")} |`).join("\n")}

## ${title}: without a counterpart

\`*\` stands for any text.
A row with a whole package covers its names outside the other tables.

| ${title} | Edgecrew | More |
| --- | --- | --- |
${decided.map(({ names, reason, page }) => `| ${names.map(code).join(", ")} | ${reason} | [${page.replace(/#.*/, "")}](${page}) |`).join("\n")}
`;
}

function code(name: string): string {
  return `\`${name.replaceAll("|", "\\|")}\``;
}
