// Front ends over AG-UI in Chromium: the examples of CopilotKit and assistant-ui before a real Worker.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromiumPath, launchChromium } from "../../support/chromium.ts";
import { freePort } from "../../support/free-port.ts";
import { KEY, startWorker } from "../js-clients/part.ts";
import { npmPackages } from "../needs/npm-packages.ts";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { CHECKS } from "./checks.ts";
import { FrontEnds, type Page } from "./page.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const AGENTS = "clerk,teller,counter,reviewed";

const packages = npmPackages({
  name: "front-ends-npm",
  what: "CopilotKit and assistant-ui with their AG-UI clients",
  folder: new URL("./node/", import.meta.url),
  // One of the packages reports its installation to its maker, and peers of others contradict each other.
  flags: ["--legacy-peer-deps", "--ignore-scripts"],
  seconds: 160,
  megabytes: 800,
});

export const part: WorldPart = {
  name: "front-ends",
  title: "Front ends over AG-UI in Chromium",
  needs: [packages],
  wholeSeconds: 600,
  async run(context): Promise<PartResult> {
    const path = chromiumPath();
    if (path === undefined) throw new Error("there is no Chromium");
    const folder = context.folders[packages.name] ?? "";
    const worker = await startWorker(context);
    const browser = await launchChromium(path);
    context.atEnd(() => browser.close());
    const pages = new FrontEnds(browser, KEY);
    const origins = {
      copilotkit: await startRuntime(context, folder, worker),
      "assistant-ui": worker,
    } as const;
    const failures: PartFailure[] = [];
    let tried = 0;
    for (const [name, origin] of Object.entries(origins)) {
      const scripts = await bundled(folder, name);
      for (const [title, check] of Object.entries(CHECKS)) {
        tried++;
        const open = (agent: string): Promise<Page> => pages.open({ origin, scripts, agent });
        await check(open).catch((error: unknown) => {
          failures.push({ id: `${name}: ${title}`, message: String(error) });
        });
        await pages.close();
      }
      context.say(`${name}: ${tried - failures.length} of ${tried} hold`);
    }
    return {
      upstream: "CopilotKit 1.74 and assistant-ui 0.15 with @ag-ui/client 0.0.59",
      tried,
      passed: tried - failures.length,
      differences: {},
      failures,
    };
  },
};

/** Copies a file of an example beside its packages. */
function placed(folder: string, name: string, file: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, file);
  copyFileSync(join(root, "examples/frontends", name, file), path);
  return path;
}

/** Bundles the page of an example; returns its files by path. */
async function bundled(folder: string, name: string): Promise<ReadonlyMap<string, string>> {
  const outdir = join(folder, name, "out");
  const { outputFiles } = await build({
    entryPoints: [placed(folder, name, "app.tsx")],
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".css": "empty", ".woff": "empty", ".woff2": "empty", ".ttf": "empty" },
    external: ["mermaid", "shiki"], // drawn by nothing here, and two thirds of all
    outdir,
    write: false,
    logLevel: "silent",
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(outdir.length), text]));
}

/** Starts the runtime of CopilotKit's example; returns its origin. */
async function startRuntime(
  { atEnd, signal }: PartContext,
  folder: string,
  worker: string,
): Promise<string> {
  const port = await freePort();
  const runtime = spawn(process.execPath, [placed(folder, "copilotkit", "server.ts")], {
    stdio: "ignore",
    env: {
      ...process.env,
      AGENTS,
      EDGECREW_KEY: KEY,
      EDGECREW_URL: worker,
      PORT: String(port),
      COPILOTKIT_TELEMETRY_DISABLED: "true",
      DO_NOT_TRACK: "1",
    },
  });
  atEnd(() => void runtime.kill("SIGKILL"));
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    const up = await fetch(`${origin}/api/copilotkit/info`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return origin;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
