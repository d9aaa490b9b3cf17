// SDKs and front ends of others, unchanged and with their defaults, call a Worker that speaks every protocol.
import { mapAtMost } from "../../../src/base/concurrency.ts";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";
import { runCommand } from "../needs/command.ts";
import { npmPackages } from "../needs/npm-packages.ts";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { callsIn, isWhole, sortCalls, type Call } from "./calls.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Key of the Worker. */
export const KEY = "admin-key-of-the-world-0123456789";
/** Tokens of push notifications are kept encrypted with it. */
const SECRETS_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";
const PROGRAM_LIMIT_MS = 500_000;

const packages = npmPackages({
  name: "js-clients-npm",
  what: "OpenAI, AI SDK, LangChain, Agents SDK, MCP, AG-UI, A2A and CopilotKit for JavaScript",
  folder: new URL("./node/", import.meta.url),
  // Pins of front ends contradict each other's peers, and one of the packages reports its installation to its maker.
  flags: ["--legacy-peer-deps", "--ignore-scripts"],
  seconds: 60,
  megabytes: 480,
});

/** The programs; each has crews of its own whose runs it counts, from this number on. */
const PROGRAMS: Readonly<Record<string, number>> = {
  openai: 0,
  "ai-sdk": 6,
  mcp: 39,
  "ag-ui": 39,
  langchain: 20,
  a2a: 39,
  copilotkit: 39,
  "agents-sdk": 24,
};
/** Programs of the slice, each with the newest version of its SDK. Browsers' protocols have suites of their own there. */
const SLICE: readonly string[] = ["openai", "mcp", "langchain", "agents-sdk"];
/** Beside each other: more would wait for one Worker. */
const LANES = 2;

export const part: WorldPart = {
  name: "js-clients",
  title: "SDKs and front ends in JavaScript",
  needs: [packages],
  wholeSeconds: 2_400,
  async run(context): Promise<PartResult> {
    const url = await startWorker(context);
    const folder = copyPrograms(context.folders[packages.name] ?? "");
    const calls: Call[] = [];
    const failures: PartFailure[] = [];
    const names = context.slice ? SLICE : Object.keys(PROGRAMS);
    const types = context.slice
      ? undefined
      : compiled(folder).then((call) => void calls.push(call));
    await mapAtMost(names, LANES, async (name) => {
      const output = await runProgram(name, { ...context, folder, url });
      const own = callsIn(output);
      context.say(`${name}: ${own.filter(({ ok }) => ok).length} of ${own.length} hold`);
      calls.push(...own);
      if (!isWhole(output))
        failures.push({ id: name, message: `ended early: see ${name}.txt\n${output.slice(-800)}` });
    });
    await types;
    const sorted = sortCalls(calls);
    return {
      upstream:
        "openai 7.59 and 4.104, ai 7.0 and 5.0, @langchain/openai 1.6, @openai/agents 0.20, " +
        "@modelcontextprotocol/sdk 1.32 and 1.12, @modelcontextprotocol/client 2.4, @ag-ui/client 1.0 and 0.0.59, " +
        "@a2a-js/sdk 1.3 and 0.3, CopilotKit 1.75",
      tried: calls.length,
      passed: sorted.passed,
      differences: sorted.known,
      failures: [...failures, ...sorted.failures],
    };
  },
};

/** Starts the Worker that speaks every protocol. */
export async function startWorker({ scratch, atEnd }: PartContext): Promise<string> {
  const options = {
    cwd: root,
    config: "test/world/js-clients/wrangler.toml",
    persistTo: join(scratch, "state"),
    vars: { EDGECREW_ADMIN_KEY: KEY, EDGECREW_SECRETS_KEY: SECRETS_KEY },
  };
  migrate(options);
  const worker = await WranglerDev.start(options);
  atEnd(() => worker.kill());
  return worker.url;
}

/** Programs find their packages beside themselves. */
function copyPrograms(installed: string): string {
  const source = fileURLToPath(new URL("program/", import.meta.url));
  const folder = join(installed, "program");
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(source)) copyFileSync(join(source, file), join(folder, file));
  return folder;
}

/** Compiles the programs with the packages' own types. */
async function compiled(folder: string): Promise<Call> {
  const call = { client: "all of them", name: "types" };
  const args = [join(root, "node_modules/typescript/bin/tsc"), "--project", folder];
  return runCommand(process.execPath, args, { timeoutMs: PROGRAM_LIMIT_MS }).then(
    () => ({ ...call, ok: true }),
    (error: unknown) => ({ ...call, ok: false, said: String(error) }),
  );
}

/** Returns the output of a program, also of one that was stopped or failed. */
async function runProgram(
  name: string,
  { folder, url, slice, scratch }: PartContext & { readonly folder: string; readonly url: string },
): Promise<string> {
  const args = [join(folder, `${name}.ts`), url, KEY, String(PROGRAMS[name]), slice ? "slice" : ""];
  const output = await runCommand(process.execPath, args, {
    timeoutMs: PROGRAM_LIMIT_MS,
    env: {
      COPILOTKIT_TELEMETRY_DISABLED: "true",
      DO_NOT_TRACK: "1",
      LANGCHAIN_TRACING_V2: "false",
    },
  }).catch((error: unknown) => String(error));
  writeFileSync(join(scratch, `${name}.txt`), output);
  return output;
}
