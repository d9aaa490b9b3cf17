import { describe, expect, it } from "vitest";
import { alertsPart, type AlertOptions } from "../../../src/alerts/alerts-part.ts";
import { alerts } from "../../../src/entry/alerts.ts";
import { noted } from "../../../src/base/log.ts";
import { failQueued } from "../../../src/cloudflare/child-queue.ts";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { alertStatements, D1AlertStore } from "../../../src/cloudflare/stores/d1-alert-store.ts";
import { noticing } from "../../../src/parts/bind-parts.ts";
import type { Part } from "../../../src/parts/part.ts";
import { quotas } from "../../../src/entry/quotas.ts";
import type { RunIndexRow } from "../../../src/runtime/run.ts";
import { webhookHeaders } from "../../../src/security/webhook.ts";
import { usage } from "../../../src/entry/usage.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const URL_OF_ALERTS = "https://alerts.example.com/edgecrew";
const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const MINUTE_MS = 60_000;

type Sent = {
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
  readonly text: string;
};

class World {
  readonly db = sqliteD1();
  readonly sent: Sent[] = [];
  readonly part: Part;
  readonly http: HttpWorld;
  status = 200;

  constructor(options: Partial<AlertOptions> = {}, parts: readonly Part[] = []) {
    this.part = alertsPart(
      { url: URL_OF_ALERTS, ...options },
      {
        store: ({ DB }) => new D1AlertStore(DB),
        entering: alertStatements,
        fetch: async (_, init) => {
          const text = init?.body as string;
          const body = JSON.parse(text) as Sent["body"];
          this.sent.push({ body, text, headers: new Headers(init?.headers) });
          return new Response(null, { status: this.status });
        },
      },
    );
    this.http = new HttpWorld({
      env: { DB: this.db },
      parts: [this.part, ...parts],
      variables: { EDGECREW_WEBHOOK_SECRET: SECRET },
      report: (error) => this.reported.push(error),
    });
  }

  readonly reported: unknown[] = [];

  async put(rows: readonly RunIndexRow[]): Promise<void> {
    const index = new D1RunIndex(this.db, this.http.services.parts);
    for (const row of rows) await index.put(row);
  }

  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      await this.http.bound.get("alerts")?.due?.();
      await this.http.clock.advance(MINUTE_MS);
    }
  }

  row(id: string, more: Partial<RunIndexRow> = {}): RunIndexRow {
    const atMs = this.http.clock.now();
    const run = { tenant: "acme", id, kind: "crew", name: "briefing", leaseUntilMs: null };
    return { ...run, status: "failed", createdAtMs: atMs, updatedAtMs: atMs, version: 3, ...more };
  }
}

describe("alerts", () => {
  it("ALR1: 200 failures in a minute are one, with the count (OP6)", async () => {
    const world = new World();
    const rows = Array.from({ length: 200 }, (_, index) => world.row(`run-${index}`));
    await world.put([...rows, ...rows, world.row("fine", { status: "completed" })]);
    await world.minutes(4);
    expect(world.sent.map(({ body }) => body)).toEqual([
      {
        type: "alert",
        kind: "run_failed",
        count: 200,
        firstAt: "2026-01-01T00:00:00.000Z",
        lastAt: "2026-01-01T00:00:00.000Z",
        example: { tenant: "acme", run: "run-0" },
      },
    ]);
    await world.put([world.row("later")]);
    await world.minutes(1);
    expect(world.sent).toHaveLength(1);
    await world.minutes(2);
    expect(world.sent.map(({ body }) => [body["kind"], body["count"]])).toEqual([
      ["run_failed", 200],
      ["run_failed", 1],
    ]);
    await world.minutes(10);
    expect(world.sent).toHaveLength(2);
  });

  it("are signed as webhooks are", async () => {
    const world = new World();
    await world.put([world.row("run-1")]);
    const nowMs = world.http.clock.now();
    await world.minutes(1);
    const [{ headers, text: body } = {} as Sent] = world.sent;
    const id = headers.get("webhook-id") ?? "";
    expect(id).toMatch(/^alert-run_failed-\d+$/);
    const expected = await webhookHeaders({ id, url: URL_OF_ALERTS, body, secret: SECRET }, nowMs);
    expect(headers.get("webhook-signature")).toBe(expected["webhook-signature"]);
  });

  it("ALR2: are retried with growing delays under the same id, and include later failures", async () => {
    const world = new World();
    world.status = 500;
    await world.put([world.row("run-1")]);
    await world.minutes(4);
    expect(world.sent).toHaveLength(3); // after 0, 1 and 3 minutes
    await world.put([world.row("run-2")]);
    world.status = 200;
    await world.minutes(5);
    expect(world.sent).toHaveLength(4);
    expect(new Set(world.sent.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    expect(world.sent.at(-1)?.body["count"]).toBe(2);
    expect(world.reported).toHaveLength(3);
    await world.minutes(10);
    expect(world.sent).toHaveLength(4);
  });

  it("ALR1: are sent once when two isolates look at once", async () => {
    const world = new World();
    await world.put([world.row("run-1")]);
    const due = world.http.bound.get("alerts")?.due;
    await Promise.all([due?.(), due?.()]);
    expect(world.sent).toHaveLength(1);
  });

  it("report a held run, once for each time it is held", async () => {
    const world = new World();
    const held = { status: "waiting", heldVersion: "v1" } as const;
    await world.put([
      world.row("run-1", { ...held, version: 3 }),
      world.row("run-1", { ...held, version: 4 }),
      world.row("run-1", { status: "running", version: 5 }),
      world.row("run-1", { ...held, version: 6 }),
    ]);
    await world.minutes(1);
    expect(world.sent.map(({ body }) => [body["kind"], body["count"]])).toEqual([["run_held", 2]]);
  });

  it("ALR3: name the code of an abandoned webhook from the log, without its texts", async () => {
    const world = new World();
    const notice = noticing(world.http.services.parts, { DB: world.db });
    const fields = { tenant: "acme", run: "run-1" };
    const error = noted(new Error("MARKED"), "webhook_abandoned", fields);
    expect(error.message).toBe("MARKED");
    await notice({ code: "webhook_abandoned", fields: { ...fields, detail: "MARKED" } });
    await notice({ code: "price_unknown", fields });
    const message = {
      body: { tenant: "acme", parent: "parent", child: "child" },
      attempts: 4,
      ack: () => undefined,
      retry: () => undefined,
    };
    const objects = {
      getByName: () => ({ call: () => Promise.resolve({ ok: true, value: undefined }) }),
    } as never;
    for (const dead of await failQueued([message], objects))
      await notice({ code: "dead_letter", fields: dead });
    await world.minutes(1);
    expect(world.sent.map(({ body }) => [body["kind"], body["example"]])).toEqual([
      ["dead_letter", { tenant: "acme", run: "child" }],
      ["webhook_abandoned", { tenant: "acme", run: "run-1" }],
    ]);
    expect(JSON.stringify(world.sent)).not.toContain("MARKED");
  });

  it("report a tenant at 80 % of a quota, once", async () => {
    const parts = [usage(), quotas({ runsPerDay: 5 })];
    const world = new World({}, parts);
    for (let run = 0; run < 5; run++) await world.http.kickoff();
    expect(world.reported).toEqual([new Error("tenant default has used 80 % of runsPerDay")]);
  });

  it("report a cron that is late by more than five minutes", async () => {
    const world = new World();
    await world.minutes(3);
    await world.http.clock.advance(4 * MINUTE_MS);
    await world.minutes(1);
    expect(world.sent).toEqual([]);
    await world.http.clock.advance(6 * MINUTE_MS);
    await world.minutes(1);
    expect(world.sent.map(({ body }) => [body["kind"], body["count"]])).toEqual([
      ["sweeper_late", 1],
    ]);
  });

  it("report too many failed runs within an hour, from ten runs on", async () => {
    const world = new World({ on: ["error_rate"] }, [usage()]);
    const sums = {
      spent: [],
      startedAtMs: world.http.clock.now(),
      finishedAtMs: world.http.clock.now(),
    };
    const runs = (from: number, to: number, status: "failed" | "completed"): RunIndexRow[] =>
      Array.from({ length: to - from }, (_, index) =>
        world.row(`run-${from + index}`, { status, sums }),
      );
    await world.put([...runs(0, 5, "failed"), ...runs(5, 9, "completed")]);
    await world.minutes(6);
    expect(world.sent).toEqual([]);
    await world.put(runs(9, 10, "completed"));
    await world.minutes(5);
    expect(world.sent.map(({ body }) => body["kind"])).toEqual(["error_rate"]);
  });

  it("are limited to the configured kinds", async () => {
    const world = new World({ on: ["run_held"] });
    await world.put([world.row("run-1")]);
    await world.minutes(1);
    expect(world.sent).toEqual([]);
    expect(world.db.sqlite.prepare("SELECT * FROM alerts").all()).toEqual([]);
  });

  it("cost no row when no run fails", async () => {
    const world = new World({ on: ["run_failed"] });
    await world.http.kickoff();
    expect(world.db.sqlite.prepare("SELECT * FROM alerts").all()).toEqual([]);
  });

  it.each([
    [{ url: "ftp://x" }, "url must be"],
    [{ url: URL_OF_ALERTS, on: ["run_lost"] }, "on must have some of"],
    [{ url: URL_OF_ALERTS, on: [] }, "on must have some of"],
    [{ url: URL_OF_ALERTS, errorRate: 0 }, "errorRate must be"],
    [{ url: URL_OF_ALERTS, every: 5 }, "every"],
  ])("refuse %j", (options, message) => {
    expect(() => alerts(options as AlertOptions)).toThrow(message);
  });

  it("refuse error_rate without the sums it needs", () => {
    const part = alerts({ url: URL_OF_ALERTS, on: ["error_rate"] });
    expect(() => part.check?.([part])).toThrow("add it to the parts");
  });
});
