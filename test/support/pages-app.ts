// One Worker of the apps that documentation pages define in their code.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { blocksOf } from "./doc-commands.ts";
import { PACKAGE_ENTRIES } from "./package-entries.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}/test/.doc-commands`;

/** Takes the place of `edgecrew/worker` in the pages' code: it keeps what is defined, and makes no app of it. */
const COLLECTOR = `
export * from "../../src/worker.ts";
export const defined = [];
export const defineApp = (options) => (defined.push(options), { durableObjects: {} });
`;

const WORKER = `
import { memory } from "../../src/entry/memory.ts";
import { defineApp, VectorIndex } from "../../src/worker.ts";
import { defined } from "./collector.js";

const all = (field) => Object.assign({}, ...defined.map((options) => options[field]));
const app = defineApp({
  ...Object.assign({}, ...defined),
  crews: all("crews"),
  flows: all("flows"),
  agents: all("agents"),
  tools: defined.flatMap(({ tools = [] }) => tools),
  parts: defined.flatMap(({ parts = [] }) => parts),
});
export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
export { VectorIndex };
`;

/** Writes the Worker and its wrangler.toml, and returns their folder. */
export function writePagesApp(pages: readonly string[]): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = pages.flatMap((page) =>
    blocksOf(`${root}/${page}`, "ts")
      .filter((block) => /\bdefineApp\(/.test(block))
      .slice(0, 1)
      .map((block) => ({ page, code: withSources(withoutRuns(block)) })),
  );
  const names = modules.map(({ page, code }, index) => {
    const name = `${page.replaceAll(/\W+/g, "-")}-${index}.ts`;
    writeFileSync(`${folder}/${name}`, code);
    return name;
  });
  // The repository's package says that its modules have no side effects; these have.
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  writeFileSync(`${folder}/collector.js`, COLLECTOR);
  writeFileSync(
    `${folder}/worker.js`,
    `${names.map((name) => `import "./${name}";`).join("\n")}${WORKER}`,
  );
  writeFileSync(`${folder}/wrangler.toml`, configuration());
  return folder;
}

/** A module of a Worker cannot run things while it is loaded. */
function withoutRuns(code: string): string {
  return code
    .split("\n")
    .filter((line) => !/^(?:const .* = )?await |^console\.log/.test(line))
    .map((line) =>
      line.startsWith("declare const mailroomYaml")
        ? `const mailroomYaml = ${JSON.stringify(blocksOf(`${root}/docs/declarative-flows.md`, "yaml")[0])};`
        : line,
    )
    .join("\n");
}

function withSources(code: string): string {
  return code.replaceAll(/(?<= from ")edgecrew[^"]*(?=")/g, (name) =>
    name === "edgecrew/worker" ? "./collector.js" : `../../src/${PACKAGE_ENTRIES[name] ?? name}`,
  );
}

const BUCKET = `
[[r2_buckets]]
binding = "FILES"
bucket_name = "files"
`;

/** That of `npm start`, without its production, for this folder. */
function configuration(): string {
  const [local = ""] = readFileSync(`${root}/wrangler.toml`, "utf8").split("[env.production]");
  return `${local}${BUCKET}`
    .replace(/^main = .*$/m, 'main = "worker.js"')
    .replace(/^\[assets\]\n(?:\S.*\n)*/m, "")
    .replace(/^migrations_dir = .*$/m, 'migrations_dir = "../../migrations"')
    .replace(
      'EDGECREW_AUTH = "open"',
      'EDGECREW_AUTH = "open"\nGITHUB_SECRET = "a long random text"',
    );
}
