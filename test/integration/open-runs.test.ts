// Open runs of a real Worker, replayed over the code that is to be deployed in another one on this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PRODUCTION, fakeWrangler } from "../support/deploy-world.ts";
import { EMPTY } from "../support/fake-wrangler.ts";
import { addFiles } from "../support/project-folder.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "src/cli/edgecrew.ts");
const patience = { timeout: 60_000, interval: 100 };

// Within the repository, so that its wrangler is found.
const folder = mkdtempSync(join(root, "test/.readme-worker-"));
const deployedFolder = mkdtempSync(join(root, "test/.readme-worker-"));
const accountFile = join(folder, "account.json");
let deployed: WranglerDev | undefined;
/** Calls that reached the address of the new code's model. */
let modelCalls = 0;
const models = createServer((socket) => {
  modelCalls++;
  socket.destroy();
});

type CrewCode = { readonly first?: string; readonly llm?: string; readonly more?: boolean };

const crewCode = ({ first = "draft", llm = "offline/demo", more = false }: CrewCode): string =>
  `crew(${JSON.stringify({ first, llm, more })})`;

/** A Worker with crews whose second task waits for a person. */
const workerOf = (crews: string): string => `
import { Agent, Crew, Task } from "edgecrew";
import { defineApp, versions } from "edgecrew/worker";

const crew = ({ first, llm, more }: { first: string; llm: string; more: boolean }) => {
  const agent = new Agent({ role: "Writer", goal: "Write", backstory: "Careful.", llm });
  return new Crew({ name: "any", tasks: [
    new Task({ name: first, description: "Draft {topic}", expectedOutput: "A text", agent }),
    new Task({ name: "ask", description: "Ask", expectedOutput: "A text", agent, humanInput: true }),
    ...(more ? [new Task({ name: "more", description: "Go on", expectedOutput: "A text", agent })] : []),
  ] });
};
const app = defineApp({ crews: { ${crews} } });
export default app;
export const { CrewRun } = app.durableObjects;
`;

const configOf = (vars: Readonly<Record<string, string>>) => ({
  name: "demo",
  main: "src/worker.ts",
  compatibility_date: "2026-08-15",
  compatibility_flags: ["nodejs_compat", "enable_request_signal"],
  vars: { EDGECREW_AUTH: "open", ...vars },
  alias: {
    edgecrew: join(root, "src/index.ts"),
    "edgecrew/testing": join(root, "src/testing/index.ts"),
    "edgecrew/worker": join(root, "src/worker.ts"),
  },
  durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
  d1_databases: [
    { binding: "DB", database_name: "demo", migrations_dir: join(root, "migrations") },
  ],
  triggers: { crons: ["* * * * *"] },
});

const RUNS = ["kept", "renamed", "gone", "side", "answered"];

beforeAll(async () => {
  models.listen(0, "127.0.0.1");
  await once(models, "listening");
  const { port } = models.address() as AddressInfo;
  const listed = [
    ...RUNS.filter((name) => name !== "side").map((name) => `${name}: ${crewCode({})}`),
    `side: versions({ current: "1", "1": ${crewCode({})} })`,
  ];
  addFiles(deployedFolder, {
    "wrangler.jsonc": JSON.stringify(configOf({})),
    "src/worker.ts": workerOf(listed.join(", ")),
  });
  const llm = "openai/gpt-5-mini";
  const next = [
    `kept: ${crewCode({ more: true })}`,
    `answered: ${crewCode({ more: true, llm })}`,
    `renamed: ${crewCode({ first: "sketch" })}`,
    `side: versions({ current: "3", "1": ${crewCode({})}, "2": ${crewCode({})}, "3": ${crewCode({ first: "sketch" })} })`,
  ];
  const vars = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "none" };
  addFiles(folder, {
    "package.json": JSON.stringify({ name: "demo", private: true, type: "module" }),
    "wrangler.jsonc": JSON.stringify({ ...configOf(vars), env: { production: PRODUCTION } }),
    "src/worker.ts": workerOf(next.join(", ")),
    "migrations/0001_first.sql": "SELECT 1;\n",
    "account.json": JSON.stringify(EMPTY),
  });
  const options = {
    cwd: deployedFolder,
    config: "wrangler.jsonc",
    persistTo: join(deployedFolder, "state"),
  };
  migrate(options);
  deployed = await WranglerDev.start(options);
}, 300_000);

afterAll(async () => {
  await deployed?.kill();
  models.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(deployedFolder, { recursive: true, force: true });
});

/** They come to wait; the last is paused, and has its answer. */
async function startRuns(): Promise<void> {
  for (const id of RUNS) {
    expect(await post(`/crews/${id}/kickoff`, { id, inputs: { topic: "tea" } })).toBe(202);
    await expect.poll(() => statusOf(id), patience).toBe("waiting");
  }
  expect(await post("/runs/answered/pause", {})).toBe(200);
  expect(await post("/runs/answered/resume", { approve: true })).toBe(200);
}

async function post(path: string, body: object): Promise<number> {
  const response = await fetch(`${deployed?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status;
}

async function statusOf(id: string): Promise<string> {
  return ((await (await fetch(`${deployed?.url}/runs/${id}`)).json()) as { status: string }).status;
}

/** `edgecrew deploy` of the new code, on an account in a file. */
async function deploy(...flags: readonly string[]): Promise<{ code: number; err: string }> {
  const { PATH } = process.env;
  const url = deployed?.url ?? "";
  const child = spawn(
    process.execPath,
    [cli, "deploy", "--yes", "--no-smoke", "--url", url, ...flags],
    {
      cwd: folder,
      env: {
        PATH,
        EDGECREW_WRANGLER: fakeWrangler(),
        FAKE_ACCOUNT: accountFile,
        XDG_CONFIG_HOME: folder,
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, err };
}

it("reports the open runs the new code would hold, with step and reason, without any call (DP15, DP17)", async () => {
  await startRuns();
  const before = await Promise.all(RUNS.map(statusOf));
  const { code, err } = await deploy();
  expect(err).toContain("replaying 5 open runs of 5");
  expect(err).toContain("2 of 5 open runs would be held by the new code");
  expect(code).toBe(1);
  expect(err).toMatch(/renamed {2}crew renamed +held +task:draft +the journal does not fit/);
  expect(err).toMatch(/gone +crew gone +held .*"gone"/);
  expect(err).not.toMatch(/^ {2}(kept|answered|side) /m);
  expect(err).toContain("side@2: no open run needs this version any more");
  expect(err).not.toContain("side@1");
  expect(modelCalls).toBe(0);
  expect(await Promise.all(RUNS.map(statusOf))).toEqual(before);
  expect(readdirSync(folder).filter((name) => name.startsWith(".edgecrew-"))).toEqual([]);
}, 300_000);

it("refuses to remove a version a run needs (DP17)", async () => {
  const next = RUNS.filter((name) => name !== "side").map((name) => `${name}: ${crewCode({})}`);
  const side = `side: versions({ current: "2", "2": ${crewCode({})} })`;
  writeFileSync(join(folder, "src/worker.ts"), workerOf([...next, side].join(", ")));
  const { code, err } = await deploy();
  expect([code, err]).toEqual([1, expect.stringContaining("1 of 5 open runs would be held")]);
  expect(err).toMatch(/side {2,}crew side@1 +held .*"side" has no version "1" any more/);
  const forced = await deploy("--force", "runs_would_be_held");
  expect([forced.code, forced.err]).toEqual([0, expect.stringContaining("! 1 of 5 open runs")]);
}, 300_000);
