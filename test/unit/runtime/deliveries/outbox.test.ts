import { describe, expect, it } from "vitest";
import { PlatformFault } from "../../../../src/base/platform-fault.ts";
import {
  Outbox,
  type Delivery,
  type DeliveryKind,
} from "../../../../src/runtime/deliveries/outbox.ts";
import type { RunStore } from "../../../../src/runtime/run-store.ts";
import type { RunIndexRow } from "../../../../src/runtime/run.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { Latch, perform } from "../../../support/journal-harness.ts";
import { RUN_STORES } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

describe.each(RUN_STORES)("deliveries of a run to the index, $name", ({ open }) => {
  it("H7: are a row for the end of each drive, with growing versions", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
    });
    await world.begin();
    await world.host.resume({ value: 1 });
    await world.rest();
    expect(world.indexed.map(({ status }) => status)).toEqual(["waiting", "completed"]);
    const versions = world.indexed.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
    expect(world.indexed.at(-1)).toEqual({
      id: "run-1",
      tenant: "acme",
      kind: "crew",
      name: "briefing",
      status: "completed",
      createdAtMs: world.clock.now(),
      updatedAtMs: world.clock.now(),
      version: versions.at(-1),
      leaseUntilMs: null,
      waits: [],
      listed: {
        startedAtMs: world.clock.now(),
        finishedAtMs: world.clock.now(),
        usage: { tokens: 0, costUsd: 0, requests: 0 },
        waits: 0,
      },
    });
    expect(world.store.outbox()).toEqual([]);
  });

  it("H7: is never more than the run itself knows", async () => {
    const world: RunWorld = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
      index: async (row) => {
        const record = world.store.load();
        if (record === undefined || record.version < row.version)
          throw new Error("the index knows more");
      },
    });
    await world.begin();
    expect(world.indexed.map(({ status }) => status)).toEqual(["waiting"]);
  });

  it("start during a drive that takes longer than a second", async () => {
    const work = new Latch<null>();
    const world: RunWorld = new RunWorld((scope) => perform(scope, "a", () => work.promise), {
      fixture: open(),
      index: async ({ version }) => {
        if ((world.store.load()?.version ?? 0) < version) throw new Error("the index knows more");
      },
    });
    await world.start();
    const nowMs = world.clock.now();
    const ring = world.ring();
    await world.clock.advance(999);
    expect(world.indexed).toEqual([]);
    await world.clock.advance(1);
    expect(world.indexed).toMatchObject([{ status: "running", leaseUntilMs: nowMs + 5 * 60_000 }]);
    work.resolve(null);
    await ring;
    expect(world.indexed.map(({ status }) => status)).toEqual(["running", "completed"]);
  });

  it("is tried again, later each time, until it has been taken; the run is finished meanwhile", async () => {
    let refuse = true;
    const attempts: number[] = [];
    const world: RunWorld = new RunWorld(async () => "end", {
      fixture: open(),
      index: async () => {
        attempts.push(world.clock.now());
        if (refuse) throw new Error("the index is away");
      },
    });
    const startMs = world.clock.now();
    expect(await world.begin()).toMatchObject({ status: "completed", output: "end" });
    for (let second = 0; second < 20; second++) {
      await world.clock.advance(1000);
      await world.rest();
    }
    const waits = [...new Set(attempts)].map((atMs) => (atMs - startMs) / 1000);
    expect(waits).toEqual([0, 1, 3, 7, 15]);
    expect(world.alarm.dueAtMs).toBe(startMs + 31_000);
    world.restart();
    refuse = false;
    await world.clock.advance(20_000);
    await world.rest();
    expect(world.indexed).toMatchObject([{ status: "completed" }]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("have the time until which the run needs no sweep", async () => {
    const world = new RunWorld(async (scope) => (await scope.at("nap").sleep(3_600_000), null), {
      fixture: open(),
    });
    await world.start();
    const nowMs = world.clock.now();
    expect(JSON.parse(world.store.outbox()[0]?.payload ?? "")).toMatchObject({
      status: "queued",
      leaseUntilMs: nowMs + 60_000,
    });
    await world.rest();
    expect(world.indexed).toMatchObject([
      { status: "waiting", leaseUntilMs: nowMs + 3_600_000 + 60_000 },
    ]);
  });

  it("have no time for a run waiting for a person", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "human" }), {
      fixture: open(),
    });
    await world.begin();
    expect(world.indexed.at(-1)).toMatchObject({ status: "waiting", leaseUntilMs: null });
  });

  it("are repeated by reindex, in any state of the run", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "human" }), {
      fixture: open(),
    });
    await world.begin();
    world.indexed.length = 0;
    world.restart();
    expect(await world.host.reindex()).toBe(true);
    expect(world.indexed).toMatchObject([{ id: "run-1", status: "waiting" }]);
    expect(world.alarm.dueAtMs).toBeNull();
  });
});

describe.each(RUN_STORES)("an outbox, $name", ({ open }) => {
  const row = (version: number): RunIndexRow => ({
    id: "run-1",
    tenant: "acme",
    kind: "crew",
    name: "n",
    status: "running",
    createdAtMs: 0,
    updatedAtMs: 0,
    version,
    leaseUntilMs: null,
  });

  it("replaces an undelivered entry by a later one", async () => {
    const { store } = open();
    const told: number[] = [];
    const outbox = newOutbox(
      store,
      indexing(async ({ version }) => void told.push(version)),
    );
    outbox.add("index", row(1));
    outbox.add("index", row(2));
    await outbox.flush();
    await outbox.flush();
    expect(told).toEqual([2]);
  });

  it.each([true, false])(
    "keeps an entry added during the delivery of the earlier one, taken: %s",
    async (taken) => {
      const { store } = open();
      const told: number[] = [];
      const delivery = new Latch<null>();
      const outbox = newOutbox(
        store,
        indexing(async ({ version }) => {
          told.push(version);
          if (version === 1) await delivery.promise;
        }),
      );
      outbox.add("index", row(1));
      const flush = outbox.flush();
      outbox.add("index", row(2));
      if (taken) delivery.resolve(null);
      else delivery.reject(new Error("lost"));
      await flush;
      expect(store.outbox()).toMatchObject([{ attempts: 0 }]);
      await outbox.flush();
      expect(told).toEqual([1, 2]);
      expect(store.outbox()).toEqual([]);
    },
  );

  it("never waits longer than ten minutes", async () => {
    const { store } = open();
    const clock = new SimulatedClock();
    const outbox = new Outbox({
      store,
      clock,
      deliveries: indexing(() => Promise.reject(new Error("away"))),
    });
    store.putOutbox({ id: "index", payload: JSON.stringify(row(1)), attempts: 40, dueAtMs: 0 });
    await outbox.flush();
    expect(store.outbox()).toMatchObject([{ attempts: 41, dueAtMs: clock.now() + 600_000 }]);
  });
});

describe.each(RUN_STORES)("deliveries of several kinds, $name", ({ open }) => {
  it("run side by side, so a hanging one delays no other kind", async () => {
    const { store } = open();
    const made: string[] = [];
    const outbox = newOutbox(store, {
      ...indexing(() => new Promise(() => {})),
      report: { deliver: async () => void made.push("report") },
    });
    outbox.add("index", {});
    outbox.add("report", null);
    void outbox.flush();
    await expect.poll(() => made).toEqual(["report"]);
    expect(store.outbox().map(({ id }) => id)).toEqual(["index"]);
  });

  it("F5: an entry with a permanent failure is abandoned at once", async () => {
    const { store } = open();
    const givenUp: unknown[] = [];
    const webhook: Delivery = {
      deliver: () => Promise.reject(new Error("refused")),
      maxAttempts: 14,
      isPermanent: (error) => error instanceof Error && error.message === "refused",
      giveUp: (left, reason) => void givenUp.push([left, String(reason)]),
    };
    const outbox = newOutbox(store, { ...indexing(async () => undefined), webhook });
    outbox.add("webhook:1", { target: 0 });
    await outbox.flush();
    expect(givenUp).toEqual([[{ target: 0 }, "Error: refused"]]);
    expect(store.outbox()).toEqual([]);
  });

  it("F5: the rest of an entry is tried again, and abandoned after its last attempt", async () => {
    const { store } = open();
    const clock = new SimulatedClock();
    const tried: unknown[] = [];
    const givenUp: unknown[] = [];
    const dispatch: Delivery = {
      deliver: async (payload) => {
        tried.push(payload);
        return { left: { children: ["b"] } };
      },
      maxAttempts: 3,
      giveUp: (left) => void givenUp.push(left),
    };
    const deliveries = { ...indexing(async () => undefined), dispatch };
    const outbox = new Outbox({ store, clock, deliveries });
    outbox.add("dispatch:a", { children: ["a", "b"] });
    for (const waitMs of [1_000, 2_000, 4_000]) {
      await outbox.flush();
      await clock.advance(waitMs);
    }
    expect(tried).toEqual([{ children: ["a", "b"] }, { children: ["b"] }, { children: ["b"] }]);
    expect(givenUp).toEqual([{ children: ["b"] }]);
    expect(store.outbox()).toEqual([]);
  });

  it("F5: an abandoned entry stays until its consequences are on record", async () => {
    const { store } = open();
    const givenUp: unknown[] = [];
    const dispatch: Delivery = {
      deliver: () => Promise.reject(new Error("refused")),
      maxAttempts: 1,
      giveUp: async (left) => {
        if (givenUp.push(left) === 1) throw new PlatformFault("the storage failed");
      },
    };
    const outbox = newOutbox(store, { ...indexing(async () => undefined), dispatch });
    outbox.add("dispatch:a", { children: ["a"] });
    await expect(outbox.flush()).rejects.toThrow("the storage failed");
    expect(store.outbox().map(({ id }) => id)).toEqual(["dispatch:a"]);
    await outbox.flush();
    expect(givenUp).toEqual([{ children: ["a"] }, { children: ["a"] }]);
    expect(store.outbox()).toEqual([]);
  });

  it("H4: a delivery during which the run's own storage fails does not count as an attempt", async () => {
    const { store } = open();
    const givenUp: unknown[] = [];
    const dispatch: Delivery = {
      deliver: () => Promise.reject(new PlatformFault("the storage failed")),
      maxAttempts: 2,
      giveUp: (left) => void givenUp.push(left),
    };
    const outbox = newOutbox(store, { ...indexing(async () => undefined), dispatch });
    outbox.add("dispatch:a", { children: ["a"] });
    for (let times = 0; times < 4; times++)
      await expect(outbox.flush()).rejects.toThrow("the storage failed");
    expect(givenUp).toEqual([]);
    expect(store.outbox()).toMatchObject([{ id: "dispatch:a", attempts: 0 }]);
  });
});

function newOutbox(store: RunStore, deliveries: Record<DeliveryKind, Delivery>): Outbox {
  return new Outbox({ store, clock: new SimulatedClock(), deliveries });
}

/** Delivers rows of the index; whatever else there is counts as delivered. */
function indexing(index: (row: RunIndexRow) => Promise<void>): Record<DeliveryKind, Delivery> {
  const nothing: Delivery = { deliver: async () => undefined };
  const deliver: Delivery["deliver"] = (row) => index(row as unknown as RunIndexRow);
  const others = { dispatch: nothing, report: nothing, cancel: nothing, webhook: nothing };
  return { index: { deliver }, ...others, "clean-up": nothing };
}
