// `edgecrew dev` of a project, as a person at a shell has it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { addFiles } from "../support/project-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "src/cli/edgecrew.ts");

const WORKER = `
import { Agent, Crew, Task } from "edgecrew";
import { triggers } from "edgecrew/triggers";
import { defineApp } from "edgecrew/worker";

const agent = new Agent({ role: "Clerk", goal: "Answer", backstory: "The shop opens at nine." });
const desk = new Crew({ name: "desk", tasks: [new Task({ description: "Answer {question}", expectedOutput: "A line", agent })] });
const target = { kind: "crew", name: "desk" } as const;
const inputs = { question: "When do you open?" };
const app = defineApp({ crews: { desk }, parts: [], triggers: triggers({ schedules: { tick: { cron: "* * * * *", target, inputs } } }) });
export default app;
export const { CrewRun } = app.durableObjects;
`;

const CONFIG = {
  name: "desk",
  main: "src/worker.ts",
  compatibility_date: "2026-08-15",
  compatibility_flags: ["nodejs_compat", "enable_request_signal"],
  vars: { EDGECREW_AUTH: "open" },
  alias: {
    edgecrew: join(root, "src/index.ts"),
    "edgecrew/triggers": join(root, "src/entry/triggers.ts"),
    "edgecrew/worker": join(root, "src/worker.ts"),
  },
  durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
  d1_databases: [
    { binding: "DB", database_name: "desk", migrations_dir: join(root, "migrations") },
  ],
  triggers: { crons: ["* * * * *"] },
};

// Within the repository, so that its wrangler is found.
const folder = mkdtempSync(join(root, "test/.readme-worker-"));
addFiles(folder, {
  "package.json": JSON.stringify({ name: "desk", private: true, type: "module" }),
  "wrangler.jsonc": JSON.stringify(CONFIG),
  "src/worker.ts": WORKER,
});

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("DVS1, DVS2: migrates, serves, fires the cron, names the owner of the port, and ends with Ctrl-C (CL8)", async () => {
  const port = await freePort();
  const dev = start(process.execPath, [cli, "dev", "--port", String(port)]);
  await expect.poll(dev.text, LONG).toContain(`Edgecrew answers on http://localhost:${port}`);
  expect(dev.text()).toContain('npx edgecrew run desk --input question="…"');
  const written = JSON.parse(readFileSync(devFile, "utf8")) as { url: string; pid: number };
  expect(written).toMatchObject({ url: `http://localhost:${port}`, pid: dev.child.pid });

  const second = start(process.execPath, [cli, "dev", "--port", String(port)]);
  expect(await second.exit).toBe(2);
  expect(second.text()).toContain(
    `port ${port} is taken by edgecrew dev of this project (process ${dev.child.pid}`,
  );

  await expect.poll(() => runsAt(port), { timeout: 100_000, interval: 1_000 }).not.toEqual([]);

  const before = performance.now();
  dev.child.kill("SIGINT");
  expect(await dev.exit).toBe(0);
  expect(performance.now() - before).toBeLessThan(6_000);
  expect(existsSync(devFile)).toBe(false);
  expect(await isServed(port)).toBe(false);
}, 180_000);

it.each(["its parent shell", "edgecrew itself"])(
  "DVS3: ends wrangler when %s is killed (CL8)",
  async (who) => {
    const port = await freePort();
    const line = `"${process.execPath}" "${cli}" dev --port ${port} & echo "pid $!"; wait`;
    const shell = start("sh", ["-c", line]);
    await expect.poll(shell.text, LONG).toContain("Edgecrew answers on");
    const own = Number(/pid (\d+)/.exec(shell.text())?.[1]);
    process.kill(who === "edgecrew itself" ? own : (shell.child.pid ?? 0), "SIGKILL");
    await expect.poll(() => isServed(port), { timeout: 15_000, interval: 200 }).toBe(false);
    await expect.poll(() => isAlive(own), { timeout: 15_000, interval: 200 }).toBe(false);
  },
  120_000,
);

it("SVP1, SVP3: run serves the project for its own time when no server runs (WKR1)", async () => {
  rmSync(devFile, { force: true }); // of a server that was killed
  const child = spawn(process.execPath, [cli, "run", "desk", "--input", "question=now"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_CONFIG_HOME: folder },
  });
  started.push(child);
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  await expect.poll(() => existsSync(devFile), LONG).toBe(true);
  const { url } = JSON.parse(readFileSync(devFile, "utf8")) as { url: string };
  expect((await once(child, "exit"))[0]).toBe(0);
  expect(err).toContain("serving it for this command");
  expect(out.trim()).not.toBe("");
  expect(out).not.toContain("serving");
  expect(existsSync(devFile)).toBe(false);
  expect(await isServed(Number(new URL(url).port))).toBe(false);
}, 120_000);

const LONG = { timeout: 60_000, interval: 100 };
const devFile = join(folder, ".edgecrew", "dev.json");

type Started = {
  readonly child: ChildProcess;
  /** What it has written. */
  readonly text: () => string;
  readonly exit: Promise<number | null>;
};

function start(program: string, args: readonly string[]): Started {
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data: Buffer) => (text += data.toString()));
  const exit = once(child, "exit").then(([code]) => code as number | null);
  return { child, text: () => text, exit };
}

async function runsAt(port: number): Promise<readonly unknown[]> {
  const response = await fetch(`http://127.0.0.1:${port}/runs?name=desk`);
  return ((await response.json()) as { items: readonly unknown[] }).items;
}

function isServed(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    () => true,
    () => false,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
