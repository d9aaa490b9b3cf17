// What a Worker with crews alone and that of the examples weigh (minified, gzip), and what the start of the latter costs.
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

console.log(`a Worker with crews alone: ${weigh("examples/crews-worker.ts")} (at most 350 KiB)`);
console.log(`the examples' Worker, with flows: ${weigh("examples/worker.ts")}`);

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

/** Bundles a Worker as a deployment would. */
function weigh(script: string): string {
  const out = `${folder}/${script.replaceAll("/", "-")}`;
  run("deploy", script, "--dry-run", "--minify", "--outdir", out);
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.m?js$/.test(name),
  );
  const sizes = files.map((name) => gzipSync(readFileSync(`${out}/${name}`)).length);
  const kib = sizes.reduce((sum, size) => sum + size, 0) / 1024;
  return `${kib.toFixed(1)} KiB gzip in ${files.length} file(s)`;
}
