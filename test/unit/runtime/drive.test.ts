import { describe, expect, it } from "vitest";
import { EngineError, errorMessage } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { Latch, perform } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore, RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

describe.each(RUN_STORES)("driving a run, $name", ({ open }) => {
  it("completes with the program's value, and hands it its inputs", async () => {
    const world = new RunWorld(
      async (scope, inputs) =>
        perform(scope, "a", () => `about ${JSON.stringify(inputs["topic"])}`),
      { fixture: open() },
    );
    expect(await world.begin()).toMatchObject({ status: "completed", output: `about "tea"` });
    expect(world.store.events.read(0, 10)).toMatchObject([
      {
        seq: 1,
        id: "run_started",
        type: "run_started",
        runId: "run-1",
        kind: "crew",
        name: "briefing",
        inputs: { topic: "tea" },
      },
      { seq: 2, id: "run_completed", type: "run_completed", output: `about "tea"` },
    ]);
  });

  it("fails with the program's error", async () => {
    const world = new RunWorld(
      () =>
        Promise.reject(
          new EngineError("output_invalid", "no title", {
            issues: [{ path: "/title", message: "expected string" }],
          }),
        ),
      { fixture: open() },
    );
    const error = {
      code: "output_invalid",
      message: "no title",
      retryable: false,
      issues: [{ path: "/title", message: "expected string" }],
    };
    expect(await world.begin()).toMatchObject({ status: "failed", error });
    expect(world.store.events.read(1, 10)).toMatchObject([{ type: "run_failed", error }]);
  });

  it("completes with null when the program returns undefined", async () => {
    const world = new RunWorld(async () => undefined as unknown as JsonValue, { fixture: open() });
    expect(await world.begin()).toMatchObject({ status: "completed", output: null });
  });

  it("fails when the program's value cannot be recorded", async () => {
    const value = (() => 1) as unknown as JsonValue;
    const world = new RunWorld(async () => value, { fixture: open() });
    expect(await world.begin()).toMatchObject({
      status: "failed",
      error: { code: "output_invalid" },
    });
  });

  it("keeps a large output with the run and leaves it out of the last event", async () => {
    const world = new RunWorld(async () => "x".repeat(1_000_000), { fixture: open() });
    expect((await world.begin()).output).toHaveLength(1_000_000);
    expect(world.store.events.read(1, 1)).toMatchObject([{ type: "run_completed", output: null }]);
  });

  it("RD2: sets an alarm before the program begins, which brings the run back after a crash", async () => {
    let begun = 0;
    const world: RunWorld = new RunWorld(
      () => {
        begun++;
        return begun === 1
          ? new Promise(() => {})
          : Promise.resolve(world.alarm.calls.at(-1) ?? null);
      },
      { fixture: open() },
    );
    await world.start();
    void world.ring();
    await world.clock.settle();
    expect(world.alarm.dueAtMs).toBe(world.clock.now() + 1000);
    world.restart();
    await world.clock.advance(1000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "set +1000" });
  });

  it("RD2: continues after a crash with the record, and repeats only open steps", async () => {
    const calls: string[] = [];
    const never = new Latch<null>();
    let crashed = false;
    const world = new RunWorld(
      async (scope) => {
        await perform(scope, "a", () => (calls.push("a"), null));
        await perform(scope, "b", () => (calls.push("b"), crashed ? null : never.promise));
        return perform(scope, "c", () => (calls.push("c"), "end"));
      },
      { fixture: open() },
    );
    await world.start();
    void world.ring();
    await world.clock.settle();
    crashed = true;
    world.restart();
    await world.clock.advance(1000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "end" });
    expect(calls).toEqual(["a", "b", "b", "c"]);
    expect(world.eventTypes()).toEqual(["run_started", "step_restarted", "run_completed"]);
  });

  it("H5: a run waiting for a person has no alarm", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "human" }), {
      fixture: open(),
    });
    expect(await world.begin()).toMatchObject({ status: "waiting" });
    expect(world.alarm.dueAtMs).toBeNull();
    expect(world.clock.pending).toBe(0);
  });

  it("H5: a run waiting for a time has its alarm set to the first one", async () => {
    const world = new RunWorld(
      async (scope) => (
        await Promise.all([scope.at("long").sleep(5000), scope.at("short").sleep(2000)]),
        "rested"
      ),
      { fixture: open() },
    );
    expect(await world.begin()).toMatchObject({ status: "waiting" });
    expect(world.alarm.dueAtMs).toBe(world.clock.now() + 2000);
    await world.clock.advance(2000);
    await world.rest();
    expect(world.alarm.dueAtMs).toBe(world.clock.now() + 3000);
    await world.clock.advance(3000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "rested" });
  });

  it("H5: a finished run has no alarm", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.begin();
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("H6: is never driven again once it is finished", async () => {
    let drives = 0;
    const world = new RunWorld(async () => ++drives, { fixture: open() });
    await world.begin();
    world.restart();
    await world.host.alarm();
    await world.host.poke();
    expect(drives).toBe(1);
    expect(world.eventTypes()).toEqual(["run_started", "run_completed"]);
  });

  it("H6: refuses to resume, cancel, pause or unpause a finished run", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.begin();
    for (const act of [
      () => world.host.resume({ feedback: "x" }),
      () => world.host.cancel(),
      () => world.host.pause(),
      () => world.host.unpause(),
    ]) {
      await expect(act()).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("completed"),
      });
    }
  });

  it("serves two alarms at once as one", async () => {
    let drives = 0;
    const work = new Latch<string>();
    const world = new RunWorld((scope) => (drives++, perform(scope, "a", () => work.promise)), {
      fixture: open(),
    });
    await world.start();
    const both = Promise.all([world.host.alarm(), world.host.alarm()]);
    await world.clock.settle();
    const third = world.host.alarm();
    await world.clock.settle();
    work.resolve("once");
    await both;
    await third;
    expect(drives).toBe(1);
    expect(await world.host.status()).toMatchObject({ status: "completed", output: "once" });
  });

  it("yields after 8 minutes and goes on at once in a new drive", async () => {
    let drives = 0;
    const world: RunWorld = new RunWorld(
      async (scope) => {
        drives++;
        for (let n = 0; n < 3; n++)
          await perform(
            scope,
            `s:${n}`,
            () =>
              new Promise<null>((resolve) => world.clock.after(5 * 60_000, () => resolve(null))),
          );
        return "through";
      },
      { fixture: open() },
    );
    await world.start();
    const first = world.ring();
    await world.clock.advance(10 * 60_000);
    await first;
    expect(await world.host.status()).toMatchObject({ status: "running" });
    expect(world.alarm.dueAtMs).toBe(world.clock.now());
    const second = world.ring();
    await world.clock.advance(5 * 60_000);
    await second;
    expect(await world.host.status()).toMatchObject({ status: "completed", output: "through" });
    expect(drives).toBe(2);
    expect(world.eventTypes()).toEqual(["run_started", "run_completed"]);
  });

  it("reports retries", async () => {
    let calls = 0;
    const world = new RunWorld(
      (scope) =>
        perform(scope, "a", () => {
          if (++calls === 1)
            throw new EngineError("tool_failed", "busy", { retryable: true, retryAfterMs: 100 });
          return calls;
        }),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.advance(100);
    await ring;
    expect(world.store.events.read(1, 1)).toMatchObject([
      {
        type: "step_retrying",
        id: "a:step_retrying#1",
        key: "a",
        attempt: 1,
        delayMs: 100,
        error: { message: "busy" },
      },
    ]);
  });

  it("poke sets the alarm of a run without one, and of one whose alarm is long overdue", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.start();
    world.alarm.dueAtMs = null;
    await world.host.poke();
    expect(world.alarm.dueAtMs).toBe(world.clock.now());
    const { length } = world.alarm.calls;
    await world.clock.advance(61_000);
    await world.host.poke();
    expect(world.alarm.calls).toHaveLength(length + 1);
    expect(world.alarm.dueAtMs).toBeLessThanOrEqual(world.clock.now());
  });

  it("poke leaves a run with an open drive alone", async () => {
    const work = new Latch<null>();
    const world = new RunWorld((scope) => perform(scope, "a", () => work.promise), {
      fixture: open(),
    });
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    world.alarm.dueAtMs = null;
    await world.host.poke();
    expect(world.alarm.dueAtMs).toBeNull();
    work.resolve(null);
    await ring;
  });
});

describe("failing storage under a run", () => {
  const program = async (scope: RunScope): Promise<JsonValue> => {
    try {
      const a = await perform(scope, "a", () => "a");
      scope.at("a").emit("run_resumed", {});
      return [a, await perform(scope, "b", () => "b")];
    } catch {
      return "the program heard of it";
    }
  };

  it.each([
    "append run_started",
    "put a started",
    "put a done",
    "append run_resumed",
    "put b done",
    "setValue output",
    "append run_completed",
    "save",
    "putOutbox index",
  ])("H4: decides no outcome, and the drive repeats two seconds later: %s", async (failing) => {
    let failures = 0;
    const world = new RunWorld(program, {
      fixture: openSqlStore(),
      wrap: (store) =>
        faultyRunStore(store, (write) => write === failing && failures > 0 && failures-- > 0),
    });
    await world.start();
    failures = 1;
    await world.ring();
    expect(failures).toBe(0);
    expect(await world.host.status()).toMatchObject({
      status: expect.stringMatching(/queued|running/),
    });
    expect(world.alarm.dueAtMs).toBe(world.clock.now() + 2000);
    await world.clock.advance(2000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: ["a", "b"] });
    expect(world.eventTypes().filter((type) => type !== "step_restarted")).toEqual([
      "run_started",
      "run_resumed",
      "run_completed",
    ]);
    expect(world.store.events.read(0, 10).map(({ seq }) => seq)).toEqual(
      world.eventTypes().map((_, index) => index + 1),
    );
  });

  it("H4: the alarm throws only when no other can be set, so the platform rings again", async () => {
    let isFull = false;
    const world = new RunWorld(program, {
      wrap: (store) => faultyRunStore(store, () => isFull),
    });
    await world.start();
    isFull = true;
    await expect(world.host.alarm()).resolves.toBeUndefined();
    world.alarm.broken = true;
    await expect(world.host.alarm()).rejects.toThrow("the alarm is out of order");
    world.alarm.broken = false;
    isFull = false;
    await world.host.alarm();
    expect(await world.rest()).toMatchObject({ status: "completed", output: ["a", "b"] });
  });

  it("H4: reports a failure in an alarm, with the time of the next try", async () => {
    const reported: string[] = [];
    const world = new RunWorld(program, {
      wrap: (store) => faultyRunStore(store, () => world.alarm?.broken ?? false),
      report: (error) => void reported.push(errorMessage(error)),
    });
    await world.start();
    world.alarm.broken = true;
    await expect(world.host.alarm()).rejects.toThrow("out of order");
    await expect(world.host.alarm()).rejects.toThrow("out of order");
    expect(reported).toEqual([
      expect.stringMatching(
        /the alarm of a run failed \(fault 1 in a row\) and rings again in 2 s: ./,
      ),
      expect.stringMatching(/fault 2 in a row\) and rings again in 4 s/),
    ]);
  });

  it("H6: a terminal status, its event and its deliveries are written together or not at all", async () => {
    let broken = true;
    const world = new RunWorld(async () => "end", {
      fixture: openSqlStore(),
      wrap: (store) =>
        faultyRunStore(
          store,
          (write) => broken && write === "putOutbox index" && store.load()?.status === "completed",
        ),
    });
    await world.start();
    await world.ring();
    expect(await world.host.status()).toMatchObject({ status: "running" });
    expect(world.store.value("output")).toBeUndefined();
    expect(world.eventTypes()).toEqual(["run_started"]);
    broken = false;
    await world.clock.advance(2000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "end" });
    expect(world.eventTypes()).toEqual(["run_started", "run_completed"]);
  });
});
