// A backup of a real Worker, which is destroyed, and restored into a new one by the command line.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { EdgecrewClient, type ExportedRun } from "../../src/client/index.ts";
import { Terminal, type CliResult } from "../support/cli-world.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const cwd = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-backup-`);
const SAVED = join(folder, "saved");
const CREWS = 19;
const SOON = { timeout: 60_000, interval: 100 };

let dev: WranglerDev;
let before: Awaited<ReturnType<typeof everything>>;

const client = (): EdgecrewClient => new EdgecrewClient({ baseUrl: dev.url });

async function begin(name: string): Promise<void> {
  const project = { cwd, config: "backup.toml", persistTo: join(folder, name) };
  migrate(project);
  dev = await WranglerDev.start(project);
}

/** A command line; after `requests` the Worker is not reachable any more. */
function edgecrew(line: string, requests = Number.POSITIVE_INFINITY): Promise<CliResult> {
  let left = requests;
  const terminal = new Terminal({ cwd: folder, variables: { EDGECREW_URL: dev.url } });
  return terminal.run(line, {
    fetch: (url, init) =>
      left-- > 0 ? fetch(url, init) : Promise.reject(new TypeError("fetch failed")),
  });
}

/** All that a user sees. */
async function everything() {
  const edge = client();
  const { items: runs } = await edge.runs.list({ limit: 200 });
  const exports: Record<string, ExportedRun> = {};
  for (const { id, status } of runs)
    if (status !== "waiting")
      exports[id] = { ...(await edge.runs.handle(id).export()), exportedAt: "" };
  const recalled = await edge.memory.recall("What does the customer pay with?");
  const found = await edge.knowledge.query("handbook", ["holidays in summer"]);
  return {
    crews: await edge.crews.list(),
    definition: await edge.crews.get("stored"),
    schedules: await edge.schedules.list(),
    hooks: await edge.webhooks.list(),
    memories: (await edge.memory.list()).items.map((record) => ({ ...record, lastAccessed: "" })),
    recalled: recalled.items.map(({ record }) => record.content),
    documents: (await edge.knowledge.documents("handbook")).items,
    found,
    runs: runs.filter(({ status }) => status !== "waiting"),
    exports,
  };
}

beforeAll(async () => {
  await begin("first");
  const edge = client();
  await edge.crews.put("stored", {
    agents: { writer: { role: "Writer", goal: "Write", backstory: "Short", llm: "demo" } },
    tasks: [{ name: "write", description: "Write", expectedOutput: "A page", agent: "writer" }],
  });
  await edge.schedules.create({
    id: "weekly",
    cron: "0 7 * * 1",
    target: { kind: "crew", name: "briefing" },
    inputs: { topic: "tea" },
  });
  await edge.webhooks.put("orders", {
    scheme: "hmac",
    secret: "a secret of the sender",
    inputs: { topic: "/topic" },
    target: { kind: "crew", name: "briefing" },
  });
  await edge.memory.remember("The customer pays with a card", { scope: "/customers" });
  await edge.memory.remember("The office is closed on Mondays", { scope: "/office" });
  const adding = await edge.knowledge.upload("handbook", {
    name: "holidays.txt",
    body: "Holidays in summer last three weeks.",
  });
  await adding.output();
  await Promise.all(
    Array.from({ length: CREWS }, async (_, at) => {
      const inputs = { topic: `${at}` };
      const run = await edge.crews.kickoff("briefing", { id: `run-${at}`, inputs });
      await run.output();
    }),
  );
  await edge.flows.kickoff("asking", { id: "open" });
  await vi.waitFor(async () => {
    if ((await edge.runs.waits()).items.length !== 1) throw new Error("the wait is not listed yet");
  }, SOON);
  before = await everything();
});

afterAll(async () => {
  await dev.kill();
  rmSync(folder, { recursive: true, force: true });
});

it("SVB1, MNF1: an interrupted backup continues, and has each item once (OP2)", async () => {
  const cut = await edgecrew(`backup --out ${SAVED}`, 22);
  expect([cut.code, cut.err]).toEqual([
    5,
    expect.stringContaining("edgecrew backup --out") as string,
  ]);
  expect(readdirSync(SAVED)).not.toContain("manifest.json");
  const early = await edgecrew(`restore ${SAVED}`);
  expect([early.code, early.err]).toEqual([2, expect.stringContaining("was cut off") as string]);
  const whole = await edgecrew(`backup --out ${SAVED} --json`);
  expect([whole.code, whole.err]).toEqual([0, expect.stringContaining("goes on") as string]);
  const made = JSON.parse(whole.out) as { tables: Record<string, number>; runs: number };
  const lines = readFileSync(join(SAVED, "runs.ndjson"), "utf8").trim().split("\n");
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(made).toMatchObject({
    tables: { definitions: 1, schedules: 1, hooks: 1, memories: 2, knowledge_documents: 1 },
    runs: ids.length,
  });
  expect(ids.filter((id) => id.startsWith("run-"))).toHaveLength(CREWS);
});

it("MNF2: a file that differs from the manifest is refused with the expected hash", async () => {
  const path = join(SAVED, "definitions.ndjson");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("Short", "Long"));
  const { code, err } = await edgecrew(`restore ${SAVED}`);
  writeFileSync(path, text);
  const manifest = JSON.parse(readFileSync(join(SAVED, "manifest.json"), "utf8")) as {
    tables: { definitions: { sha256: string } };
  };
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      `definitions.ndjson does not fit the manifest: expected SHA-256 ${manifest.tables.definitions.sha256}`,
    ) as string,
  ]);
});

it("RSB1, RSB2: restores a destroyed deployment into an empty one, also after an interruption (OP2)", async () => {
  await dev.kill();
  await begin("second");
  const dry = await edgecrew(`restore ${SAVED} --dry-run --json`);
  expect(dry.code).toBe(0);
  expect((await client().runs.list()).items).toEqual([]);
  const cut = await edgecrew(`restore ${SAVED}`, 12);
  expect([cut.code, cut.err]).toEqual([5, expect.stringContaining("edgecrew restore") as string]);
  const { code, err } = await edgecrew(`restore ${SAVED} --resume-runs`);
  expect([code, err]).toEqual([0, expect.stringContaining("run open goes on as") as string]);
  const ids = new Set(before.runs.map(({ id }) => id));
  const after = await everything();
  expect({
    ...after,
    runs: after.runs.filter(({ id }) => ids.has(id)),
    exports: Object.fromEntries(Object.entries(after.exports).filter(([id]) => ids.has(id))),
  }).toEqual(before);
  await expect.poll(async () => (await client().runs.waits()).items.length, SOON).toBe(1);
  const [wait] = (await client().runs.waits()).items;
  const resumed = client().runs.handle(wait?.run.id ?? "");
  await resumed.resume({ feedback: "yes" });
  expect(JSON.stringify(await resumed.output())).toContain("yes");
});

it("RSB1: keeps existing entries with other contents, and lists them (OP2)", async () => {
  const edge = client();
  await edge.crews.put("stored", {
    agents: { writer: { role: "Editor", goal: "Edit", backstory: "Long", llm: "demo" } },
    tasks: [{ name: "edit", description: "Edit", expectedOutput: "A page", agent: "writer" }],
  });
  const { code, out, err } = await edgecrew(`restore ${SAVED} --only definitions,runs --json`);
  expect(code).toBe(1);
  expect(err).toContain("stored");
  expect(JSON.parse(out)).toMatchObject({
    conflicts: [{ what: "definitions", key: "crew stored" }],
  });
  expect(JSON.stringify(await edge.crews.get("stored"))).toContain("Editor");
});

it("lists the runs of an emptied database, by the ids of a backup (OP3)", async () => {
  const { items } = await client().runs.list({ limit: 200 });
  const { code, out, err } = await edgecrew(`reindex --ids ${join(SAVED, "runs.ndjson")} --json`);
  expect([code, err]).toEqual([0, expect.anything()]);
  expect([code, JSON.parse(out)]).toEqual([0, { reindexed: before.runs.length + 1, missing: 0 }]);
  expect((await client().runs.list({ limit: 200 })).items).toEqual(items);
});
