import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runDevServer, type DevServerOptions } from "../../../src/cli/dev-server.ts";
import type { ProgramOptions, Processes, RunningProgram } from "../../../src/cli/processes.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { addressOf } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const FOLDER = projectFolder({
  "wrangler.jsonc": "{}",
  "node_modules/wrangler/package.json": '{"bin":{"wrangler":"bin.js"}}',
  "node_modules/wrangler/bin.js": "",
});

it("DVS4: the switch kills the Worker, which starts again with the same arguments", async () => {
  const clock = new SimulatedClock();
  const started: string[][] = [];
  const signals: string[] = [];
  const startNode = (args: readonly string[]): RunningProgram => {
    started.push(args.slice(1));
    const { promise, resolve } = Promise.withResolvers<number>();
    if (args.includes("migrations")) resolve(0);
    const signal = (name: string): void => {
      signals.push(name);
      resolve(1);
    };
    return { exited: promise, signal };
  };
  const processes: Processes = {
    id: 7,
    parentId: () => 1,
    isFree: () => Promise.resolve(true),
    startNode,
    startProgram: startNode.bind(undefined, []),
  };
  const ended = new AbortController();
  let kill = (): void => undefined;
  let isClosed = false;
  const lines: string[] = [];
  const serving = runDevServer(
    { folder: FOLDER, port: 8787, rest: ["--x"], cron: false, verbose: false },
    {
      processes,
      variables: {},
      fetch: () => Promise.reject(new TypeError("no answer")),
      clock,
      signal: ended.signal,
      show: (line) => lines.push(line),
      onUp: () => undefined,
      openSwitch: async (use) => {
        kill = use;
        return { url: "http://127.0.0.1:1/secret", close: () => (isClosed = true) };
      },
    },
  );
  await clock.settle();
  kill();
  await clock.advance(1000);
  expect(signals).toEqual(["SIGKILL"]);
  const served = started.filter(([word]) => word === "dev");
  expect(served).toHaveLength(2);
  expect(served[1]).toEqual(served[0]);
  expect(served[0]).toContain("EDGECREW_DEV_SWITCH:http://127.0.0.1:1/secret");
  expect(lines.join("\n")).toContain("Starting it again");
  ended.abort();
  await clock.settle();
  expect(await serving).toBe(0);
  expect(signals).toEqual(["SIGKILL", "SIGTERM"]);
  expect(isClosed).toBe(true);
});

it.each([
  ["makes a new database at once", 0, ["execute"]],
  ["applies the migrations one by one after a failure", 1, ["execute", "migrations"]],
])("DVS1: %s", async (_, code, expected) => {
  const folder = projectFolder({
    "wrangler.json": JSON.stringify({ d1_databases: [{ binding: "DB", migrations_dir: "sql" }] }),
    "sql/0001_a.sql": "CREATE TABLE a (id TEXT);",
    "node_modules/wrangler/package.json": '{"bin":{"wrangler":"bin.js"}}',
    "node_modules/wrangler/bin.js": "",
  });
  const started: string[] = [];
  const files: string[] = [];
  const ended = new AbortController();
  const startNode = (args: readonly string[]): RunningProgram => {
    const [, first = "", second = ""] = args;
    started.push(first === "d1" ? second : first);
    const file = args[args.indexOf("--file") + 1];
    if (second === "execute" && file !== undefined) files.push(readFileSync(file, "utf8"));
    if (first === "dev") ended.abort();
    const exited = Promise.resolve(second === "execute" ? code : 0);
    return { exited, signal: () => undefined };
  };
  const processes: Processes = {
    id: 7,
    parentId: () => 1,
    isFree: () => Promise.resolve(true),
    startNode,
    startProgram: startNode.bind(undefined, []),
  };
  await runDevServer(
    { folder, port: 8787, rest: [], cron: false, verbose: false },
    {
      processes,
      variables: {},
      fetch: () => Promise.reject(new TypeError("no answer")),
      clock: new SimulatedClock(),
      signal: ended.signal,
      show: () => undefined,
      onUp: () => undefined,
    },
  );
  expect(started).toEqual([...expected, "dev"]);
  expect(files.join("")).toContain("CREATE TABLE a (id TEXT);");
});

/** A wrangler that prints a text for each start of the Worker. */
function wranglerThat(...texts: readonly string[]) {
  const ports: string[] = [];
  const startNode = (args: readonly string[], { onText }: ProgramOptions): RunningProgram => {
    if (!args.includes("dev")) return { exited: Promise.resolve(0), signal: () => undefined };
    const said = texts[ports.length] ?? "";
    ports.push(args[args.indexOf("--port") + 1] ?? "");
    const { promise, resolve } = Promise.withResolvers<number>();
    onText(`${said}\n`);
    if (said.includes("Address already in use")) resolve(1);
    return { exited: promise, signal: () => resolve(1) };
  };
  const processes: Processes = {
    id: 7,
    parentId: () => 1,
    isFree: (port) => Promise.resolve(port !== 9001),
    startNode,
    startProgram: () => startNode([], { cwd: "", variables: {}, onText: () => undefined }),
  };
  return { ports, processes };
}

const TAKEN = "✘ [ERROR] Address already in use (localhost:9000).\n\ngoroutine 1 [running]:";

function served(
  processes: Processes,
  options: Pick<DevServerOptions, "port"> & Partial<DevServerOptions>,
) {
  const clock = new SimulatedClock();
  const ended = new AbortController();
  const up: string[] = [];
  const steps: string[] = [];
  const serving = runDevServer(
    { folder: FOLDER, rest: [], cron: false, verbose: false, ...options },
    {
      processes,
      variables: {},
      fetch: (url) =>
        addressOf(url).includes("9002")
          ? Promise.resolve(new Response("ok"))
          : Promise.reject(new TypeError("no answer")),
      clock,
      signal: ended.signal,
      show: () => undefined,
      onStep: (step) => void steps.push(step),
      onUp: (url) => void up.push(url),
    },
  );
  serving.catch(() => undefined);
  return { clock, ended, serving, up, steps };
}

it("DVS5: takes the next free port after one that wrangler refuses", async () => {
  const { ports, processes } = wranglerThat(TAKEN, "Ready on http://localhost:9002");
  const { clock, ended, serving, up } = served(processes, { port: { first: 9000, last: 9009 } });
  await clock.advance(1_000);
  expect([ports, up]).toEqual([["9000", "9002"], ["http://localhost:9002"]]);
  ended.abort();
  await clock.settle();
  expect(await serving).toBe(0);
});

it("DVS5: refuses a chosen port that is taken, and a range without a free one", async () => {
  const { processes } = wranglerThat(TAKEN, TAKEN);
  for (const [port, message] of [
    [9000, "port 9000 is taken"],
    [{ first: 9000, last: 9001 }, "the ports 9000 to 9001 are all taken"],
  ] as const) {
    const { clock, serving } = served(processes, { port });
    await clock.advance(1_000);
    await expect(serving).rejects.toThrow(message);
  }
});

it.each([
  [true, "the Worker does not start on this machine: desk has no tasks"],
  [false, undefined],
])("DVS6: fails at a fault of the code for a command alone: %s", async (forCommand, expected) => {
  const { processes } = wranglerThat(
    "✘ [ERROR] service core:user:desk: Uncaught Error: desk has no tasks",
  );
  const { clock, ended, serving } = served(processes, { port: 9000, forCommand });
  await clock.advance(2_000);
  ended.abort();
  await clock.settle();
  const outcome = await serving.catch((error: Error) => error.message);
  expect(outcome).toBe(expected ?? 0);
});

it("reports each step of a start once", async () => {
  const { processes } = wranglerThat(
    [
      "[custom build] Running: edgecrew build",
      "Your Worker has access to the following bindings:",
      "⎔ Starting local server...",
      "Your Worker has access to the following bindings:",
    ].join("\n"),
  );
  const { clock, ended, serving, steps } = served(processes, { port: 9002 });
  await clock.advance(1_000);
  ended.abort();
  await clock.settle();
  await serving;
  expect(steps).toEqual([
    "Preparing the local database",
    "Starting wrangler",
    "Building the definitions",
    "Bundling the Worker",
    "Starting its runtime",
  ]);
});
