// What tools of the catalogue weigh (minified, gzip, libraries left out), and what a call and the whole catalogue cost in CPU time.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}/src/tools/catalog`;
const OWN = `
  import * as z from "zod";
  import { tool } from "./src/index.ts";
  import { defineApp } from "./src/worker.ts";
  export { knowledge } from "./src/entry/knowledge.ts";
  export { defineApp };
  export const own = tool({ name: "own", description: "Own.", input: z.object({ q: z.string() }), run: () => "" });
`;

/** Of a module of these lines, in bytes. */
async function bytesOf(lines: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: lines, resolveDir: root, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    logLevel: "error",
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "import"],
    packages: "external",
    external: ["cloudflare:*"],
    treeShaking: true,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
// Beside an app with one tool of its own and knowledge, which has the engine, the guard of addresses and readers already.
const own = await bytesOf(OWN);
const BASE = `${OWN}
  import { catalogTool, httpTool } from "./src/tools/catalog/base/catalog-tool.ts";
  import { searchResult } from "./src/tools/catalog/base/results.ts";
  export { catalogTool, httpTool, searchResult };
`;
const base = await bytesOf(BASE);
console.log(`the base that tools of the catalogue share: ${kib(base - own)} (at most 6)`);

const sizes: { readonly file: string; readonly bytes: number }[] = [];
for (const vendor of readdirSync(folder, { withFileTypes: true })) {
  if (!vendor.isDirectory() || vendor.name === "base") continue;
  for (const file of readdirSync(`${folder}/${vendor.name}`)) {
    const path = `${folder}/${vendor.name}/${file}`;
    if (file === "index.ts" || !file.endsWith(".ts")) continue;
    const module = (await import(path)) as Record<string, unknown>;
    const names = Object.keys(module).filter((name) => isTool(module[name]));
    if (names.length === 0) continue;
    const lines = `${BASE}\nexport { ${names.join(", ")} } from ${JSON.stringify(path)};`;
    sizes.push({
      file: `${vendor.name}/${file}`,
      bytes: ((await bytesOf(lines)) - base) / names.length,
    });
  }
}
const heaviest = sizes.toSorted((a, b) => b.bytes - a.bytes);
const sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
console.log(
  `${sizes.length} files of tools, ${kib(sum / sizes.length)} each on average; the heaviest (at most 3.0):`,
);
for (const { file, bytes } of heaviest.slice(0, 8)) console.log(`  ${file}: ${kib(bytes)}`);
const whole = await bytesOf(
  `${OWN}\nexport { toolCatalog } from ${JSON.stringify(`${folder}/tool-catalog.ts`)};`,
);
console.log(`the whole catalogue: ${kib(whole - own)} (at most 80)`);

const { toolCatalog } = await import("../src/tools/catalog/tool-catalog.ts");
const before = process.cpuUsage();
const catalog = toolCatalog();
const { user, system } = process.cpuUsage(before);
console.log(
  `making the catalogue: ${((user + system) / 1000).toFixed(2)} ms of CPU (at most 5), ${catalog.nearest("x").length > 0 ? "" : "empty"}`,
);

function isTool(value: unknown): boolean {
  return typeof value === "function" && "entry" in value;
}
