// The database of a deployed Worker taken back, on a fake account; the Worker and its runs are real.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DeployWorld, PRODUCTION, type DeployWorldOptions } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const HOUR_MS = 3_600_000;

/** A Worker whose database had the first of its migrations two hours ago, and has had the second for one. */
async function deployed(options: DeployWorldOptions = {}): Promise<DeployWorld> {
  const world = new DeployWorld(options);
  await world.run("deploy --yes --no-smoke");
  world.change((account) => {
    const database = account.databases["demo"];
    if (database === undefined) throw new Error("there is no database");
    const { tables } = database;
    database.bookmark = "present";
    database.past = [
      { tables, migrations: ["0001_first.sql"], bookmark: "then", at: ago(2 * HOUR_MS) },
      { tables, migrations: database.migrations, bookmark: "later", at: ago(HOUR_MS) },
    ];
    const { deployments = [] } = account.workers["demo-production"] ?? {};
    for (const each of deployments) each.createdAt = ago(HOUR_MS);
  });
  return world;
}

/** A run of the deployed Worker, and how the command line of the project gets there. */
async function withRun(world: DeployWorld, id: string): Promise<void> {
  const { code } = await world.run(`run greeting --id ${id} --profile demo-production`);
  expect(code).toBe(0);
}

const overwritten = (world: DeployWorld): readonly string[] =>
  world.calls.filter((call) => call.startsWith("d1 time-travel restore"));

describe("restore --d1", () => {
  it("takes the database back, applies its migrations again, and lists every run", async () => {
    const listed = (id: string, createdAt: string): Response =>
      Response.json({ items: [{ id, createdAt }] });
    const world: DeployWorld = await deployed({
      worker: (path) => {
        if (path !== "/runs") return undefined;
        return overwritten(world).length === 0
          ? listed("run-since-then", ago(HOUR_MS))
          : listed("run-of-then", ago(2 * HOUR_MS));
      },
    });
    await withRun(world, "run-since-then");
    await withRun(world, "run-of-then");
    const { code, out, err } = await world.run("restore --d1 --to 90m --confirm demo --json");
    expect([code, err]).toEqual([0, expect.stringMatching(/goes back to +\S+Z, 90 min ago/)]);
    expect(JSON.parse(out)).toEqual({
      database: "demo",
      to: expect.stringMatching(/Z$/),
      bookmark: "then",
      between: { deployments: 1, migrations: ["0002_second.sql"], runs: 1 },
      undo: "present",
      reindexed: 2,
      missing: 0,
    });
    expect(overwritten(world)).toEqual(["d1 time-travel restore DB --bookmark then --json"]);
    const { migrations, past } = world.account.databases["demo"] ?? {};
    expect([migrations, past?.at(-1)?.bookmark]).toEqual([
      ["0001_first.sql", "0002_second.sql"],
      "present",
    ]);
    expect(existsSync(join(world.folder, ".edgecrew", "runs.production.txt"))).toBe(false);
  });

  it("TTR1: lists later changes and the way back before anything is overwritten", async () => {
    const world = await deployed();
    const { code, err } = await world.run("restore --d1 --to 90m --dry-run");
    expect(code).toBe(0);
    expect(err).toContain("bookmark      then");
    expect(err).toContain(
      "1 deployment, 0 runs begun, 1 migration (applied again: 0002_second.sql)",
    );
    expect(err).toContain(
      "npx wrangler d1 time-travel restore demo --bookmark present --env production",
    );
    expect(overwritten(world)).toEqual([]);
  });

  it("TTR2: is not done with --yes alone, nor with another name, nor against a person's no", async () => {
    const world = await deployed();
    const yes = await world.run("restore --d1 --to 90m --yes");
    expect([yes.code, yes.err]).toEqual([
      2,
      expect.stringMatching(/--yes is not enough[^]*--d1 --to \S+Z --confirm demo/),
    ]);
    const other = await world.run("restore --d1 --to 90m --confirm dmeo");
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("expected the name demo")]);
    const no = await world.run("restore --d1 --to 90m --yes", {
      terminal: { columns: 80, rows: 24 },
      answers: [false],
    });
    expect([no.code, no.asked]).toEqual([
      1,
      [expect.stringMatching(/^Overwrite 1 database, demo, with its state at \S+Z\?$/)],
    ]);
    expect(overwritten(world)).toEqual([]);
    const yesSaid = await world.run("restore --d1 --to 90m", {
      terminal: { columns: 80, rows: 24 },
      answers: [true],
    });
    expect([yesSaid.code, overwritten(world).length]).toEqual([0, 1]);
  });

  it("TTR3: leaves migrations unchanged when none came since", async () => {
    const world = await deployed();
    const before = world.calls.length;
    expect((await world.run("restore --d1 --to 30m --confirm demo")).code).toBe(0);
    const calls = world.calls.slice(before);
    expect(calls.filter((call) => call.startsWith("d1 migrations"))).toEqual([]);
    expect(overwritten(world)).toEqual(["d1 time-travel restore DB --bookmark later --json"]);
  });

  it("TTR4: keeps the ids known only to the list, until they are listed again", async () => {
    let isBroken = true;
    const refused = { error: { code: "forbidden", message: "no", retryable: false } };
    const world = await deployed({
      worker: (path) =>
        isBroken && path === "/admin/reindex" ? Response.json(refused, { status: 403 }) : undefined,
    });
    await withRun(world, "run-since-then");
    writeFileSync(join(world.folder, "ids.txt"), "run-of-a-backup\n");
    const line = "restore --d1 --to 90m --ids ids.txt --confirm demo";
    const cut = await world.run(line);
    const kept = join(world.folder, ".edgecrew", "runs.production.txt");
    expect([cut.code, cut.err]).toEqual([
      5,
      expect.stringMatching(/the database is restored[^]*edgecrew reindex --url \S+ --ids /),
    ]);
    expect(readFileSync(kept, "utf8")).toBe("run-of-a-backup\nrun-since-then\n");
    isBroken = false;
    const { code, out } = await world.run(`${line} --json`);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ reindexed: 1, missing: 1 }),
    ]);
    expect(existsSync(kept)).toBe(false);
  });

  it("continues with a notice when the Worker cannot list its runs", async () => {
    const failed = { error: { code: "internal", message: "no such table", retryable: false } };
    const world: DeployWorld = await deployed({
      worker: (path) =>
        path === "/runs" && overwritten(world).length === 0
          ? Response.json(failed, { status: 500 })
          : undefined,
    });
    await withRun(world, "run-of-then");
    const { code, out, err } = await world.run("restore --d1 --to 90m --confirm demo");
    expect([code, err]).toEqual([0, expect.stringContaining("does not list its runs")]);
    expect(out).toMatch(/^demo is as it was at \S+Z; 1 run listed as they are now\n$/);
  });

  it("lost tables are no obstacle", async () => {
    const world = await deployed();
    world.change((account) => {
      account.databases["demo"]!.tables = [];
      account.databases["demo"]!.migrations = [];
    });
    const { code } = await world.run("restore --d1 --to 90m --confirm demo");
    expect([code, world.account.databases["demo"]?.migrations]).toEqual([0, ["0001_first.sql"]]);
  });

  it.each([
    ["restore --d1", "--to is missing"],
    ["restore --d1 --to 2999-01-01", "is in the future"],
    ["restore --d1 --to 30d", "is out of reach"],
    ["restore --d1 --to yesterday", "expected an age such as 30d"],
    ["restore --d1 --to 2h saved", "--d1 and a folder do not go together"],
    ["restore --d1 --to 2h --only runs", "--d1 and --only do not go together"],
    ["restore --d1 --to 2h --resume-runs", "--d1 and --resume-runs do not go together"],
    ["restore --d1 --to 2h --ids none.txt", "there is no file"],
    ["restore saved --to 2h", "--to needs --d1"],
    ["restore", "the folder of a backup is missing"],
  ])("%j is wrong use", async (line, message) => {
    const world = new DeployWorld();
    const { code, err } = await world.run(line);
    expect([code, err, world.calls]).toEqual([2, expect.stringContaining(message), []]);
  });

  it("needs the Worker's database, and its address for --ids", async () => {
    const none = new DeployWorld({ production: { ...PRODUCTION, d1_databases: [] } });
    const { code, err } = await none.run("restore --d1 --to 2h");
    expect([code, err]).toEqual([2, expect.stringContaining("no database with the binding DB")]);
    const world = new DeployWorld();
    writeFileSync(join(world.folder, "ids.txt"), "a\n");
    const lost = await world.run("restore --d1 --to 2h --ids ids.txt");
    expect([lost.code, lost.err]).toEqual([2, expect.stringContaining("name it with --url")]);
  });
});
