// What Workers weigh (minified, gzip), and what their start costs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { makeConsoleRoot } from "../scripts/console-root.ts";

makeConsoleRoot();
const root = fileURLToPath(new URL("..", import.meta.url));
const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;
const temporary = mkdtempSync(`${tmpdir()}/edgecrew-size-`);
const run = (...args: string[]): string =>
  execFileSync(process.execPath, [wrangler, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Of what `wrangler deploy` would upload. */
function kibibytesOf(config: string): number {
  const folder = `${temporary}/${config.replaceAll("/", "-")}`;
  run("deploy", "--config", config, "--dry-run", "--minify", "--outdir", folder);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.m?js$/.test(name),
  );
  const sizes = files.map((name) => gzipSync(readFileSync(`${folder}/${name}`)).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Milliseconds of CPU, of this machine's. */
function startOf(config: string): number {
  const profile = `${temporary}/startup.cpuprofile`;
  run("check", "startup", `--args=--config ${config}`, "--outfile", profile);
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
  return activeUs / 1000;
}

const CREWS = "bench/crews-alone.toml";
const WHOLE = "wrangler.toml";
const crews = kibibytesOf(CREWS);
const whole = kibibytesOf(WHOLE);
console.log(`a Worker of crews alone: ${crews.toFixed(0)} KiB gzip (at most 391)`);
console.log(
  `the default Worker, with everything that there is: ${whole.toFixed(0)} KiB gzip, ${(whole - crews).toFixed(1)} more`,
);
console.log(`start of the former: ${startOf(CREWS).toFixed(0)} ms of CPU`);
console.log(`start of the latter: ${startOf(WHOLE).toFixed(0)} ms of CPU`);
rmSync(temporary, { recursive: true, force: true });
