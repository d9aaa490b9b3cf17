import { describe, expect, it } from "vitest";
import { analyticsEngine, metrics, type MetricPoint } from "../../../src/entry/metrics.ts";
import { pointsOf } from "../../../src/metrics/metric-point.ts";
import { prometheusText } from "../../../src/metrics/gauges.ts";
import {
  HttpWorld,
  textOf,
  type HttpWorldOptions,
  type JsonAnswer,
} from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

class World extends HttpWorld {
  readonly points: MetricPoint[];
  readonly db: ReturnType<typeof sqliteD1>;

  constructor(options: HttpWorldOptions = {}) {
    const points: MetricPoint[] = [];
    const db = sqliteD1();
    const target = metrics(() => ({ write: (point) => void points.push(point) }));
    super({ ...options, env: { DB: db }, parts: [target] });
    this.points = points;
    this.db = db;
  }

  async items(path: string): Promise<readonly JsonAnswer[]> {
    return (await this.ask(path)).json["items"] as unknown as readonly JsonAnswer[];
  }
}

describe("points", () => {
  it("are one for each ended run and each of its model calls, as its journal has them (OP5)", async () => {
    const world = new World({
      script: ({ messages }) => {
        if (JSON.stringify(messages).includes("fail")) throw new Error("MARKED");
        return "A fine answer";
      },
    });
    await world.kickoff("briefing", { id: "run-1", inputs: { topic: "tea" } });
    await world.kickoff("briefing", { id: "run-2", inputs: { topic: "fail" } });
    await world.clock.advance(600_000);
    const steps = await world.items("/runs/run-1/journal?limit=200");
    const { json: run } = await world.ask("/runs/run-1");
    const [whole, ...calls] = world.points.filter(({ blobs }) => blobs[2] === "completed");
    expect(whole).toMatchObject({
      indexes: ["default"],
      blobs: ["crew", "briefing", "completed", "", "", ""],
    });
    const [, tokens, costUsd, stepCount, retries] = whole?.doubles ?? [];
    expect([tokens, costUsd, stepCount, retries]).toEqual([
      run["usage"]?.["totalTokens"],
      run["usage"]?.["costUsd"],
      steps.length,
      0,
    ]);
    expect(calls).toHaveLength(steps.filter((step) => textOf(step["kind"]) === "model").length);
    expect(calls.reduce((sum, { doubles }) => sum + doubles[1], 0)).toBe(tokens);
    const failed = world.points.filter(({ blobs }) => blobs[2] === "failed");
    const failedSteps = await world.items("/runs/run-2/journal?limit=200");
    const failedCalls = failedSteps.filter((step) => textOf(step["kind"]) === "model");
    expect(failed).toHaveLength(1 + failedCalls.length);
    expect(failed[0]?.blobs[5]).toMatch(/^\w+$/);
    expect(JSON.stringify(world.points)).not.toContain("MARKED");
  });

  it("are not written again when a run reports its end again", async () => {
    const world = new World();
    const id = await world.kickoff();
    const { length } = world.points;
    expect(length).toBe(2);
    await world.ask("/admin/reindex", { json: { ids: [id] } });
    await world.clock.advance(60_000);
    expect(world.points).toHaveLength(length);
  });

  it("of a fork leave out the steps that its source did", async () => {
    const world = new World();
    await world.kickoff("briefing", { id: "run-1", inputs: { topic: "tea" } });
    world.points.length = 0;
    await world.ask("/runs/run-1/fork", { json: { id: "fork-1", fromTask: "report" } });
    await world.clock.advance(60_000);
    expect((await world.ask("/runs/fork-1")).json["status"]).toBe("completed");
    expect(world.points.map(({ blobs }) => blobs[3] === "")).toEqual([true, false]);
    const { items } = (await world.ask("/runs/fork-1/journal")).json as unknown as {
      items: readonly { readonly cause?: { readonly how: string } }[];
    };
    const own = items.filter(({ cause }) => cause?.how !== "copied");
    expect(own.length).toBeLessThan(items.length);
    expect(world.points[0]?.doubles[3]).toBe(own.length);
  });

  it("are at most 201 of a run", () => {
    const step = { kind: "model", label: "m", usage: null, wait: null, attempt: 1, state: "error" };
    const points = pointsOf({
      tenant: "acme",
      id: "run-1",
      kind: "crew",
      name: "long",
      status: "failed",
      createdAtMs: 0,
      startedAtMs: 5,
      finishedAtMs: 10,
      steps: () => Array.from({ length: 1_000 }, () => ({ ...step, startedAtMs: 5 })) as never,
    });
    expect(points).toHaveLength(201);
    expect(points[0]?.doubles).toEqual([5, 0, 0, 1_000, 0, 5]);
  });

  it("go to the bound data set only", () => {
    const points: unknown[] = [];
    const point: MetricPoint = {
      indexes: ["acme"],
      blobs: ["crew", "briefing", "completed", "", "", ""],
      doubles: [1, 2, 3, 4, 5, 6],
    };
    const target = analyticsEngine("METRICS");
    const dataSet = { writeDataPoint: (each: unknown) => void points.push(each) };
    target({ DB: sqliteD1(), METRICS: dataSet } as never)?.write(point);
    expect(points).toEqual([point]);
    expect(target({ DB: sqliteD1() })).toBeUndefined();
    expect(analyticsEngine("toString")({ DB: sqliteD1() })).toBeUndefined();
  });
});

const LINE = /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"]*"\})? [0-9.e+-]+)$/;

describe("GET /metrics", () => {
  it("has the gauges of open runs as Prometheus reads them (OP5)", async () => {
    const world = new World();
    await world.ask("/flows/review/kickoff", { json: { id: "asks", inputs: { topic: "tea" } } });
    await world.clock.settle();
    world.db.sqlite.exec(
      `INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, lease_until)
       VALUES ('acme', 'old', 'crew', 'x', 'queued', ${world.clock.now() - 90_000}, 0, 1, ${world.clock.now() - 1})`,
    );
    const { status, headers, text } = await world.ask("/metrics");
    expect([status, headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'edgecrew_runs_active{status="queued"} 1',
        'edgecrew_runs_active{status="running"} 0',
        "edgecrew_waits_open 1",
        "edgecrew_runs_held 0",
        "edgecrew_runs_overdue 1",
        "edgecrew_oldest_queued_seconds 90",
      ]),
    );
    expect(text).not.toContain("cron_age");
    world.db.sqlite.exec(`INSERT INTO sweeper VALUES (1, ${world.clock.now() - 30_000})`);
    expect((await world.ask("/metrics")).text).toContain("edgecrew_cron_age_seconds 30\n");
  });

  it("needs the operator", async () => {
    const db = sqliteD1();
    const world = new HttpWorld({
      env: { DB: db },
      parts: [metrics()],
      auth: { mode: "keys", adminKey: "boss" },
    });
    const { json } = await world.ask("/keys", {
      key: "boss",
      json: { tenant: "acme", scopes: ["admin"] },
    });
    expect((await world.ask("/metrics", { key: textOf(json["key"]) })).status).toBe(403);
    expect((await world.ask("/metrics", { key: "boss" })).status).toBe(200);
    expect((await world.ask("/metrics")).status).toBe(401);
  });

  it("escapes values of labels", () => {
    const values = [{ labels: { name: 'a"\\\n' }, value: 1 }];
    expect(prometheusText([{ name: "x", about: "X.", values }])).toContain(
      'x{name="a\\"\\\\\\n"} 1',
    );
  });
});
