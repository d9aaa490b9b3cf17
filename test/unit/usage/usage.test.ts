import { describe, expect, it } from "vitest";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import type { Part } from "../../../src/parts/part.ts";
import type { RunIndexRow } from "../../../src/runtime/run.ts";
import { usage } from "../../../src/entry/usage.ts";
import { HttpWorld, type HttpWorldOptions, type JsonAnswer } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const DAY_MS = 86_400_000;

type World = { readonly http: HttpWorld; readonly db: ReturnType<typeof sqliteD1> };

function world(options: HttpWorldOptions = {}, parts: readonly Part[] = [usage()]): World {
  const db = sqliteD1();
  return { db, http: new HttpWorld({ ...options, env: { DB: db }, parts }) };
}

async function items({ http }: World, path: string): Promise<readonly JsonAnswer[]> {
  const { status, json } = await http.ask(path);
  expect(status).toBe(200);
  return json["items"] as unknown as readonly JsonAnswer[];
}

function rowsOf({ db }: World): unknown {
  const all = (table: string): unknown => db.sqlite.prepare(`SELECT * FROM ${table}`).all();
  return { hours: all("run_hours"), days: all("usage_days") };
}

describe("sums over runs", () => {
  it("count starts, ends and usage of runs, as in their journals (CA14)", async () => {
    const app = world({
      script: ({ messages }) => {
        if (JSON.stringify(messages).includes("fail")) throw new Error("no");
        return "A fine answer";
      },
    });
    const { http } = app;
    for (const topic of ["tea", "coffee", "fail"])
      await http.kickoff("briefing", { id: `run-${topic}`, inputs: { topic } });
    await http.kickoff("greeting");
    await http.clock.advance(600_000);
    expect(await items(app, "/stats?group=name&by=day")).toMatchObject([
      { group: "briefing", kind: "crew", started: 3, completed: 2, failed: 1, cancelled: 0 },
      { group: "greeting", started: 1, completed: 1, failed: 0 },
    ]);
    const greetings = await items(app, "/stats?group=kind&by=day&kind=crew&name=greeting");
    expect(greetings).toMatchObject([{ group: "crew", started: 1, completed: 1 }]);
    expect(greetings).toHaveLength(1);
    expect(await items(app, "/usage?group=name&kind=crew&name=greeting")).toHaveLength(1);
    expect(await items(app, "/usage?group=name&kind=flow&name=greeting")).toEqual([]);
    expect(await items(app, "/stats?group=status")).toMatchObject([
      { group: "started", started: 4, completed: 0 },
      { group: "completed", completed: 3 },
      { group: "failed", failed: 1 },
    ]);
    const views = await Promise.all(
      ["run-tea", "run-coffee", "run-fail"].map(async (id) => (await http.ask(`/runs/${id}`)).json),
    );
    const requests = views.reduce((sum, view) => sum + Number(view["usage"]?.["requests"]), 0);
    const tokens = views.reduce((sum, view) => sum + Number(view["usage"]?.["totalTokens"]), 0);
    expect(requests).toBeGreaterThan(2);
    expect((await items(app, "/usage"))[0]).toMatchObject({
      group: "briefing",
      requests,
      totalTokens: tokens,
    });
    expect(await items(app, "/usage?group=model&by=month")).toHaveLength(1);
  });

  it("SUM1, SUM2: count a run once, for any number, delay and order of its reports (CA14)", async () => {
    const row = (version: number, more: Partial<RunIndexRow> = {}): RunIndexRow => ({
      tenant: "acme",
      id: "run-1",
      kind: "crew",
      name: "briefing",
      status: "running",
      createdAtMs: 10 * DAY_MS,
      updatedAtMs: 10 * DAY_MS + version,
      leaseUntilMs: null,
      version,
      ...more,
    });
    const spent = (requests: number): RunIndexRow["sums"] => ({
      spent: [
        {
          model: "m",
          requests,
          promptTokens: 10 * requests,
          completionTokens: 1,
          costUsd: 0.5 * requests,
        },
      ],
      startedAtMs: 10 * DAY_MS + 1_000,
    });
    const rows = [
      row(0, { status: "queued" }),
      row(1, { status: "queued" }),
      row(2),
      row(3, { status: "waiting", sums: spent(2)! }),
      row(4),
      row(5, { status: "completed", sums: { ...spent(5)!, finishedAtMs: 11 * DAY_MS } }),
    ];
    const once = sqliteD1();
    for (const each of rows) await new D1RunIndex(once, [usage()]).put(each);
    const expected = rowsOf({ db: once } as World);
    expect(expected).toEqual({
      hours: [
        {
          tenant: "acme",
          hour: 240,
          kind: "crew",
          name: "briefing",
          started: 1,
          completed: 0,
          failed: 0,
          cancelled: 0,
          run_ms: 0,
        },
        {
          tenant: "acme",
          hour: 264,
          kind: "crew",
          name: "briefing",
          started: 0,
          completed: 1,
          failed: 0,
          cancelled: 0,
          run_ms: DAY_MS - 1_000,
        },
      ],
      days: [
        {
          tenant: "acme",
          day: 10,
          kind: "crew",
          name: "briefing",
          model: "m",
          requests: 2,
          prompt_tokens: 20,
          completion_tokens: 1,
          cost: 1,
        },
        {
          tenant: "acme",
          day: 11,
          kind: "crew",
          name: "briefing",
          model: "m",
          requests: 3,
          prompt_tokens: 30,
          completion_tokens: 0,
          cost: 1.5,
        },
      ],
    });
    // Each row twice, and an older one again after each.
    const often = sqliteD1();
    for (const [at, each] of rows.entries())
      for (const again of [each, each, ...rows.slice(0, at)])
        await new D1RunIndex(often, [usage()]).put(again);
    expect(rowsOf({ db: often } as World)).toEqual(expected);
    // The last one first: then all of it belongs to the day of its end.
    const late = sqliteD1();
    for (const each of rows.toReversed()) await new D1RunIndex(late, [usage()]).put(each);
    expect(rowsOf({ db: late } as World)).toMatchObject({
      hours: [
        { hour: 240, started: 1 },
        { hour: 264, completed: 1 },
      ],
      days: [{ day: 11, requests: 5, cost: 2.5 }],
    });
  });

  it("come back with the runs after the loss of the database (OP3)", async () => {
    const app = world();
    const ids = [await app.http.kickoff(), await app.http.kickoff()];
    const before = rowsOf(app);
    app.http.runs.forgetIndex();
    app.db.sqlite.exec("DELETE FROM run_hours; DELETE FROM usage_days");
    await app.http.clock.advance(3 * DAY_MS);
    for (let time = 0; time < 2; time++) await app.http.ask("/admin/reindex", { json: { ids } });
    await app.http.clock.settle();
    expect(rowsOf(app)).toEqual(before);
  });

  it("count the usage of children once, as the children's", async () => {
    const app = world();
    await app.http.ask("/crews/briefing/kickoff-for-each", {
      json: { inputs: [{ topic: "tea" }, { topic: "coffee" }] },
    });
    await app.http.clock.advance(60_000);
    const stats = await items(app, "/stats?group=kind");
    expect(stats).toMatchObject([
      { group: "batch", started: 1, completed: 1 },
      { group: "crew", started: 2, completed: 2 },
    ]);
    expect(await items(app, "/usage?group=kind")).toMatchObject([{ group: "crew", requests: 4 }]);
  });

  it("belong to a tenant", async () => {
    const app = world();
    await app.http.kickoff();
    app.db.sqlite.exec(
      "UPDATE run_hours SET tenant = 'other'; UPDATE usage_days SET tenant = 'other'",
    );
    expect(await items(app, "/stats")).toEqual([]);
    expect(await items(app, "/usage")).toEqual([]);
  });

  it("cost three rows a run of one model, and no rows without the part", async () => {
    const writes = async (parts: readonly Part[]): Promise<number> => {
      const app = world({}, parts);
      await app.http.kickoff("greeting", { id: "run-1" });
      const row = app.db.sqlite.prepare("SELECT total_changes() AS changes").get();
      return Number(row?.["changes"]);
    };
    const without = await writes([]);
    // Its start and its end are in one hour: one row, written twice.
    expect((await writes([usage()])) - without).toBe(3);
    const app = world({}, []);
    await app.http.kickoff();
    expect(app.db.sqlite.prepare("SELECT usage FROM runs").get()).toEqual({ usage: null });
    expect((await app.http.ask("/stats")).status).toBe(404);
  });
});

describe("refused queries", () => {
  it.each([
    ["/stats?by=minute", "by"],
    ["/stats?from=yesterday", "ISO 8601"],
    ["/stats?from=2026-02-01&to=2026-01-01", "expected a time before"],
    ["/usage?from=2024-01-01&to=2026-01-01", "at most 400 days, got 731"],
    ["/usage?by=hour", 'expected one of \\"day\\", \\"month\\"'],
    ["/usage?from=2024-11-26&to=2026-01-01", "at most 400 days, got 401"],
    ["/usage?group=agent", "group"],
    ["/usage?days=30", "days"],
  ])("USG1: %s (BI13)", async (path, message) => {
    const { status, text } = await world().http.ask(path);
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  it("USG1: more than 2,000 rows (BI13)", async () => {
    const app = world();
    const insert = app.db.sqlite.prepare(
      "INSERT INTO run_hours VALUES ('default', ?, 'crew', ?, 1, 0, 0, 0, 0)",
    );
    const hour = Math.floor(app.http.clock.now() / 3_600_000);
    for (let index = 0; index < 2_001; index++) insert.run(hour - 1, `crew-${index}`);
    const { status, text } = await app.http.ask("/stats");
    expect([status, text]).toEqual([400, expect.stringContaining("choose a longer step")]);
    expect(await items(app, "/stats?group=kind")).toMatchObject([{ started: 2_001 }]);
  });
});
