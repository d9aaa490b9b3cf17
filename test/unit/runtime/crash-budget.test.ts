import { describe, expect, it } from "vitest";
import { MAX_CRASHES } from "../../../src/runtime/run-host.ts";
import { perform } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

/** Rings, lets the drive go as far as it can, and drops the host; until the run ends or `drives` are over. */
async function crashAgainAndAgain(world: RunWorld, drives: number): Promise<number> {
  for (let drive = 1; drive <= drives; drive++) {
    void world.ring();
    await world.clock.settle();
    if ((await world.host.status()).finishedAt !== undefined) return drive;
    world.restart();
    await world.clock.advance(1000);
  }
  return drives + 1;
}

const forever = (): Promise<null> => new Promise(() => {});

describe.each(RUN_STORES)("the crash budget, $name", ({ open }) => {
  it("RD1: ends a run whose code crashes its host in every drive, naming where", async () => {
    const world = new RunWorld(forever, { fixture: open() });
    await world.start();
    expect(await crashAgainAndAgain(world, 20)).toBe(MAX_CRASHES + 1);
    expect(await world.host.status()).toMatchObject({
      status: "failed",
      error: {
        code: "crash_budget_exceeded",
        message: expect.stringContaining("the start of the run"),
      },
    });
    expect(world.eventTypes()).toEqual(["run_started", "run_failed"]);
  });

  it("RD1: names the steps that were under way", async () => {
    const world = new RunWorld((scope) => perform(scope, "killer", forever), { fixture: open() });
    await world.start();
    await crashAgainAndAgain(world, 20);
    expect(await world.host.status()).toMatchObject({
      error: { code: "crash_budget_exceeded", message: expect.stringContaining("killer") },
    });
  });

  it("RD1: does not load the program of a run whose budget is used up", async () => {
    let found = 0;
    const world = new RunWorld(forever, {
      fixture: open(),
      findProgram: () => (found++, { run: forever, tasks: [] }),
    });
    await world.start();
    for (let drive = 0; drive < MAX_CRASHES; drive++) {
      void world.ring();
      await world.clock.settle();
      world.restart();
      await world.clock.advance(1000);
    }
    const before = found;
    await world.ring();
    expect(found).toBe(before);
    expect(await world.host.status()).toMatchObject({ status: "failed" });
  });

  it("RD1: starts anew when the steps that were under way at the crash have ended", async () => {
    let step = 0;
    const world = new RunWorld(
      async (scope) => {
        for (let n = 0; n < 12; n++)
          await perform(scope, `s:${n}`, () => (n <= step ? null : (step++, forever())));
        return "through";
      },
      { fixture: open() },
    );
    await world.start();
    expect(await crashAgainAndAgain(world, 20)).toBe(12);
    expect(await world.host.status()).toMatchObject({ status: "completed", output: "through" });
  });

  it("RD1: does not start anew when only others get on beside the step that kills the host", async () => {
    let drives = 0;
    const world = new RunWorld(
      async (scope) => {
        drives++;
        const others = async (): Promise<void> => {
          for (let n = 0; n < drives; n++) await perform(scope, `other:${n}`, () => null);
        };
        await Promise.all([perform(scope, "killer", forever), others()]);
        return null;
      },
      { fixture: open(), limits: { maxInterruptions: 100 } },
    );
    await world.start();
    expect(await crashAgainAndAgain(world, 20)).toBe(MAX_CRASHES + 1);
    expect(await world.host.status()).toMatchObject({
      error: { message: expect.stringContaining("killer") },
    });
  });

  it("RD1: starts anew when a drive has come to an orderly end", async () => {
    let crash = true;
    const world = new RunWorld(
      (scope) => (crash ? forever() : scope.at("ask").wait({ kind: "human" })),
      { fixture: open() },
    );
    await world.start();
    await crashAgainAndAgain(world, MAX_CRASHES - 1);
    crash = false;
    await world.rest();
    expect(world.store.load()).toMatchObject({ status: "waiting", crashes: 0, driving: false });
  });

  it("RD1: progress that cannot be written down reaches no user code", async () => {
    let broken = false;
    let drives = 0;
    const heard: unknown[] = [];
    const world = new RunWorld(
      async (scope) => {
        drives++;
        await perform(scope, "a", () =>
          drives === 1 ? forever() : ((broken = drives === 2), null),
        ).catch((error: unknown) => heard.push(error));
        return "through";
      },
      {
        fixture: open(),
        wrap: (store) => faultyRunStore(store, (write) => broken && write === "save"),
      },
    );
    await world.start();
    void world.ring();
    await world.clock.settle();
    world.restart();
    await world.clock.advance(1000);
    await world.ring();
    broken = false;
    await world.clock.advance(2000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "through" });
    expect(heard).toEqual([]);
  });
});
