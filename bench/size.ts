// What the default Worker weighs (minified, gzip) and what its start costs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;
const folder = mkdtempSync(`${tmpdir()}/edgecrew-size-`);
const run = (...args: string[]): string =>
  execFileSync(process.execPath, [wrangler, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

run("deploy", "--dry-run", "--minify", "--outdir", folder);
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  /\.m?js$/.test(name),
);
const sizes = files.map((name) => gzipSync(readFileSync(`${folder}/${name}`)).length);
console.log(
  `the Worker: ${(sizes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(0)} KiB gzip in ${files.length} file(s) (at most 350)`,
);

const profile = `${folder}/startup.cpuprofile`;
run("check", "startup", "--outfile", profile);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(profile, "utf8")) as {
  nodes: ReadonlyArray<{ id: number; callFrame: { functionName: string } }>;
  samples: readonly number[];
  timeDeltas: readonly number[];
};
const idle = new Set(
  nodes.filter((node) => node.callFrame.functionName === "(idle)").map((node) => node.id),
);
const activeUs = samples.reduce(
  (sum, id, index) => sum + (idle.has(id) ? 0 : (timeDeltas[index] ?? 0)),
  0,
);
console.log(`its start: ${(activeUs / 1000).toFixed(0)} ms of CPU (at most 60)`);
rmSync(folder, { recursive: true, force: true });
