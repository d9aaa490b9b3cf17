import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { PartHost } from "../../../src/parts/part.ts";
import { retention } from "../../../src/entry/retention.ts";
import { Retention, type RetentionOptions } from "../../../src/retention/retention-options.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-22T00:00:00Z");

type Row = {
  readonly id: string;
  readonly status: string;
  readonly endedDaysAgo: number;
  readonly name?: string;
  readonly tenant?: string;
  readonly parent?: string;
};

/** A Worker's runs, and its cron by the minute. */
class World {
  readonly db = sqliteD1();
  readonly clock = new SimulatedClock(NOW);
  readonly deletedPerMinute: number[] = [];
  readonly reported: unknown[] = [];
  readonly #due: () => Promise<unknown>;
  #deleted = 0;

  constructor(options: RetentionOptions, rows: readonly Row[]) {
    const insert = this.db.sqlite.prepare(
      `INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, lease_until, parent_id)
       VALUES (?, ?, 'crew', ?, ?, ?, ?, 1, ?, ?)`,
    );
    for (const { id, status, endedDaysAgo, name = "briefing", tenant = "acme", parent } of rows) {
      const atMs = NOW - endedDaysAgo * DAY;
      const isOpen = !["completed", "failed", "cancelled"].includes(status);
      insert.run(tenant, id, name, status, atMs - 1000, atMs, isOpen ? atMs : null, parent ?? null);
    }
    const bound = retention(options).bind?.({
      env: { DB: this.db },
      clock: this.clock,
      report: (error: unknown) => void this.reported.push(error),
      runs: { delete: (tenant: string, id: string) => this.#delete(tenant, id) },
    } as unknown as PartHost);
    this.#due = bound?.due ?? (() => Promise.reject(new Error("nothing is due")));
  }

  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      this.#deleted = 0;
      await this.#due();
      this.deletedPerMinute.push(this.#deleted);
      await this.clock.advance(60_000);
    }
  }

  get left(): readonly string[] {
    const rows = this.db.sqlite.prepare("SELECT id FROM runs ORDER BY id").all();
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  async #delete(tenant: string, id: string): Promise<void> {
    const row = this.db.sqlite.prepare("SELECT status FROM runs WHERE tenant = ? AND id = ?");
    const { status } = row.get(tenant, id) as { status: string };
    if (!["completed", "failed", "cancelled"].includes(status))
      throw new EngineError("conflict", "it is not finished");
    if (id === "broken") throw new Error("the object does not answer");
    this.db.sqlite.prepare("DELETE FROM runs WHERE tenant = ? AND id = ?").run(tenant, id);
    this.#deleted++;
  }
}

describe("expired runs", () => {
  it("RET1: go, and no others (OP1)", async () => {
    const statuses = ["completed", "failed", "cancelled", "waiting", "running", "queued"];
    const rows = Array.from({ length: 1_000 }, (_, index): Row => ({
      id: `run-${String(index).padStart(4, "0")}`,
      status: statuses[index % statuses.length] ?? "",
      endedDaysAgo: index % 100,
      name: index % 7 === 0 ? "ledger" : "briefing",
    }));
    const options = { completed: "30d", failed: "90d", per: { ledger: "1y" } } as const;
    const world = new World(options, rows);
    const stays = ({ status, endedDaysAgo, name }: Row): boolean => {
      if (!["completed", "failed"].includes(status)) return true;
      return endedDaysAgo < (name === "ledger" ? 365 : status === "failed" ? 90 : 30);
    };
    await world.minutes(60);
    expect(world.left).toEqual(rows.filter(stays).map(({ id }) => id));
    expect(world.deletedPerMinute.filter((count) => count > 0).length).toBeGreaterThan(1);
    expect(Math.max(...world.deletedPerMinute)).toBeLessThanOrEqual(50); // RET3
  });

  it("RET1: keep the newest", async () => {
    const rows = [1, 2, 3, 4].map((days) => ({
      id: `old-${days}`,
      status: "completed",
      endedDaysAgo: 100 + days,
    }));
    const world = new World({ completed: "30d", keep: 2 }, rows);
    await world.minutes(60);
    expect(world.left).toEqual(["old-1", "old-2"]);
    const fewer = new World({ completed: "30d", keep: 9 }, rows);
    await fewer.minutes(60);
    expect(fewer.left).toHaveLength(4);
  });

  it("RET2: take their children along, under any names", async () => {
    const world = new World({ completed: "30d", per: { part: "1y" } }, [
      { id: "parent", status: "completed", endedDaysAgo: 40 },
      { id: "child", status: "completed", endedDaysAgo: 40, parent: "parent", name: "part" },
      { id: "grandchild", status: "failed", endedDaysAgo: 40, parent: "child" },
      { id: "orphan", status: "completed", endedDaysAgo: 40, parent: "gone" },
      { id: "busy", status: "completed", endedDaysAgo: 40 },
      { id: "still-at-work", status: "running", endedDaysAgo: 40, parent: "busy" },
    ]);
    await world.minutes(60);
    expect(world.left).toEqual(["busy", "still-at-work"]);
  });

  it("RET3: go 50 at a time, the oldest first, minute by minute", async () => {
    const rows = Array.from({ length: 120 }, (_, index) => ({
      id: `run-${String(index).padStart(3, "0")}`,
      status: "completed",
      endedDaysAgo: 200 - index,
    }));
    const world = new World({ completed: "30d" }, rows);
    await world.minutes(60);
    const counts = world.deletedPerMinute.filter((count) => count > 0);
    expect(counts).toEqual([50, 50, 20]);
    const first = world.deletedPerMinute.indexOf(50);
    expect(world.deletedPerMinute.slice(first, first + 3)).toEqual([50, 50, 20]);
  });

  it("RET3: a parent of many children goes in several sweeps, itself last", async () => {
    const children = Array.from({ length: 70 }, (_, index) => ({
      id: `child-${index}`,
      status: "completed",
      endedDaysAgo: 40,
      parent: "parent",
    }));
    const world = new World({ completed: "30d" }, [
      { id: "parent", status: "completed", endedDaysAgo: 40 },
      ...children,
    ]);
    await world.minutes(60);
    expect(world.left).toEqual([]);
    expect(Math.max(...world.deletedPerMinute)).toBe(50);
  });

  it("RETP1: each tenant has its minute, and a failure does not affect the others", async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({
      id: index === 3 ? "broken" : `run-${index}`,
      status: "completed",
      endedDaysAgo: 40,
      tenant: `tenant-${index}`,
    }));
    const world = new World({ completed: "30d" }, rows);
    await world.minutes(60);
    expect(world.left).toEqual(["broken"]);
    expect(world.reported).toHaveLength(1);
    expect(world.deletedPerMinute.filter((count) => count > 0).length).toBeGreaterThan(10);
  });

  it("do not exist without a retention time", async () => {
    const world = new World({ keep: 1 }, [{ id: "a", status: "completed", endedDaysAgo: 9_999 }]);
    await world.minutes(60);
    expect(world.left).toEqual(["a"]);
  });
});

describe("retention()", () => {
  it.each([
    [{ completed: "soon" }, /written as 30s/],
    [{ keep: -1 }, /keep must be a whole number from 0 to 1000, got -1/],
    [{ waiting: "1d" }, /waiting/],
    [{ per: { a: "1 day" } }, /written as/],
  ])("refuses %j", (options, message) => {
    expect(() => new Retention(options as never)).toThrow(message);
  });
});
