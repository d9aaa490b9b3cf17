// Python SDKs of others, with their defaults, against a Worker of ours: each in its newest version and in an older one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pythonEnvironment } from "../needs/python-environment.ts";
import type { Need } from "../needs/need.ts";
import type { PartContext, PartResult, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { runPython } from "../support/run-python.ts";
import { ACCEPTED_CHECKS } from "./accepted.ts";
import { readChecks, SDKS, type Check } from "./checks.ts";
import { startWorker } from "./worker-process.ts";

const newest = pythonEnvironment({
  name: "python-sdks-newest",
  what: "openai 3.57, openai-agents, pydantic-ai, langchain-openai, litellm, mcp 2.3 and ag-ui-protocol 1.0",
  requirements: new URL("../requirements/python-sdks-newest.txt", import.meta.url),
  seconds: 40,
  megabytes: 600,
});
const older = pythonEnvironment({
  name: "python-sdks-older",
  what: "openai 1.109, and the same packages as they were in late 2025",
  requirements: new URL("../requirements/python-sdks-older.txt", import.meta.url),
  seconds: 40,
  megabytes: 500,
});

/** SDKs of a slice: each speaks another protocol. */
const SLICE: readonly (typeof SDKS)[number][] = ["openai", "mcp", "ag_ui"];

export const part: WorldPart = {
  name: "python-sdks",
  title: "Python SDKs of OpenAI, MCP, AG-UI and frameworks on them",
  needs: [newest, older],
  wholeSeconds: 3_000,
  async run(context): Promise<PartResult> {
    const url = await startWorker(context);
    const checks: Check[] = [];
    for (const environment of context.slice ? [newest] : [newest, older])
      for (const sdk of context.slice ? SLICE : SDKS) {
        const made = await runSdk(sdk, { context, environment, url });
        context.say(
          `${environment.name} ${sdk}: ${made.filter(({ ok }) => ok).length} of ${made.length}`,
        );
        checks.push(...made);
      }
    return {
      upstream: "openai 3.57.0 and 1.109.1, mcp 2.3.0 and 1.30.0, and five more",
      tried: checks.length,
      ...explain(
        checks.map((check) => ({ id: check.id, differences: check.ok ? [] : [check] })),
        ACCEPTED_CHECKS,
        ({ said }) => said,
      ),
    };
  },
};

type Running = {
  readonly context: PartContext;
  readonly environment: Need;
  readonly url: string;
};

/** Runs the checks of one SDK in a process of its own. */
async function runSdk(
  sdk: string,
  { context, environment, url }: Running,
): Promise<readonly Check[]> {
  const output = join(context.scratch, `${environment.name}-${sdk}.txt`);
  const code = await runPython({
    environment: context.folders[environment.name] ?? "",
    script: new URL(`calls/${sdk}_sdk.py`, import.meta.url),
    args: [url],
    // No SDK asks the network for prices, nor sends traces.
    env: {
      OPENAI_API_KEY: "none",
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
    cwd: context.scratch,
    output,
    signal: context.signal,
  });
  const version = environment.name.replace("python-sdks-", "");
  const checks = readChecks(readFileSync(output, "utf8"), `${version} ${sdk}`);
  if (code === 0 && checks.length > 0) return checks;
  const said = readFileSync(`${output}.err`, "utf8").slice(-1_500);
  return [
    ...checks,
    { id: `${version} ${sdk} ended`, ok: false, said: `exit code ${code}: ${said}` },
  ];
}
