// The official kit of A2A against the conformance agent under `wrangler dev`, over JSON-RPC and HTTP+JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { pythonEnvironment, pythonOf } from "../needs/python-environment.ts";
import { repository } from "../needs/repository.ts";
import type { PartContext, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { ACCEPTED_CHECKS } from "./accepted.ts";
import { readChecks, type Check } from "./checks.ts";
import { isExpectedSkip } from "./skips.ts";
import { startConformanceAgent } from "./start-agent.ts";

const COMMIT = "357c4a87afa2818731590647cccbea31c31733a2";

const kit = repository({
  name: "a2a-kit",
  what: "The official kit of A2A 1.0",
  address: "https://github.com/a2aproject/a2a-tck",
  commit: COMMIT,
  variable: "EDGECREW_WORLD_A2A_TCK",
  seconds: 30,
  megabytes: 30,
});
const python = pythonEnvironment({
  name: "a2a-kit-python",
  what: "The packages that the kit of A2A needs",
  requirements: new URL("../requirements/a2a-kit.txt", import.meta.url),
  seconds: 20,
  megabytes: 120,
});

/** Each of its checks waits ten seconds for a stream that stays open, as the specification has it. */
const SLOW = "tests/compatibility/core_operations/test_multi_stream.py";

export const part: WorldPart = {
  name: "a2a-kit",
  title: "A2A's official kit, JSON-RPC and HTTP+JSON",
  needs: [kit, python],
  sliceSeconds: 150,
  wholeSeconds: 400,
  async run(context) {
    const { say, atEnd, folders } = context;
    const agent = await startConformanceAgent();
    atEnd(agent.stop);
    const checkout = `${folders[kit.name] ?? ""}/checkout`;
    const checks = await runKit(context, { checkout, url: agent.url });
    const tried = checks.filter((check) => !isExpectedSkip(check));
    const differences = tried.map((check) => ({
      id: check.id,
      differences: check.outcome === "passed" ? [] : [check],
    }));
    say(`${checks.length - tried.length} checks do not apply: ${summary(checks)}`);
    return {
      upstream: `a2a-tck 1.0-dev ${COMMIT.slice(0, 7)}`,
      tried: tried.length,
      ...explain(differences, ACCEPTED_CHECKS, ({ outcome, message }) => `${outcome}: ${message}`),
    };
  },
};

async function runKit(
  { folders, scratch, slice, signal }: PartContext,
  { checkout, url }: { readonly checkout: string; readonly url: string },
): Promise<readonly Check[]> {
  const report = `${scratch}/checks.xml`;
  const settings = "--tb=short --durations=8 -p no:cacheprovider --transport=jsonrpc,http_json";
  const args = [
    ...`-m pytest tests/compatibility/ -q ${settings}`.split(" "),
    `--sut-host=${url}`,
    `--junitxml=${report}`,
    ...(slice ? [`--ignore=${SLOW}`] : []),
  ];
  const child = spawn(pythonOf(folders[python.name] ?? ""), args, {
    cwd: checkout,
    env: { ...process.env, PYTHONPATH: checkout, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const log = createWriteStream(`${scratch}/kit.log`);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  await once(child, "close");
  if (!existsSync(report)) throw new Error(`the kit wrote no report: see ${scratch}/kit.log`);
  return readChecks(readFileSync(report, "utf8"));
}

function summary(checks: readonly Check[]): string {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of checks) counts[outcome]++;
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}
