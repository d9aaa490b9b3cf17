import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runDevServer } from "../../../src/cli/dev-server.ts";
import type { Processes, RunningProgram } from "../../../src/cli/processes.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
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
