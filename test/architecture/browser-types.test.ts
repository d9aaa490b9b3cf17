// The declarations of the package as a browser project compiles them: strictly, libraries included, with the types of the
// DOM alone.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { apiTypes } from "../../src/cli/api-types.ts";
import { createClient } from "../../src/client/index.ts";
import { HttpWorld } from "../support/http-app.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-types-`);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tsc(...options: readonly string[]): string {
  const compiler = [`${root}/node_modules/typescript/bin/tsc`, ...options];
  const { stdout, stderr } = spawnSync(process.execPath, compiler, { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

it("the client's types need neither Node's nor the Workers', and fit the file from edgecrew types (CC1)", async () => {
  const declarations = ["--declaration", "--emitDeclarationOnly", "--outDir", `${folder}/dist`];
  expect(tsc("-p", "tsconfig.build.json", ...declarations)).toBe("");
  symlinkSync(`${root}/node_modules`, `${folder}/node_modules`);
  writeFileSync(
    `${folder}/page.ts`,
    `import { EdgecrewClient, foldWords, type Words } from "./dist/src/client/index.js";
     const client = new EdgecrewClient({ baseUrl: "" });
     export async function show(id: string, draw: (words: Words) => void): Promise<void> {
       let words: Words = {};
       for await (const event of client.runs.handle(id).events()) draw((words = foldWords(words, event)));
     }`,
  );
  const world = new HttpWorld();
  const client = createClient({
    url: "http://crews.test",
    fetch: async (url, init) => world.app.request(url, init),
  });
  writeFileSync(`${folder}/edgecrew.d.ts`, await apiTypes(client));
  writeFileSync(
    `${folder}/typed.ts`,
    `import { createClient } from "./dist/src/client/index.js";
     import type { Api } from "./edgecrew.d.ts";
     const client = createClient<Api>();
     export const tea = await client.crews.kickoff("briefing", { inputs: { topic: "tea" } });
     // @ts-expect-error the topic is missing
     export const nothing = await client.crews.kickoff("briefing", { inputs: {} });
     export const stored = await client.crews.kickoff("stored", { inputs: { file: new File([], "a") } });`,
  );
  const compilerOptions = {
    target: "es2023",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ compilerOptions, files: ["page.ts", "typed.ts"] }),
  );
  expect(tsc("-p", folder)).toBe("");
  const foreign = tsc("-p", folder, "--listFilesOnly")
    .split("\n")
    .filter((file) => /node_modules\/(@types|@cloudflare|openai|@anthropic-ai)\//.test(file));
  expect(foreign).toEqual([]);
}, 400_000);

it("the examples of front ends compile beside the types of a browser (CC13)", () => {
  expect(tsc("-p", "test/frontends")).toBe("");
}, 400_000);
