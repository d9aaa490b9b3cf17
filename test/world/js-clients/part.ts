// SDKs and front ends of others, unchanged and with their defaults, call a Worker that speaks every protocol.
import { mapAtMost } from "../../../src/base/concurrency.ts";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";
import { runCommand } from "../needs/command.ts";
import type { Need } from "../needs/need.ts";
import { npmPackages } from "../needs/npm-packages.ts";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { askingServer } from "./asking-server.ts";
import { callsIn, isWhole, sortCalls, type Call } from "./calls.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Key of the Worker. */
export const KEY = "admin-key-of-the-world-0123456789";
/** Tokens of push notifications are kept encrypted with it. */
const SECRETS_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";
const PROGRAM_LIMIT_MS = 500_000;

// Pins of front ends contradict each other's peers, and one of the packages reports its installation to its maker.
const FLAGS = ["--legacy-peer-deps", "--ignore-scripts"];
const packages = npmPackages({
  name: "js-clients-npm",
  what: "OpenAI, AI SDK, LangChain, Agents SDK, MCP, AG-UI and A2A for JavaScript",
  folder: new URL("./node/", import.meta.url),
  flags: FLAGS,
  seconds: 30,
  megabytes: 260,
});
const copilotKit = npmPackages({
  name: "js-copilotkit-npm",
  what: "CopilotKit's core and runtime",
  folder: new URL("./copilotkit/", import.meta.url),
  flags: FLAGS,
  seconds: 40,
  megabytes: 300,
});

/** A program, with the packages that it finds beside itself. */
type Program = {
  readonly need: Need;
  /** Number of its first crew: each program counts the runs of crews of its own. */
  readonly crews: number;
};

/** The programs, the longest first. In a slice, most run with the newest version of their SDK alone. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  openai: { need: packages, crews: 0 },
  "ai-sdk": { need: packages, crews: 6 },
  mcp: { need: packages, crews: 39 },
  "ag-ui": { need: packages, crews: 39 },
  langchain: { need: packages, crews: 20 },
  a2a: { need: packages, crews: 39 },
  copilotkit: { need: copilotKit, crews: 39 },
  "agents-sdk": { need: packages, crews: 24 },
};
const COPILOTKIT_FILES = ["copilotkit.ts", "check.ts", "tsconfig.json"];
/** Beside each other: more would wait for one Worker. */
const LANES = 2;

export const part: WorldPart = {
  name: "js-clients",
  title: "SDKs and front ends in JavaScript",
  needs: [packages, copilotKit],
  sliceNeeds: [packages],
  sliceSeconds: 180,
  wholeSeconds: 2_400,
  async run(context): Promise<PartResult> {
    const url = await startWorker(context);
    const needs = context.slice ? [packages] : [packages, copilotKit];
    const folders = new Map(needs.map((need) => [need, copyPrograms(need, context)]));
    const calls: Call[] = [];
    const failures: PartFailure[] = [];
    const programs = Object.entries(PROGRAMS).filter(([, { need }]) => folders.has(need));
    const types = context.slice
      ? undefined
      : mapAtMost([...folders.values()], 1, async (folder) => calls.push(await compiled(folder)));
    await mapAtMost(programs, LANES, async ([name, { need, crews }]) => {
      const folder = folders.get(need) ?? "";
      const output = await runProgram(name, { ...context, folder, crews, url });
      const own = callsIn(output);
      context.say(`${name}: ${own.filter(({ ok }) => ok).length} of ${own.length} hold`);
      calls.push(...own);
      if (!isWhole(output))
        failures.push({ id: name, message: `ended early: see ${name}.txt\n${output.slice(-800)}` });
    });
    await types;
    const asked = await askingServer(context.folders[packages.name] ?? "", context);
    context.say(
      `server-everything: ${asked.filter(({ ok }) => ok).length} of ${asked.length} hold`,
    );
    calls.push(...asked);
    const sorted = sortCalls(calls);
    return {
      upstream:
        "openai 7.59 and 4.104, ai 7.0 and 5.0, @langchain/openai 1.6, @openai/agents 0.20, " +
        "@modelcontextprotocol/sdk 1.32 and 1.12, @modelcontextprotocol/client 2.4, @ag-ui/client 1.0 and 0.0.59, " +
        "@modelcontextprotocol/server-everything 2026.8, @a2a-js/sdk 1.3 and 0.3, CopilotKit 1.75",
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

/** Copies programs to the packages of this need: they find them beside themselves. */
function copyPrograms(need: Need, { folders }: PartContext): string {
  const source = fileURLToPath(new URL("program/", import.meta.url));
  const folder = join(folders[need.name] ?? "", "program");
  mkdirSync(folder, { recursive: true });
  const own = (file: string): boolean => (PROGRAMS[parse(file).name]?.need ?? need) === need;
  const files = need === packages ? readdirSync(source).filter(own) : COPILOTKIT_FILES;
  for (const file of files) copyFileSync(join(source, file), join(folder, file));
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
  {
    folder,
    crews,
    url,
    slice,
    scratch,
  }: PartContext & { readonly folder: string; readonly crews: number; readonly url: string },
): Promise<string> {
  const args = [join(folder, `${name}.ts`), url, KEY, String(crews), slice ? "slice" : ""];
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
