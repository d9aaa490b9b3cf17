import { describe, expect, it } from "vitest";
import { Latch, perform, say } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

describe.each(RUN_STORES)("cancelling a run, $name", ({ open }) => {
  it("aborts every call under way before cancel() gives control back", async () => {
    const signals: AbortSignal[] = [];
    const world = new RunWorld(
      async (scope) => {
        const call = (key: string) =>
          scope.at(key).step({
            kind: "tool",
            run: ({ signal }) => (signals.push(signal), new Promise<null>(() => {})),
          });
        return Promise.all([call("a"), call("b")]);
      },
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    const cancelled = world.host.cancel("no longer needed");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await cancelled).toMatchObject({
      status: "cancelled",
      error: { code: "run_cancelled", message: expect.stringContaining("no longer needed") },
    });
    await ring;
    expect(world.store.events.read(1, 10)).toMatchObject([
      { type: "run_cancelled", reason: "no longer needed" },
    ]);
  });

  it("ignores a late result", async () => {
    const work = new Latch<string>();
    const seen: string[] = [];
    const world = new RunWorld(
      async (scope) => {
        seen.push(await perform(scope, "a", () => work.promise));
        scope.at("a").emit("run_resumed", {});
        return perform(scope, "b", () => (seen.push("b"), "end"));
      },
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    await world.host.cancel();
    work.resolve("late");
    await ring;
    await world.clock.settle();
    expect(seen).toEqual([]);
    expect(world.store.journal.get("a")).toMatchObject({ state: "started", value: null });
    expect(world.eventTypes()).toEqual(["run_started", "run_cancelled"]);
    expect(await world.rest()).toMatchObject({ status: "cancelled" });
  });

  it("ends a waiting run, a queued one and a paused one", async () => {
    const waiting = new RunWorld(
      (scope) => scope.at("ask").wait({ kind: "human", dueAtMs: scope.clock.now() + 5000 }),
      { fixture: open() },
    );
    await waiting.begin();
    const queued = new RunWorld(async () => "never", { fixture: open() });
    await queued.start();
    const paused = new RunWorld(async () => "never", { fixture: open() });
    await paused.start();
    await paused.host.pause();
    for (const world of [waiting, queued, paused]) {
      expect(await world.host.cancel()).toMatchObject({ status: "cancelled", waits: [] });
      expect(await world.rest()).toMatchObject({ status: "cancelled" });
      expect(await world.host.status()).not.toHaveProperty("paused");
      expect(world.alarm.dueAtMs).toBeNull();
      expect(world.eventTypes().at(-1)).toBe("run_cancelled");
    }
  });

  it("H6: whichever comes first of the end and a cancellation stands, alone", async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const world: RunWorld = new RunWorld(
        async (scope) => {
          await perform(scope, "a", () => null);
          void (async () => {
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
            await world.host.cancel().catch(() => undefined);
          })();
          return "end";
        },
        { fixture: open() },
      );
      const { status } = await world.begin();
      expect(world.eventTypes()).toEqual(["run_started", `run_${status}`]);
      expect(world.store.value("output") !== undefined).toBe(status === "completed");
    }
  });

  it("is a no-op the second time", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.start();
    await world.host.cancel("first");
    expect(await world.host.cancel("second")).toMatchObject({
      status: "cancelled",
      error: { message: expect.stringContaining("first") },
    });
    await world.rest();
    expect(world.eventTypes()).toEqual(["run_cancelled"]);
  });

  it("updates the index", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await world.start();
    await world.host.cancel();
    await world.rest();
    expect(world.indexed.at(-1)).toMatchObject({ status: "cancelled", leaseUntilMs: null });
  });

  it("leaves no timer behind", async () => {
    const world = new RunWorld(
      (scope) =>
        perform(scope, "a", {
          kind: "tool",
          timeoutMs: 60_000,
          action: () => new Promise<null>(() => {}),
        }),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    await world.host.cancel();
    await ring;
    expect(world.clock.pending).toBe(0);
  });

  it("stops pieces of an answer still on their way", async () => {
    const heard: string[] = [];
    const work = new Latch<null>();
    const world = new RunWorld(
      (scope) =>
        scope.at("m").step({
          kind: "model",
          run: async () => {
            say(scope, "before");
            await work.promise;
            say(scope, "after");
            return null;
          },
        }),
      { fixture: open() },
    );
    await world.start();
    world.host.events.subscribe((event) =>
      heard.push(event.type === "llm_stream_chunk" ? event.chunk : event.type),
    );
    const ring = world.ring();
    await world.clock.settle();
    await world.host.cancel();
    work.resolve(null);
    await ring;
    await world.clock.settle();
    expect(heard).toEqual(["run_started", "before", "run_cancelled"]);
  });
});
