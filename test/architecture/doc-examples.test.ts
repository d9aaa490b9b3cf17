import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}/test/.doc-examples`;
const PAGES = [
  "README.md",
  ...readdirSync(`${root}/docs`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Source of each subpath of the package, as the exports of package.json name the built file. */
const SUBPATHS: ReadonlyMap<string, string> = subpathsOf(
  readFileSync(`${root}/package.json`, "utf8"),
);

it("compiles every TypeScript example of the README and the docs", () => {
  let count = 0;
  for (const page of PAGES) {
    for (const [index, example] of examplesOf(page).entries()) {
      const name = `${page.replaceAll(/[^a-z]+/gi, "-")}-${index + 1}.ts`;
      writeFileSync(`${folder}/${name}`, `${example}\nexport {};\n`);
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
}, 240_000);

/** Without these, examples use the models that need no key. */
const MODEL_VARIABLES = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "MODEL",
  "MODEL_NAME",
  "OPENAI_MODEL_NAME",
  "EMBEDDER",
];

/** The pages whose first example needs no Worker, no server and no key. */
const RUNNABLE = PAGES.filter((page) => {
  const [first = "needs a Worker: edgecrew/worker"] = examplesOf(page);
  return !/edgecrew\/(worker|client)|node:fs|OPENAI_API_KEY/.test(first);
});

/** Further examples that run, by page: those that only define something are compiled. */
const FURTHER: Readonly<Record<string, readonly number[]>> = {
  "docs/testing.md": [1],
};

it("has runnable examples", () => {
  expect(RUNNABLE.length).toBeGreaterThan(11);
});

it.each(RUNNABLE.flatMap((page) => [0, ...(FURTHER[page] ?? [])].map((at) => ({ page, at }))))(
  "runs example $at of $page",
  async ({ page, at }) => {
    const example = examplesOf(page)[at] ?? "";
    const code = example.replaceAll(/(?<= from ")edgecrew[^"]*(?=")/g, sourceOf);
    const file = `${folder}/run/${page.replaceAll(/[^a-z]+/gi, "-")}-${at + 1}.ts`;
    writeFileSync(file, code);
    await expect(import(/* @vite-ignore */ file)).resolves.toBeDefined();
  },
  180_000,
);

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/run`, { recursive: true });
  vi.spyOn(console, "log").mockReturnValue();
  for (const name of MODEL_VARIABLES) vi.stubEnv(name, undefined);
});

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The code blocks marked `ts`, but for files that need another file of the reader's project: start-pages.test.ts checks their types. */
function examplesOf(page: string): string[] {
  const markdown = readFileSync(`${root}/${page}`, "utf8");
  return Array.from(
    markdown.matchAll(/^```ts(?: file=\S+)?\n([^]*?)^```$/gm),
    (match) => match[1] ?? "",
  ).filter((example) => !/ from "\.\.?\//.test(example));
}

function subpathsOf(manifest: string): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(manifest) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return new Map(
    Object.entries(exports).flatMap(([path, target]) => {
      const file = typeof target === "string" ? target : target.default;
      const [, source] = /^\.\/dist\/(src\/.+)\.js$/.exec(file) ?? [];
      return source === undefined ? [] : [[`edgecrew${path.slice(1)}`, `${source}.ts`]];
    }),
  );
}

function sourceOf(name: string): string {
  const exact = SUBPATHS.get(name);
  const vendor = name.slice("edgecrew/tools/".length);
  return `${root}/${exact ?? SUBPATHS.get("edgecrew/tools/*")?.replace("*", vendor) ?? name}`;
}

/** As in a user's project, with the package's subpaths found in src. */
function tsconfig(): object {
  return {
    extends: `${root}/tsconfig.json`,
    compilerOptions: {
      paths: Object.fromEntries([...SUBPATHS.keys()].map((name) => [name, [sourceOf(name)]])),
      types: ["@cloudflare/workers-types", "node"],
    },
    include: [`${folder}/*.ts`],
  };
}
