// Builds the console's pages into dist/console-root/console, unless the existing ones have the same sources.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeConsoleRoot } from "./console-root.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = `${root}dist/console-root/console`;
const mark = `${root}dist/console-root/.sources`;

/** Sources of the pages: their own files, the imported parts of the client, and the versions of packages. */
const SOURCES = [
  "console/**/*.{ts,tsx,css,html,svg,json}",
  "src/client/**/*.ts",
  "src/base/**/*.ts",
  "src/{events,journal,runtime}/*.ts",
  "src/triggers/delivery-store.ts",
  "src/wire/node-states.ts",
  "package-lock.json",
  "scripts/console-pages.ts",
];

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted())
    hash.update(`${path}\n`).update(readFileSync(root + path));
  return hash.digest("hex");
}

/** True when the pages were built, false when they were up to date. Calls `onBuild` before a build. */
export async function buildConsolePages(onBuild?: () => void): Promise<boolean> {
  makeConsoleRoot();
  const sources = fingerprint();
  const isBuilt = existsSync(`${built}/index.html`) && existsSync(mark);
  if (isBuilt && readFileSync(mark, "utf8") === sources) return false;
  onBuild?.();
  const { build } = await import("vite"); // only where something is to be built
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production"; // tests have another, which would build React's development code
  try {
    await build({ configFile: `${root}console/vite.config.ts`, logLevel: "error" });
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
  writeFileSync(mark, sources);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wasBuilt = await buildConsolePages();
  console.log(wasBuilt ? "the console's pages are built" : "the console's pages are up to date");
}
