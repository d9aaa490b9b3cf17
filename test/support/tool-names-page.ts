// The page of all tools' names, made from the catalogue: `node test/support/tool-names-page.ts > docs/tool-names.md`.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CatalogEntry } from "../../src/tools/catalog/base/entry.ts";
import { UNAVAILABLE } from "../../src/tools/catalog/unavailable.ts";
import { sanitizeToolName } from "../../src/wire/tool-name.ts";

const folder = fileURLToPath(new URL("../../src/tools/catalog", import.meta.url));

const TITLES: Readonly<Record<CatalogEntry["group"], string>> = {
  search: "Search",
  web: "Pages",
  documents: "Documents",
  files: "Files",
  databases: "Databases and vector stores",
  vision: "Images and evaluation",
  code: "Code",
  automation: "Automation",
  messages: "Messages",
  everyday: "Everyday",
};

const EFFECTS = { R: "reads", W: "writes", X: "**acts**" } as const;

/** The page, as it must stand in docs/tool-names.md. */
export async function toolNamesPage(): Promise<string> {
  const exported = await Promise.all(
    readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isDirectory() && each.name !== "base")
      .map(async ({ name }) => {
        const path = `${folder}/${name}/index.ts`;
        const module = (await import(path).catch(() => ({}))) as Record<string, unknown>;
        return Object.entries(module).flatMap(([value, made]) =>
          typeof made === "function" && "entry" in made
            ? [{ vendor: name, value, entry: made.entry as CatalogEntry }]
            : [],
        );
      }),
  );
  const all = exported.flat();
  const sections = Object.entries(TITLES).flatMap(([group, title]) => {
    const rows = all
      .filter(({ entry }) => entry.group === group)
      .toSorted((a, b) => (a.entry.className < b.entry.className ? -1 : 1))
      .map(row);
    return rows.length === 0 ? [] : [`## ${title}\n\n${HEAD}\n${rows.join("\n")}`];
  });
  const unavailable = Object.entries(UNAVAILABLE).map(
    ([name, { why, instead }]) => `| \`${name}\` | ${why} | ${instead} |`,
  );
  return `# All tools of the catalogue

Names of each tool in definitions and for models, and its variables; [the catalogue](tool-catalogue.md) describes their use.
The value is the export of \`edgecrew/tools\` and \`edgecrew/tools/<vendor>\`.

${sections.join("\n\n")}

## Not in a Worker

| Name | Why | Instead |
| --- | --- | --- |
${unavailable.join("\n")}
`;
}

const HEAD =
  "| Names | Value | For models | Effect | Variables, bindings |\n| --- | --- | --- | --- | --- |";

function row({
  vendor,
  value,
  entry,
}: {
  vendor: string;
  value: string;
  entry: CatalogEntry;
}): string {
  const names = [entry.className, ...entry.otherNames].map((name) => `\`${name}\``).join(", ");
  const variables = [
    ...entry.variables.map(
      ({ name, oneOf, required = oneOf === undefined, default: fallback }) =>
        `\`${name}\`${required && fallback === undefined ? "" : "?"}`,
    ),
    ...entry.bindings.map((name) => `binding \`${name}\``),
  ];
  const shown = sanitizeToolName(entry.displayName);
  return `| ${names} | \`${value}\` (${vendor}) | \`${shown}\` | ${EFFECTS[entry.effectClass]} | ${variables.join(", ")} |`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await toolNamesPage());
