// The command line follows a run whose server is killed with SIGKILL and started again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { systemClock } from "../../src/base/system.ts";
import { nodeProcesses } from "../../src/cli/node-processes.ts";
import { main } from "../../src/cli/main.ts";
import type { Sink } from "../../src/cli/output.ts";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const MODEL_DELAY_MS = 1_500;

let models: Awaited<ReturnType<typeof startModelServer>>;
let dev: WranglerDev;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-cli-crash-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };

beforeAll(async () => {
  models = await startModelServer({ reply: script });
  migrate(project);
  dev = await start();
});

afterAll(async () => {
  await dev.kill();
  await models.stop();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

it("FLW4: goes on with its rows, and ends with 0 (CL11)", async () => {
  const screen = terminal({ columns: 100, rows: 24 });
  const lines = terminal();
  const followed = follow("run survivor --input topic=tea --id killed-1", screen);
  await vi.waitFor(() => expect(models.calls.length).toBeGreaterThan(0), { timeout: 30_000 });
  const watched = follow("runs watch killed-1", lines);
  await vi.waitFor(() => expect(lines.err()).toContain("gather works"), { timeout: 30_000 });
  await dev.kill();
  await vi.waitFor(() => expect(lines.err()).toContain("the connection was lost"), {
    timeout: 10_000,
  });
  dev = await start(new URL(dev.url).port);

  expect([await followed, await watched]).toEqual([0, 0]);
  expect(screen.out()).toBe("The text.\n");
  expect(lines.out()).toBe("The text.\n");
  const told = lines.err().split("\n");
  for (const name of ["gather", "aside", "write"]) {
    expect(told.filter((line) => new RegExp(`^\\d.*s ${name} works`).test(line))).not.toEqual([]);
    expect(told.filter((line) => new RegExp(`^\\d.*s ${name} done`).test(line))).toHaveLength(1);
  }
  expect(lines.err()).toContain("begun again after a crash");
  expect(screen.err()).toContain("the connection was lost");
  const last = screen.err().split("\u001b[0J").at(-1) ?? "";
  expect(last).toMatch(/^survivor {2}completed[^]*✓ gather[^]*✓ aside[^]*✓ write/);
});

function follow(line: string, { stdout, stderr }: ReturnType<typeof terminal>): Promise<number> {
  return main(line.split(" "), {
    cwd: persistTo,
    variables: { EDGECREW_URL: dev.url, XDG_CONFIG_HOME: persistTo },
    stdout,
    stderr,
    stdin: { isTerminal: false, read: () => Promise.resolve("") },
    fetch,
    clock: systemClock,
    signal: new AbortController().signal,
    prompter: () => Promise.reject(new Error("nobody is here")),
    processes: nodeProcesses,
    version: "0.0.0",
  });
}

function terminal(size?: { readonly columns: number; readonly rows: number }) {
  const written = { out: "", err: "" };
  const sink = (name: "out" | "err"): Sink => ({
    write: (text) => void (written[name] += text),
    isTerminal: size !== undefined,
    ...size,
  });
  return {
    stdout: sink("out"),
    stderr: sink("err"),
    out: () => written.out,
    err: () => written.err,
  };
}

function start(port?: string): Promise<WranglerDev> {
  return WranglerDev.start({
    ...project,
    vars: { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "test" },
    ...(port === undefined ? undefined : { port: Number(port) }),
  });
}

function script({ messages }: ServedRequest): ServedReply {
  const text = JSON.stringify(messages).includes("Write about") ? "The text." : "Facts.";
  return { delayMs: MODEL_DELAY_MS, text };
}
