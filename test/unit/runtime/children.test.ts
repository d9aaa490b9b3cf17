// F1 to F8 are the rules of docs/design/fan-out.md.
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { NO_USAGE } from "../../../src/base/usage.ts";
import { childRunId, type ChildRequest } from "../../../src/events/child-port.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { ChildPointers, ChildReport } from "../../../src/runtime/children/child-run.ts";
import type { OutboxSink } from "../../../src/runtime/deliveries/outbox.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore, RUN_STORES, type StoreFixture } from "../../support/run-stores.ts";
import { RunWorld, START } from "../../support/run-world.ts";

const USAGE = { ...NO_USAGE, promptTokens: 3, totalTokens: 3, requests: 1 };

/** What a run's host hands out, in order; children are started by the test. */
class Carried {
  readonly dispatched: string[][] = [];
  readonly cancelled: string[] = [];
  readonly reported: ChildReport[] = [];
  /** What dispatch does not take. */
  left: (children: readonly string[]) => readonly string[] = () => [];
  /** Whether it is a queue, which only says that they are on their way. */
  queue = false;
  parentIsGone = false;
  readonly couriers: Omit<OutboxSink, "index"> = {
    dispatch: async ({ children }: ChildPointers) => {
      this.dispatched.push([...children]);
      return this.queue ? { left: children, onTheWay: true } : { left: this.left(children) };
    },
    cancel: async ({ children }) => {
      this.cancelled.push(...children);
      return [];
    },
    report: async (_, report) => {
      if (this.parentIsGone) throw new EngineError("not_found", "there is no such run");
      this.reported.push(report);
    },
  };
}

function item(name: string, options: Partial<ChildRequest> = {}): ChildRequest {
  const start = () => ({ kind: "crew", name: "briefing", inputs: { name } }) as const;
  return { at: [name], answer: "output", join: "all", start, ...options };
}

/** Starts a child for each name and answers what they gave, or the code of their error. */
function gathering(...requests: readonly ChildRequest[]) {
  return async (scope: RunScope): Promise<JsonValue> => {
    const answers = scope.children<JsonValue>(requests).flatMap((child) => child.answers);
    return Promise.all(
      answers.map((answer) => answer.catch((error: EngineError) => `error: ${error.code}`)),
    );
  };
}

const idOf = (key: string): string => childRunId(START.id, key);

function done(key: string, output: JsonValue = `${key} done`): ChildReport {
  return { runId: idOf(key), status: "completed", output, usage: USAGE };
}

function worldOf(
  requests: readonly ChildRequest[],
  { fixture, carried = new Carried() }: { fixture?: StoreFixture; carried?: Carried } = {},
) {
  const world = new RunWorld(gathering(...requests), {
    couriers: carried.couriers,
    ...(fixture === undefined ? undefined : { fixture }),
  });
  return { world, carried };
}

describe.each(RUN_STORES)("a run with children, $name", ({ open }) => {
  it("opens a wait for each, has them dispatched, and resumes with their reports", async () => {
    const { world, carried } = worldOf([item("a"), item("b")], { fixture: open() });
    const waiting = await world.begin();
    expect(waiting.status).toBe("waiting");
    expect(waiting.waits).toEqual([
      { key: "a", kind: "child", runId: idOf("a") },
      { key: "b", kind: "child", runId: idOf("b") },
    ]);
    expect(carried.dispatched).toEqual([[idOf("a"), idOf("b")]]);
    expect(world.alarm.dueAtMs).toBeNull();
    expect(world.host.children.starts([idOf("b")])).toMatchObject([
      { id: idOf("b"), tenant: "acme", inputs: { name: "b" }, parent: { id: "run-1", key: "b" } },
    ]);
    await world.host.children.ended(done("b"));
    await world.host.children.ended(done("a"));
    const run = await world.rest();
    expect(run).toMatchObject({ status: "completed", output: ["a done", "b done"] });
    expect(run.usage).toMatchObject({ requests: 2, promptTokens: 6 });
  });

  it("F8: is driven once for a group of waits, however many reports come", async () => {
    const names = Array.from({ length: 250 }, (_, index) => `item:${index}`);
    const { world, carried } = worldOf(
      names.map((name) => item(name)),
      { fixture: open() },
    );
    await world.begin();
    expect(carried.dispatched.map((lot) => lot.length).toSorted((a, b) => b - a)).toEqual([
      100, 100, 50,
    ]);
    const drives = (): number => world.eventTypes().filter((type) => type === "run_resumed").length;
    for (const [index, name] of names.entries()) {
      if (index === 100) world.restart();
      expect(await world.ring()).toBe(false);
      await world.host.children.ended(done(name));
    }
    expect((await world.rest()).status).toBe("completed");
    expect(drives()).toBe(1);
  });

  it("F8: is woken at once by a failure", async () => {
    const { world } = worldOf([item("a"), item("b")], { fixture: open() });
    await world.begin();
    const error = { code: "tool_failed", message: "no", retryable: false } as const;
    await world.host.children.ended({ runId: idOf("b"), status: "failed", error, usage: USAGE });
    expect(world.alarm.dueAtMs).toBe(world.clock.now());
    await world.rest();
    await world.host.children.ended(done("a"));
    expect((await world.rest()).output).toEqual(["a done", "error: tool_failed"]);
  });

  it("F3: takes no second report, no late one and no stranger's", async () => {
    const { world } = worldOf([item("a"), item("b")], { fixture: open() });
    await world.begin();
    await world.host.children.ended(done("a"));
    await world.host.children.ended(done("a", "another"));
    await world.host.children.ended({ ...done("b"), runId: "c_of-another-run" });
    expect(world.host.children.starts([idOf("a"), "c_of-another-run"])).toEqual([
      undefined,
      undefined,
    ]);
    expect((await world.rest()).status).toBe("waiting");
    await world.host.children.ended(done("b"));
    const run = await world.rest();
    expect(run.output).toEqual(["a done", "b done"]);
    await world.host.children.ended(done("b", "late"));
    expect(await world.host.status()).toEqual(run);
    expect(world.host.children.starts([idOf("b")])).toEqual([undefined]);
  });

  it("passes the parts of one child's output to their waits", async () => {
    const starts: Array<readonly string[]> = [];
    const parts: ChildRequest = {
      ...item("a"),
      at: ["a", "b", "c"],
      answer: "parts",
      start: (at) => {
        starts.push(at);
        return { kind: "task", name: "briefing", inputs: {}, part: { at } };
      },
    };
    const { world } = worldOf([parts], { fixture: open() });
    await world.begin();
    expect(starts).toEqual([["a", "b", "c"]]);
    const error = { code: "tool_failed", message: "no", retryable: false };
    await world.host.children.ended(done("a", { parts: [{ value: 1 }, { error }] }));
    const run = await world.rest();
    expect(run.output).toEqual([1, "error: tool_failed", "error: internal"]);
    expect(run.usage.requests).toBe(1);
  });

  it("F6: fails a wait that falls due with timeout, and cancels its child", async () => {
    const { world, carried } = worldOf([item("a", { dueAtMs: 500 }), item("b")], {
      fixture: open(),
    });
    await world.begin();
    await world.clock.advance(500);
    await world.rest();
    expect(carried.cancelled).toEqual([idOf("a")]);
    await world.host.children.ended(done("a"));
    await world.host.children.ended(done("b"));
    expect((await world.rest()).output).toEqual(["error: timeout", "b done"]);
  });

  it("F6: cancels its open children at its end", async () => {
    const { world, carried } = worldOf([item("a"), item("b")], { fixture: open() });
    await world.begin();
    await world.host.children.ended(done("a"));
    await world.host.cancel();
    await world.rest();
    expect(carried.cancelled).toEqual([idOf("b")]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("F5: fails the waits of children whose dispatch fails again and again", async () => {
    const { world, carried } = worldOf([item("a"), item("b")], { fixture: open() });
    carried.left = (children) => children.filter((child) => child === idOf("b"));
    await world.begin();
    await world.host.children.ended(done("a"));
    for (let times = 0; times < 10 && world.alarm.dueAtMs !== null; times++) {
      await world.clock.advance(Math.max(0, world.alarm.dueAtMs - world.clock.now()));
      await world.rest();
    }
    expect((await world.host.status()).output).toEqual(["a done", "error: unavailable"]);
    expect(carried.dispatched).toHaveLength(8);
    expect(carried.dispatched.at(-1)).toEqual([idOf("b")]);
  });

  it("F4: repeats messages a queue has lost, until it is notified that the children have begun", async () => {
    const { world, carried } = worldOf([item("a"), item("b"), item("c")], { fixture: open() });
    carried.queue = true;
    await world.begin();
    const all = ["a", "b", "c"].map(idOf);
    await world.host.children.begun([idOf("b")]);
    world.restart();
    await world.clock.advance(10_000);
    await world.rest();
    await world.clock.advance(20_000);
    await world.rest();
    const two = [all[0], all[2]];
    expect(carried.dispatched).toEqual([all, two, two]);
    await world.host.children.begun(all);
    expect(world.store.outbox()).toEqual([]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("F6: sends no message after its end", async () => {
    const { world, carried } = worldOf([item("a")], { fixture: open() });
    carried.queue = true;
    await world.begin();
    await world.host.cancel();
    await world.clock.advance(60_000);
    await world.rest();
    expect(carried.dispatched).toHaveLength(1);
    expect(world.store.outbox()).toEqual([]);
  });

  it("F1: a fork starts children of its own, and takes over earlier reports", async () => {
    const { world } = worldOf([item("a"), item("b")], { fixture: open() });
    await world.begin();
    await world.host.children.ended(done("a"));
    const rows = [world.store.journal.get("a")].filter((row) => row !== undefined);
    const { world: fork, carried } = worldOf([item("a"), item("b")]);
    await fork.begin({ id: "run-2" }, rows);
    expect(carried.dispatched).toEqual([[childRunId("run-2", "b")]]);
  });
});

describe("F2: a storage fault in the middle of opening leaves all of it or no trace", () => {
  it.each(Array.from({ length: 32 }, (_, index) => index + 1))("at write %i", async (at) => {
    let writes = 0;
    const carried = new Carried();
    const world = new RunWorld(gathering(item("a"), item("b"), item("c")), {
      fixture: openSqlStore(),
      couriers: carried.couriers,
      wrap: (store) => faultyRunStore(store, () => ++writes === at),
    });
    await world.start().catch(() => world.start());
    await goOnUntil(world, "waiting");
    const ids = ["a", "b", "c"].map(idOf);
    expect(carried.dispatched.at(-1)?.toSorted()).toEqual(ids.toSorted());
    for (const key of ["c", "a", "b"])
      await world.host.children.ended(done(key)).catch(() => world.host.children.ended(done(key)));
    await goOnUntil(world, "completed");
    expect((await world.host.status()).output).toEqual(["a done", "b done", "c done"]);
    expect(writes).toBeGreaterThan(at);
  });
});

it("F3: a repeated report sets the alarm the first one could not set", async () => {
  const { world } = worldOf([item("a")]);
  await world.begin();
  world.alarm.broken = true;
  await expect(world.host.children.ended(done("a"))).rejects.toThrow("out of order");
  expect(world.alarm.dueAtMs).toBeNull();
  world.alarm.broken = false;
  await world.host.children.ended(done("a"));
  expect(await world.rest()).toMatchObject({ status: "completed", output: ["a done"] });
});

describe("F5: the waits of abandoned children fail despite storage faults", () => {
  it.each(Array.from({ length: 8 }, (_, index) => index + 1))("at write %i", async (at) => {
    let writes = 0;
    const carried = new Carried();
    carried.left = (children) => children;
    const isLast = (): boolean => carried.dispatched.length >= 8;
    const world = new RunWorld(gathering(item("a"), item("b")), {
      fixture: openSqlStore(),
      couriers: carried.couriers,
      wrap: (store) => faultyRunStore(store, () => isLast() && ++writes === at),
    });
    await world.begin();
    await goOnUntil(world, "completed");
    expect((await world.host.status()).output).toEqual([
      "error: unavailable",
      "error: unavailable",
    ]);
    expect(writes).toBeGreaterThan(at);
  });
});

describe("a child", () => {
  const parent = { parent: { id: "parent-1", key: "item:3" } };

  it("F4: reports until its parent has taken it", async () => {
    const carried = new Carried();
    let failures = 2;
    const { report } = carried.couriers;
    const world = new RunWorld(async () => "done", {
      couriers: {
        ...carried.couriers,
        report: async (...told) => {
          if (failures-- > 0) throw new Error("away");
          await report?.(...told);
        },
      },
    });
    const run = await world.begin(parent);
    expect(run.parent).toEqual(parent.parent);
    expect(world.indexed.at(-1)).toMatchObject(parent);
    for (const waitMs of [1_000, 2_000]) {
      expect(carried.reported).toEqual([]);
      await world.clock.advance(waitMs);
      await world.rest();
    }
    expect(carried.reported).toMatchObject([
      { runId: "run-1", status: "completed", output: "done", usage: NO_USAGE },
    ]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it.each([
    ["failed", { code: "tool_failed" }],
    ["cancelled", { code: "run_cancelled" }],
  ] as const)("reports its end as %s", async (status, error) => {
    const carried = new Carried();
    const world = new RunWorld(
      async (scope) => {
        if (status === "failed") throw new EngineError("tool_failed", "no");
        return scope.at("ask").wait({ kind: "input" });
      },
      { couriers: carried.couriers },
    );
    await world.begin(parent);
    if (status === "cancelled") await world.host.cancel();
    await world.rest();
    expect(carried.reported).toMatchObject([{ status, error }]);
  });

  it("F4: delivers no report to a deleted parent", async () => {
    const carried = new Carried();
    carried.parentIsGone = true;
    const world = new RunWorld(async () => null, { couriers: carried.couriers });
    await world.begin(parent);
    expect(world.store.outbox()).toEqual([]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("keeps an output longer than its parent takes", async () => {
    const carried = new Carried();
    const world = new RunWorld(async () => "x".repeat(20), { couriers: carried.couriers });
    await world.begin({ ...parent, maxOutputLength: 21 });
    expect(carried.reported).toMatchObject([{ status: "completed", omitted: true }]);
    expect(carried.reported[0]).not.toHaveProperty("output");
  });

  it("F3: is not started by another parent", async () => {
    const world = new RunWorld(async () => null);
    await world.begin(parent);
    const other = { ...START, parent: { id: "parent-2", key: "item:3" } };
    await expect(world.host.begin(other)).rejects.toMatchObject({ code: "conflict" });
    await world.host.begin({ ...START, ...parent });
  });
});

it("a run without a dispatch starts no children", async () => {
  const world = new RunWorld(async (scope) => {
    expect(scope.hasChildren).toBe(false);
    return gathering(item("a"))(scope);
  });
  expect((await world.begin()).error).toMatchObject({ code: "conflict" });
});

/** Rings the alarm, and lets time pass, until the run has this status and owes nothing. */
async function goOnUntil(world: RunWorld, status: string): Promise<void> {
  for (let times = 0; times < 20; times++) {
    const run = await world.rest();
    if (run.status === status && world.alarm.dueAtMs === null) return;
    if (world.alarm.dueAtMs !== null)
      await world.clock.advance(Math.max(0, world.alarm.dueAtMs - world.clock.now()));
  }
  throw new Error(`the run does not come to be ${status}`);
}

describe("values without a JSON form", () => {
  const values = {
    at: new Date("2026-03-01T00:00:00.000Z"),
    names: new Map([["a", new Set([1])]]),
    bytes: new Uint8Array([1, 2, 3]),
    big: 2n ** 70n,
    open: Number.POSITIVE_INFINITY,
  };
  const look = { "edgecrew:value": "map", of: "from a model" };

  it("reach the parent as they were in the output of the child, through the text of its report", async () => {
    const carried = new Carried();
    const child = new RunWorld(async () => ({ values, look }) as never, {
      couriers: carried.couriers,
    });
    const start = { id: idOf("a"), parent: { id: START.id, key: "a" } };
    expect((await child.begin(start)).output).toEqual({
      values: {
        at: "2026-03-01T00:00:00.000Z",
        names: { a: [1] },
        bytes: "AQID",
        big: String(2n ** 70n),
        open: "Infinity",
      },
      look,
    });
    const [report] = carried.reported.map(
      (each) => JSON.parse(JSON.stringify(each)) as ChildReport,
    );
    if (report === undefined) throw new Error("the child has reported nothing");

    let received: unknown;
    const parent = new RunWorld(
      async (scope) => {
        [received] = await Promise.all(
          scope.children<JsonValue>([item("a")]).flatMap(({ answers }) => answers),
        );
        return null;
      },
      { couriers: new Carried().couriers },
    );
    await parent.begin();
    parent.restart();
    await parent.host.children.ended(report);
    expect(await parent.rest()).toMatchObject({ status: "completed" });
    expect(received).toEqual({ values, look });
  });

  it("keep their texts in a report of an older version", async () => {
    const { world } = worldOf([item("a")]);
    await world.begin();
    await world.host.children.ended(done("a", { at: "2026-03-01T00:00:00.000Z" }));
    expect(await world.rest()).toMatchObject({ output: [{ at: "2026-03-01T00:00:00.000Z" }] });
  });
});
