// What `edgecrew dev` says while its project changes.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { addFiles } from "../support/project-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "src/cli/edgecrew.ts");
const LONG = { timeout: 150_000, interval: 100 };

const WORKER = `
import { defineApp } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";

const app = defineApp(definitions());
export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
`;

const AGENTS = `
clerk:
  role: Clerk
  goal: Answer
  backstory: The shop opens at nine.
`;

const tasksOf = (first: string): string => `
${first}:
  description: Draft an answer to {question}
  expected_output: A line
  agent: clerk
ask:
  description: Answer {question}
  expected_output: A line
  agent: clerk
  human_input: true
`;

const CONFIG = {
  name: "desk",
  main: "src/worker.ts",
  compatibility_date: "2026-08-15",
  compatibility_flags: ["nodejs_compat", "enable_request_signal"],
  build: { command: `"${process.execPath}" "${cli}" build`, watch_dir: ["crews"] },
  vars: { EDGECREW_AUTH: "open" },
  version_metadata: { binding: "VERSION" },
  alias: {
    edgecrew: join(root, "src/index.ts"),
    "edgecrew/flow/declarative": join(root, "src/declarative/index.ts"),
    "edgecrew/project": join(root, "src/project/index.ts"),
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
const tasks = join(folder, "crews/desk/tasks.yaml");
let dev: ChildProcess | undefined;

afterAll(async () => {
  if (dev?.exitCode === null) {
    dev.kill("SIGINT");
    await once(dev, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

it("DVO1, HLD1: reports a fault of YAML with its place while the old code goes on, and each run the new code does not fit (CL9)", async () => {
  addFiles(folder, {
    "package.json": JSON.stringify({ name: "desk", private: true, type: "module" }),
    "wrangler.jsonc": JSON.stringify(CONFIG),
    "src/worker.ts": WORKER,
    "crews/desk/agents.yaml": AGENTS,
    "crews/desk/tasks.yaml": tasksOf("draft"),
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let text = "";
  dev = spawn(process.execPath, [cli, "dev", "--port", String(port)], { cwd: folder });
  for (const stream of [dev.stdout, dev.stderr])
    stream?.on("data", (data: Buffer) => (text += data.toString()));
  await expect.poll(() => text, LONG).toContain("Edgecrew answers on");
  const get = async (path: string): Promise<Answer> =>
    (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(20_000) })
      .then((response) => response.json())
      .catch(() => ({}))) as Answer;
  const post = async (path: string, body: object): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, init)).status;
  };
  const start = async (id: string): Promise<void> => {
    expect(await post("/crews/desk/kickoff", { id, inputs: { question: "When?" } })).toBe(202);
    await expect.poll(async () => (await get(`/runs/${id}`)).status, LONG).toBe("waiting");
  };
  await start("first");

  writeFileSync(tasks, tasksOf("draft").replace("agent: clerk", "agent: nobody"));
  await expect.poll(() => text, LONG).toMatch(/crews\/desk\/tasks\.yaml:\d+:\d+.*nobody/);
  await start("meanwhile");

  writeFileSync(tasks, tasksOf("sketch"));
  await expect.poll(async () => JSON.stringify(await get("/crews/desk")), LONG).toContain("sketch");
  expect(text).not.toContain("is held");
  expect(await post("/runs/first/resume", { approve: true })).toBe(200);
  const line =
    "! run first (crew desk) is held: the code does not fit it any more at task:draft; it goes on with code that fits, or in a new run: edgecrew replay first --task task:draft";
  await expect.poll(() => text, LONG).toContain(`${line}\n`);

  const command = line.slice(line.indexOf("replay")).split(" ");
  const fork = spawn(process.execPath, [cli, ...command, "--detach", "--id", "again"], {
    cwd: folder,
    stdio: "ignore",
  });
  expect(await once(fork, "exit")).toEqual([0, null]);
  await expect.poll(async () => (await get("/runs/again")).status, LONG).toBe("waiting");

  writeFileSync(tasks, tasksOf("draft"));
  await expect.poll(async () => (await get("/runs/first")).status, LONG).toBe("completed");
  expect(text.split(line)).toHaveLength(2);
}, 600_000);

type Answer = { readonly status?: string };
