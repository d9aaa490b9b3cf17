import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}/test/.doc-examples`;

/** What examples may use without saying where it comes from. */
const PREAMBLE = `declare function searchDocs(query: string, signal: AbortSignal): Promise<string>;\n`;

it("compiles every TypeScript example of the README and the docs", () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = [
    "README.md",
    ...readdirSync(`${root}/docs`)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
  let count = 0;
  for (const page of pages) {
    for (const [index, example] of examplesOf(readFileSync(`${root}/${page}`, "utf8")).entries()) {
      const name = `${page.replaceAll(/[^a-z]+/gi, "-")}-${index + 1}.ts`;
      writeFileSync(`${folder}/${name}`, `${PREAMBLE}${example}\nexport {};\n`);
      count++;
    }
  }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(tsconfig()));
  const compiler = spawnSync(
    process.execPath,
    [`${root}/node_modules/typescript/bin/tsc`, "-p", folder],
    { encoding: "utf8" },
  );
  expect(compiler.stdout + compiler.stderr).toBe("");
  expect(count).toBeGreaterThan(8);
}, 60_000);

/** The code blocks marked `ts`. */
function examplesOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^```ts\n([^]*?)^```$/gm), (match) => match[1] ?? "");
}

/** As a user's project, with the package's subpaths found in src. */
function tsconfig(): object {
  const src = (path: string): string[] => [`${root}/src/${path}`];
  return {
    extends: `${root}/tsconfig.json`,
    compilerOptions: {
      paths: {
        edgecrew: src("index.ts"),
        "edgecrew/worker": src("worker.ts"),
        "edgecrew/client": src("client/index.ts"),
        "edgecrew/telemetry": src("telemetry.ts"),
        "edgecrew/testing": src("testing/index.ts"),
        "edgecrew/embeddings": src("embeddings.ts"),
        "edgecrew/evaluation": src("evaluation/index.ts"),
        "edgecrew/flow": src("flow/index.ts"),
        "edgecrew/flow/declarative": src("declarative/index.ts"),
        "edgecrew/knowledge": src("knowledge.ts"),
        "edgecrew/knowledge/readers": src("knowledge-readers.ts"),
        "edgecrew/memory": src("memory.ts"),
        "edgecrew/parts": src("parts.ts"),
        "edgecrew/models": src("models.ts"),
        "edgecrew/project": src("project/index.ts"),
        "edgecrew/triggers": src("triggers.ts"),
      },
      types: ["@cloudflare/workers-types", "node"],
    },
    include: [`${folder}/*.ts`],
  };
}
