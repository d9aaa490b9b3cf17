import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { Run } from "../../../src/runtime/run.ts";
import { askingScript, textOf, type Answer } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

const key = "boss";
const GREET = { kind: "crew", name: "greeting" } as const;

function create(world: TriggerWorld, json: object): Promise<Answer> {
  return world.ask("/schedules", { key, json });
}

async function stored(world: TriggerWorld, json: object): Promise<string> {
  const { status, json: answer, text } = await create(world, { target: GREET, ...json });
  if (status !== 201) throw new Error(text);
  return textOf(answer["id"]);
}

async function runsOf(world: TriggerWorld, id: string): Promise<JsonValue> {
  const { json } = await world.ask(`/schedules/${id}`, { key });
  return json["runs"] as unknown as JsonValue;
}

describe("stored schedules", () => {
  it("start a run for each slot, and the run has the slot in its meta", async () => {
    const world = new TriggerWorld();
    const body = { id: "daily", cron: "0 7 * * *", timeZone: "Europe/Berlin" };
    const { status, headers, json } = await create(world, { ...body, target: GREET });
    expect([status, headers.get("location")]).toEqual([201, "/schedules/daily"]);
    expect(json).toEqual({
      ...body,
      source: "stored",
      target: GREET,
      inputs: {},
      missed: "latest",
      overlap: "allow",
      paused: false,
      next: [
        "2026-01-01T06:00:00.000Z",
        "2026-01-02T06:00:00.000Z",
        "2026-01-03T06:00:00.000Z",
        "2026-01-04T06:00:00.000Z",
        "2026-01-05T06:00:00.000Z",
      ],
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      runs: [],
    });
    expect(await world.tickAt("2026-01-01T05:59:30Z")).toBe(0);
    expect(await world.tickAt("2026-01-01T06:00:05Z")).toBe(1);
    expect(await world.tickAt("2026-01-01T06:01:05Z")).toBe(0);
    expect(await world.tickAt("2026-01-02T06:00:05Z")).toBe(1);
    expect((await world.ask("/runs/daily-20260101T0600Z", { key })).json).toMatchObject({
      name: "greeting",
      status: "completed",
      meta: { trigger: { kind: "schedule", id: "daily", slot: "2026-01-01T06:00:00.000Z" } },
    });
    const started = (day: string) => ({
      at: `2026-01-${day}T06:00:05.000Z`,
      slot: `2026-01-${day}T06:00:00.000Z`,
      outcome: "started",
      runId: `daily-202601${day}T0600Z`,
    });
    expect(await runsOf(world, "daily")).toEqual([started("02"), started("01")]);
  });

  it("SR1, SR2: start a slot once, however many isolates tick at once", async () => {
    const database = sqliteD1();
    const worlds = [1, 2, 3].map(() => new TriggerWorld({ database }));
    const [world] = worlds as [TriggerWorld];
    for (let n = 0; n < 150; n++) await stored(world, { id: `s${n}`, cron: "0 1 * * *" });
    for (const each of worlds) await each.clock.advance(3_600_000);
    const done = await Promise.all(worlds.flatMap((each) => [each.due(), each.due()]));
    expect(done.reduce((sum, count) => sum + count, 0)).toBe(150);
    const ids = worlds.flatMap((each) => each.startedIds());
    expect(ids).toHaveLength(150);
    expect(new Set(ids).size).toBe(150);
  });

  it("SR2: start the same run later if the worker with the claim died", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "daily", cron: "0 7 * * *" });
    const { call } = world.onStart;
    await world.clock.advance(7 * 3_600_000);
    world.onStart.call = async (_, start) => {
      await start(); // the run starts, and then the worker dies
      return new Promise(() => {});
    };
    void world.due();
    await world.clock.settle();
    world.onStart.call = call;
    expect(await world.tickAt("2026-01-01T07:01:00Z")).toBe(0); // the claim has not expired
    expect(await world.tickAt("2026-01-01T07:03:00Z")).toBe(1);
    expect(await runsOf(world, "daily")).toMatchObject([{ runId: "daily-20260101T0700Z" }]);
    expect((await world.ask("/runs", { key })).json["items"]).toHaveLength(1);
  });

  it.each([
    ["latest", ["08:00"]],
    ["skip", []],
    ["all", ["05:00", "06:00", "07:00", "08:00"]],
  ])("missed %s: after a gap %j", async (missed, expected) => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 5-20 * * *", missed });
    await world.tickAt("2026-01-01T08:30:00Z");
    const ran = world.startedIds().map((id) => `${id.slice(11, 13)}:${id.slice(13, 15)}`);
    expect(ran).toEqual(expected);
    await world.tickAt("2026-01-01T09:00:10Z");
    expect(world.startedIds().at(-1)).toBe("h-20260101T0900Z");
  });

  it("list the missed slots", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 5-20 * * *" });
    await world.tickAt("2026-01-01T08:30:00Z");
    expect(await runsOf(world, "h")).toMatchObject([
      { outcome: "started", runId: "h-20260101T0800Z" },
      { outcome: "missed", slot: "2026-01-01T05:00:00.000Z", until: "2026-01-01T07:00:00.000Z" },
    ]);
  });

  it("SR5: overlap skip leaves slots out while the last run has not ended", async () => {
    const world = new TriggerWorld({ script: askingScript() });
    const inputs = { topic: "tea" };
    const target = { kind: "crew", name: "briefing" };
    await stored(world, { id: "once", cron: "0 * * * *", overlap: "skip", target, inputs });
    await stored(world, { id: "free", cron: "0 * * * *", target, inputs });
    await world.tickAt("2026-01-01T01:00:01Z");
    await world.tickAt("2026-01-01T02:00:01Z");
    expect(await runsOf(world, "once")).toMatchObject([
      { outcome: "skipped", slot: "2026-01-01T02:00:00.000Z" },
      { outcome: "started" },
    ]);
    expect(world.startedIds()).toHaveLength(3);
    await world.ask("/runs/once-20260101T0100Z/cancel", { key, json: {} });
    await world.tickAt("2026-01-01T03:00:01Z");
    expect(await runsOf(world, "once")).toMatchObject([{ outcome: "started" }, {}, {}]);
  });

  it("SR3: a start with a temporary failure is retried, and loses no slot", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "daily", cron: "0 7 * * *" });
    const { call } = world.onStart;
    world.onStart.call = () => {
      throw new EngineError("unavailable", "the object did not answer", { retryable: true });
    };
    await world.tickAt("2026-01-01T07:00:00Z");
    expect(world.reported).toHaveLength(1);
    world.onStart.call = call;
    expect(await world.tickAt("2026-01-01T07:00:30Z")).toBe(0);
    await world.tickAt("2026-01-01T07:01:00Z");
    expect(await runsOf(world, "daily")).toMatchObject([{ outcome: "started", slot: /07:00/ }]);
  });

  it("SR3: an impossible slot is recorded as failed, and the next one follows", async () => {
    const world = new TriggerWorld();
    const crew = {
      agents: { poet: { role: "Poet", goal: "Rhyme", backstory: "b" } },
      tasks: [{ name: "t", description: "d", expectedOutput: "o", agent: "poet" }],
    };
    await world.ask("/crews/poems", { key, method: "PUT", json: crew });
    await stored(world, { id: "p", cron: "0 * * * *", target: { kind: "crew", name: "poems" } });
    await world.ask("/crews/poems", { key, method: "DELETE" });
    await world.tickAt("2026-01-01T01:00:00Z");
    await world.ask("/crews/poems", { key, method: "PUT", json: crew });
    await world.tickAt("2026-01-01T02:00:00Z");
    expect(await runsOf(world, "p")).toMatchObject([
      { outcome: "started", runId: "p-20260101T0200Z" },
      { outcome: "failed", error: 'there is no crew "poems"' },
    ]);
    expect((await world.ask("/runs/p-20260101T0200Z", { key })).json["status"]).toBe("completed");
  });

  it("SR4: starts thousands due at once, with a few queries for each batch", async () => {
    const world = new TriggerWorld();
    const insert = world.database.sqlite.prepare(
      `INSERT INTO schedules SELECT 'acme', ?, 'stored', ?, 0, ?, ?, NULL, 1, 0, 0`,
    );
    const slotMs = Date.parse("2026-01-01T01:00:00Z");
    const definition = {
      cron: "0 1 * * *",
      timeZone: "UTC",
      target: GREET,
      inputs: {},
      missed: "latest",
      overlap: "allow",
    };
    for (let n = 0; n < 4_000; n++) insert.run(`s${n}`, JSON.stringify(definition), slotMs, slotMs);
    let batches = 0;
    const batch = world.database.batch.bind(world.database);
    world.database.batch = (statements) => {
      batches++;
      return batch(statements);
    };
    world.onStart.call = async ({ id }) => ({ id }) as Run;
    expect(await world.tickAt("2026-01-01T01:00:00Z")).toBe(3_000);
    expect(await world.tickAt("2026-01-01T01:01:00Z")).toBe(1_000);
    expect(new Set(world.startedIds()).size).toBe(4_000);
    expect(batches).toBeLessThan(150);
    const plan = world.database.sqlite
      .prepare(
        "EXPLAIN QUERY PLAN SELECT id FROM schedules WHERE due_at <= 1 ORDER BY due_at LIMIT 9",
      )
      .all();
    expect(JSON.stringify(plan)).toContain("schedules_by_due");
  });
});

describe("the id of a slot's run", () => {
  const body = { id: "daily", cron: "0 7 * * *" };
  const runId = "daily-20260101T0700Z";
  const slot = "2026-01-01T07:00:00.000Z";

  it.each<[string, string, object]>([
    ["another run", "/agents/writer/kickoff", { messages: "x" }],
    ["a run of the target", "/crews/greeting/kickoff", {}],
    [
      "a run with the schedule's metadata",
      "/crews/greeting/kickoff",
      { inputs: { other: 1 }, meta: { trigger: { kind: "schedule", id: "daily", slot } } },
    ],
  ])("taken by %s is reported, not as started", async (_, path, json) => {
    const world = new TriggerWorld();
    await stored(world, body);
    expect((await world.ask(path, { key, json: { ...json, id: runId } })).status).toBe(202);
    await world.tickAt("2026-01-01T07:00:05Z");
    expect(await runsOf(world, "daily")).toEqual([
      {
        at: "2026-01-01T07:00:05.000Z",
        slot,
        outcome: "failed",
        error: expect.stringContaining(`${runId} is in use by a run`) as unknown,
      },
    ]);
    await world.tickAt("2026-01-02T07:00:05Z");
    expect(JSON.stringify(await runsOf(world, "daily"))).toContain("daily-20260102T0700Z");
  });
});

describe("over HTTP, schedules", () => {
  it("are paused and unpaused; slots during the pause are not made up for", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 * * * *", missed: "all" });
    const patch = (json: object) => world.ask("/schedules/h", { key, method: "PATCH", json });
    expect((await patch({ paused: true })).json).toMatchObject({ paused: true, next: [] });
    await world.tickAt("2026-01-01T05:30:00Z");
    expect(world.starts).toEqual([]);
    expect((await patch({ paused: false })).json["next"]?.[0]).toBe("2026-01-01T06:00:00.000Z");
    await world.tickAt("2026-01-01T06:00:00Z");
    expect(world.startedIds()).toEqual(["h-20260101T0600Z"]);
  });

  it("are changed: missing fields keep their values, a new cron has new slots", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 * * * *" });
    const json = { cron: "30 9 * * *", time_zone: "America/New_York" };
    const changed = await world.ask("/schedules/h", { key, method: "PATCH", json });
    expect(changed.json).toMatchObject({
      target: GREET,
      next: ["2026-01-01T14:30:00.000Z", {}, {}, {}, {}],
    });
    await world.tickAt("2026-01-01T14:29:00Z");
    expect(world.starts).toEqual([]);
    await world.tickAt("2026-01-01T14:30:00Z");
    expect(world.startedIds()).toEqual(["h-20260101T1430Z"]);
    const bad = await world.ask("/schedules/h", { key, method: "PATCH", json: { cron: "x" } });
    expect([bad.status, bad.json["errors"]?.[0]?.["path"]]).toEqual([400, "/cron"]);
  });

  it("keep both the change and the slot if they are changed while a slot is being started", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 * * * *" });
    const { call } = world.onStart;
    world.onStart.call = async (_, start) => {
      const json = { inputs: { a: 1 }, paused: true };
      await world.ask("/schedules/h", { key, method: "PATCH", json });
      return start();
    };
    await world.tickAt("2026-01-01T01:00:00Z");
    const { json } = await world.ask("/schedules/h", { key });
    expect(json).toMatchObject({ paused: true, inputs: { a: 1 }, runs: [{ outcome: "started" }] });
    world.onStart.call = call;
    expect(await world.tickAt("2026-01-01T09:00:00Z")).toBe(0);
  });

  it("are run by hand, once for each id", async () => {
    const world = new TriggerWorld();
    await stored(world, { id: "h", cron: "0 0 1 1 *", paused: true });
    for (let n = 0; n < 2; n++) {
      const { status, json } = await world.ask("/schedules/h/run", { key, json: { id: "now" } });
      expect([status, json["links"]]).toEqual([202, { self: "/runs/now" }]);
    }
    expect((await world.ask("/schedules/h/run", { key, method: "POST" })).status).toBe(202);
    await world.clock.settle();
    expect((await world.ask("/runs/now", { key })).json).toMatchObject({
      status: "completed",
      meta: { trigger: { kind: "schedule", id: "h" } },
    });
    expect(await runsOf(world, "h")).toHaveLength(2);
  });

  it("are listed by id page by page, and deleted with the history of their runs", async () => {
    const world = new TriggerWorld();
    for (const id of ["c", "a", "b"]) await stored(world, { id, cron: "@daily" });
    const first = await world.ask("/schedules?limit=2", { key });
    expect(first.json["items"]).toMatchObject([
      { id: "a" },
      { id: "b", next: ["2026-01-02T00:00:00.000Z"] },
    ]);
    const cursor = textOf(first.json["nextCursor"]);
    const second = await world.ask(`/schedules?limit=2&cursor=${cursor}`, { key });
    expect(second.json).toMatchObject({ items: [{ id: "c" }] });
    expect(second.json).not.toHaveProperty("nextCursor");
    await world.ask("/schedules/a/run", { key, method: "POST" });
    expect((await world.ask("/schedules/a", { key, method: "DELETE" })).status).toBe(204);
    expect((await world.ask("/schedules/a", { key })).status).toBe(404);
    expect((await world.ask("/schedules/a", { key, method: "DELETE" })).status).toBe(404);
    await stored(world, { id: "a", cron: "@daily" });
    expect(await runsOf(world, "a")).toEqual([]);
    expect((await world.ask("/schedules?cursor=%00", { key })).status).toBe(400);
  });

  it.each<[string, object, readonly string[]]>([
    ["an invalid cron", { cron: "soon" }, ["/cron"]],
    ["no cron", { cron: undefined }, ["/cron"]],
    ["seconds", { cron: "* * * * * *" }, ["/cron"]],
    ["an invalid zone", { timeZone: "Mars/Base" }, ["/timeZone"]],
    ["no target", { target: undefined }, ["/target"]],
    ["an invalid kind", { target: { kind: "cow", name: "x" } }, ["/target/kind"]],
    ["an unknown crew", { target: { kind: "crew", name: "x" } }, ["/target/name"]],
    ["an unknown flow", { target: { kind: "flow", name: "toString" } }, ["/target/name"]],
    ["missing inputs", { target: { kind: "crew", name: "briefing" } }, ["/inputs/topic"]],
    [
      "wrong inputs",
      { target: { kind: "flow", name: "review" }, inputs: { topic: 4 } },
      ["/inputs/topic"],
    ],
    [
      "an agent without a question",
      { target: { kind: "agent", name: "writer" } },
      ["/inputs/messages"],
    ],
    ["more inputs than there is room for", { inputs: { a: "x".repeat(65_537) } }, ["/inputs"]],
    ["an invalid id", { id: "a b" }, ["/id"]],
    ["an invalid policy", { missed: "some" }, ["/missed"]],
    ["an unknown field", { crn: "x" }, ["/crn"]],
    [
      "several at once",
      { cron: "x", timeZone: "y", target: { kind: "agent", name: "z" } },
      ["/timeZone", "/cron", "/target/name"],
    ],
  ])("are refused with %s", async (_, wrong, paths) => {
    const world = new TriggerWorld({ maxBodyBytes: 1024 * 1024 });
    const json = { cron: "0 * * * *", target: GREET, ...wrong };
    const { status, json: problem } = await create(world, json);
    expect(status).toBe(400);
    const errors = problem["errors"] as unknown as ReadonlyArray<{ path: string }>;
    expect(errors.map(({ path }) => path)).toEqual(paths);
  });

  it("belong to their tenant, and need a key with the right scope", async () => {
    const world = new TriggerWorld();
    const keyOf = async (tenant: string, scopes: readonly string[]) =>
      textOf((await world.ask("/keys", { key, json: { tenant, scopes } })).json["key"]);
    const [acme, reader] = [await keyOf("acme", ["admin"]), await keyOf("acme", ["read"])];
    const json = { id: "s", cron: "0 * * * *", target: GREET };
    expect((await world.ask("/schedules", { key: acme, json })).status).toBe(201);
    expect((await world.ask("/schedules", { key, json })).status).toBe(201);
    expect((await world.ask("/schedules", { key: acme, json })).status).toBe(409);
    expect((await world.ask("/schedules", { key: reader, json })).status).toBe(403);
    expect((await world.ask("/schedules", { json })).status).toBe(401);
    await world.ask("/schedules/s", { key, method: "DELETE" });
    expect((await world.ask("/schedules/s", { key })).status).toBe(404);
    expect((await world.ask("/schedules/s", { key: reader })).status).toBe(200);
    await world.tickAt("2026-01-01T01:00:00Z");
    expect(world.starts).toMatchObject([{ tenant: "acme", id: "s-20260101T0100Z" }]);
    expect((await world.ask("/schedules", { key, method: "PUT" })).status).toBe(405);
  });

  it("are refused when the tenant has reached its limit", async () => {
    const world = new TriggerWorld();
    world.database.sqlite.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO schedules SELECT 'default', 'x' || i, 'stored', '{}', 1, NULL, NULL, NULL, 1, 0, 0 FROM n`,
    );
    const { status, json } = await create(world, { cron: "@daily", target: GREET });
    expect([status, json["code"]]).toEqual([409, "limit_exceeded"]);
  });
});

describe("schedules of the code, before the first tick", () => {
  const schedules = { morning: { cron: "0 7 * * *", target: GREET } };

  it.each([
    ["GET", "/schedules", undefined, 200],
    ["GET", "/schedules/morning", undefined, 200],
    ["POST", "/schedules/morning/run", {}, 202],
    ["PATCH", "/schedules/morning", { paused: true }, 200],
    ["DELETE", "/schedules/morning", undefined, 409],
    ["POST", "/schedules", { id: "morning", cron: "0 8 * * *", target: GREET }, 409],
  ])("are there: %s %s", async (...request) => {
    const [method, path, json, expected] = request;
    const world = new TriggerWorld({ triggers: { schedules } });
    const { status, text } = await world.ask(path, { key, method, json });
    expect([status, text]).toEqual([
      expected,
      expect.stringContaining(path.endsWith("run") ? "id" : "morning"),
    ]);
  });

  it("are read once for all requests of an isolate", async () => {
    const database = sqliteD1();
    const asked: string[] = [];
    const counted = {
      ...database,
      prepare: (sql: string) => {
        asked.push(sql);
        return database.prepare(sql);
      },
    };
    const world = new TriggerWorld({ database: counted, triggers: { schedules } });
    const queriesOf = async (requests: number): Promise<number> => {
      asked.length = 0;
      await Promise.all(Array.from({ length: requests }, () => world.ask("/schedules", { key })));
      return asked.length;
    };
    expect(await queriesOf(3)).toBeGreaterThan(3);
    expect(await queriesOf(3)).toBe(3);
  });
});

describe("schedules of the code", () => {
  const hourly = { cron: "0 * * * *", target: GREET };

  it("start their slots, are listed, can be paused and run, and cannot be changed", async () => {
    const world = new TriggerWorld({ triggers: { schedules: { hourly } } });
    await world.due();
    expect((await world.ask("/schedules", { key })).json["items"]).toMatchObject([
      { id: "hourly", source: "code", next: ["2026-01-01T01:00:00.000Z"] },
    ]);
    await world.tickAt("2026-01-01T01:00:00Z");
    expect(world.startedIds()).toEqual(["hourly-20260101T0100Z"]);
    const change = (json: object) => world.ask("/schedules/hourly", { key, method: "PATCH", json });
    expect((await change({ cron: "@daily" })).status).toBe(409);
    expect((await world.ask("/schedules/hourly", { key, method: "DELETE" })).status).toBe(409);
    expect((await change({ paused: true })).status).toBe(200);
    await world.tickAt("2026-01-01T02:00:00Z");
    expect(world.starts).toHaveLength(1);
    expect((await world.ask("/schedules/hourly/run", { key, method: "POST" })).status).toBe(202);
  });

  it("follow the code when it changes, removes or restores them, and replace a stored one with their id", async () => {
    const database = sqliteD1();
    const before = new TriggerWorld({ database });
    await stored(before, { id: "hourly", cron: "@yearly" });
    const first = new TriggerWorld({ database, triggers: { schedules: { hourly } } });
    await first.due();
    await first.due();
    expect((await first.ask("/schedules/hourly", { key })).json).toMatchObject({
      source: "code",
      cron: "0 * * * *",
    });
    const changed = { ...hourly, cron: "30 * * * *" };
    const second = new TriggerWorld({ database, triggers: { schedules: { hourly: changed } } });
    await second.tickAt("2026-01-01T00:10:00Z");
    await second.tickAt("2026-01-01T00:30:00Z");
    expect(second.startedIds()).toEqual(["hourly-20260101T0030Z"]);
    const third = new TriggerWorld({ database });
    await third.tickAt("2026-01-01T02:00:00Z");
    expect(third.starts).toEqual([]);
    expect((await third.ask("/schedules", { key })).json["items"]).toEqual([]);
  });

  it("write no row at a tick when no schedule is new or due", async () => {
    const world = new TriggerWorld({ triggers: { schedules: { hourly } } });
    await world.due();
    const before = world.database.sqlite.prepare("SELECT total_changes() AS n").get();
    await world.due();
    expect(world.database.sqlite.prepare("SELECT total_changes() AS n").get()).toEqual(before);
  });
});
