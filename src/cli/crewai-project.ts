// Makes a new project from one of CrewAI: the imported files, registered in a new project.
import type { Import, NewFile } from "./import/import-project.ts";
import { reportText } from "./import/import-report.ts";
import { KNOWLEDGE_TOOL_NAMES } from "../wire/tool-needs.ts";
import { toolKey } from "../wire/tool-key.ts";
import { templateFiles } from "./write-template.ts";

const EXAMPLE = ".dev.vars.example";

/** Returns the files of the project. `from` is the path from the project to the import's source. */
export function crewAiProject(
  { files, report }: Import,
  values: Readonly<Record<string, string>> & { readonly from: string },
): readonly NewFile[] {
  const [crew] = report.crews;
  const [start = ""] = [crew, ...report.flows].filter((name) => name !== undefined);
  const template = templateFiles("crewai", { ...values, start });
  const paths = new Set(files.map(({ path }) => path));
  const run = start === "" ? [] : [`\`npx edgecrew run ${start}\``];
  const next = ["Read the remaining places by hand, above", "`npm start`", ...run];
  return [
    ...template
      .filter(({ path }) => !paths.has(path) || path === EXAMPLE)
      .map((file) => {
        const own = files.find(({ path }) => path === EXAMPLE);
        if (file.path !== EXAMPLE || own === undefined) return file;
        return { path: EXAMPLE, content: withNames(textOf(file), textOf(own)) };
      }),
    ...files.filter(({ path }) => path !== EXAMPLE),
    { path: "src/worker.ts", content: workerText(files) },
    { path: "import.md", content: reportText({ ...report, next }, values.from) },
  ];
}

/** Writes `src/worker.ts`. The imported files decide its registrations. */
function workerText(files: readonly NewFile[]): string {
  const has = (name: string): boolean =>
    files.some(({ path }) => path === `src/imported/${name}.ts`);
  const needsKnowledge = files.some(
    (file) => file.path.startsWith("crews/") && usesKnowledge(textOf(file)),
  );
  const parts = ["tools", "schemas", "functions"].filter(has);
  const registry = [...parts.map((name) => `${name}: imported.${name}`), "catalogs"].join(", ");
  const isImported = has("index");
  return [
    `import { apiDescription } from "edgecrew/api-description";`,
    `import { console } from "edgecrew/console";`,
    `import { crewaiApi } from "edgecrew/crewai-api";`,
    ...(needsKnowledge ? [`import { knowledge } from "edgecrew/knowledge";`] : []),
    `import { memory } from "edgecrew/memory";`,
    `import { toolCatalog } from "edgecrew/tools/catalog";`,
    `import { usage } from "edgecrew/usage";`,
    `import { defineApp, VectorIndex } from "edgecrew/worker";`,
    `import { definitions } from "../.edgecrew/definitions.ts";`,
    ...(isImported ? [`import { imported } from "./imported/index.ts";`] : []),
    "",
    "const catalogs = [toolCatalog()];",
    `const { crews, flows } = definitions({ ${registry} });`,
    "const app = defineApp({",
    ...(isImported ? ["  ...imported,"] : []),
    "  crews,",
    has("flows") ? "  flows: { ...flows, ...imported.flows }," : "  flows,",
    "  memory: memory(),",
    ...(needsKnowledge ? ["  knowledge: knowledge(),"] : []),
    `  files: "d1",`,
    "  console: console(), // in a browser under /console/",
    "  parts: [apiDescription(), crewaiApi(), usage()],",
    "});",
    "",
    "export default app;",
    "export class CrewRun extends app.durableObjects.CrewRun {}",
    "export { VectorIndex };",
    "",
  ].join("\n");
}

/** True for a crew with knowledge, or with a tool that searches documents. */
function usesKnowledge(text: string): boolean {
  return (
    /knowledge/i.test(text) ||
    Array.from(text.matchAll(/\b[A-Za-z_]+\b/g), ([name]) => name).some(
      (name) => /(tool|search)$/i.test(name) && KNOWLEDGE_TOOL_NAMES.has(toolKey(name)),
    )
  );
}

/** Adds the imported project's variables to the example of variables. */
function withNames(example: string, own: string): string {
  const names = own.split("\n").filter((line) => !example.includes(line.split("=")[0] ?? ""));
  return names.length === 0
    ? example
    : `${example}# Of the imported project:\n${names.join("\n")}\n`;
}

function textOf({ content }: NewFile): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}
