import { describe, expect, it } from "vitest";
import { Latch, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

describe.each(RUN_STORES)("pausing a run, $name", ({ open }) => {
  it("lets the step under way end, starts no further one, and goes on after unpause", async () => {
    const work = new Latch<string>();
    const world = new RunWorld(
      async (scope) => [
        await perform(scope, "a", () => work.promise),
        await perform(scope, "b", () => "b"),
      ],
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    expect(await world.host.pause()).toMatchObject({ status: "running", paused: true });
    work.resolve("a");
    await ring;
    expect(await world.rest()).toMatchObject({ status: "waiting", paused: true, waits: [] });
    expect(world.store.journal.get("b")).toBeUndefined();
    expect(world.alarm.dueAtMs).toBeNull();
    world.restart();
    const running = await world.host.unpause();
    expect(running).toMatchObject({ status: "running" });
    expect(running).not.toHaveProperty("paused");
    expect(await world.rest()).toMatchObject({ status: "completed", output: ["a", "b"] });
    expect(world.eventTypes()).toEqual([
      "run_started",
      "run_paused",
      "run_waiting",
      "run_resumed",
      "run_completed",
    ]);
  });

  it("keeps a queued run from starting", async () => {
    let drives = 0;
    const world = new RunWorld(async () => ++drives, { fixture: open() });
    await world.start();
    expect(await world.host.pause()).toMatchObject({ status: "waiting", paused: true });
    await world.rest();
    expect(drives).toBe(0);
    await world.host.unpause();
    expect(await world.rest()).toMatchObject({ status: "completed", output: 1 });
  });

  it("goes on when it is taken back before the steps under way have ended", async () => {
    const work = new Latch<string>();
    const world = new RunWorld(
      async (scope) => [
        await perform(scope, "a", () => work.promise),
        await perform(scope, "b", () => "b"),
      ],
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    await world.host.pause();
    await world.host.unpause();
    work.resolve("a");
    await ring;
    expect(await world.rest()).toMatchObject({ status: "completed", output: ["a", "b"] });
  });

  it("takes an answer meanwhile, and uses it after unpause", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
    });
    await world.begin();
    await world.host.pause();
    expect(await world.host.resume({ value: "kept" })).toMatchObject({
      status: "waiting",
      paused: true,
      waits: [],
    });
    expect(await world.rest()).toMatchObject({ status: "waiting", paused: true });
    await world.host.unpause();
    expect(await world.rest()).toMatchObject({ status: "completed", output: "kept" });
  });

  it("lets a timer due meanwhile take effect after unpause", async () => {
    const world = new RunWorld(async (scope) => (await scope.at("nap").sleep(1000), "rested"), {
      fixture: open(),
    });
    await world.begin();
    await world.host.pause();
    await world.clock.advance(5000);
    expect(await world.rest()).toMatchObject({ status: "waiting", paused: true });
    expect(world.alarm.dueAtMs).toBeNull();
    await world.host.unpause();
    expect(await world.rest()).toMatchObject({ status: "completed", output: "rested" });
  });

  it("waits on after unpause when there is still something to wait for", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
    });
    await world.begin();
    await world.host.pause();
    await world.host.unpause();
    expect(await world.rest()).toMatchObject({ status: "waiting", waits: [{ key: "ask" }] });
    await world.host.resume({ value: 1 });
    expect(await world.rest()).toMatchObject({ status: "completed", output: 1 });
  });

  it("survives a crash of the open drive", async () => {
    let answers = false;
    const world = new RunWorld(
      (scope) => perform(scope, "a", () => (answers ? "a" : new Promise<string>(() => {}))),
      { fixture: open() },
    );
    await world.start();
    void world.ring();
    await world.clock.settle();
    await world.host.pause();
    world.restart();
    await world.clock.advance(1000);
    expect(await world.rest()).toMatchObject({ paused: true });
    answers = true;
    await world.host.unpause();
    expect(await world.rest()).toMatchObject({ status: "completed", output: "a" });
  });

  it("is a no-op the second time; unpause of an unpaused run is a conflict", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.start();
    await expect(world.host.unpause()).rejects.toMatchObject({ code: "conflict" });
    await world.host.pause();
    await world.host.pause();
    expect(world.eventTypes()).toEqual(["run_paused"]);
  });
});
