// Runs the conformance suite of MCP against a Worker: `node test/conformance/run-mcp.ts [--url http://localhost:8799/mcp]`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const suite = `${root}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** The revisions that the suite has requirements for. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** What came of one check. */
export type Check = {
  readonly revision: string;
  readonly scenario: string;
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly message?: string;
};

/** Runs what a revision requires, and what it runs beside without counting it. */
export async function runSuite(url: string, revision: string): Promise<readonly Check[]> {
  const folder = mkdtempSync(`${tmpdir()}/edgecrew-mcp-`);
  try {
    const child = spawn(
      process.execPath,
      [suite, "server", "--url", url, "--requirements", revision, "--output-dir", folder],
      { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
    );
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
    await once(child, "close");
    const checks = checksIn(folder, revision);
    if (checks.length === 0) throw new Error(`the suite told nothing:\n${output.join("")}`);
    return checks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the Worker; with a port, under that one. */
export async function startWorker(
  port?: number,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-conformance-`);
  const options = {
    cwd: root,
    config: "test/conformance/wrangler.toml",
    persistTo,
    ...(port === undefined ? undefined : { port }),
  };
  migrate(options);
  const worker = await WranglerDev.start(options);
  return {
    url: worker.url,
    stop: async () => {
      await worker.kill();
      rmSync(persistTo, { recursive: true, force: true });
    },
  };
}

function checksIn(folder: string, revision: string): readonly Check[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("checks.json"),
  );
  return files.flatMap((name) => {
    const scenario = /server-(.*?)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1] ?? name;
    const checks = JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as ReadonlyArray<
      Pick<Check, "id" | "status"> & { readonly errorMessage?: string }
    >;
    return checks.map(({ id, status, errorMessage }) => ({
      revision,
      scenario,
      id,
      status,
      ...(errorMessage === undefined ? undefined : { message: errorMessage }),
    }));
  });
}

/** Passed and failed scenarios and checks, in words. */
export function summary(checks: readonly Check[]): string {
  const failed = checks.filter(({ status }) => status === "FAILURE");
  const scenarios = new Set(checks.map(({ scenario }) => scenario));
  const bad = new Set(failed.map(({ scenario }) => scenario));
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const others = checks.filter(({ status }) => status !== "SUCCESS" && status !== "FAILURE");
  return [
    `${checks[0]?.revision}: ${scenarios.size - bad.size} of ${scenarios.size} scenarios, ${passed} checks passed, ${failed.length} failed, ${others.length} neither`,
    ...checks
      .filter(({ status }) => status === "FAILURE" || status === "WARNING")
      .map(({ scenario, id, status, message = "" }) => `  ${status} ${scenario}:${id} ${message}`),
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url) && existsSync(suite)) {
  const at = process.argv.indexOf("--url");
  const given = at < 0 ? undefined : process.argv[at + 1];
  const worker = given === undefined ? await startWorker() : undefined;
  try {
    for (const revision of REVISIONS)
      console.log(summary(await runSuite(given ?? `${worker?.url}/mcp`, revision)));
  } finally {
    await worker?.stop();
  }
}
