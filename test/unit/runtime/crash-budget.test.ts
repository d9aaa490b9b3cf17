import { describe, expect, it } from "vitest";
import { MAX_CRASHES } from "../../../src/runtime/run-host.ts";
import { perform } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openMemoryStore, RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

/** Waits for the alarm, lets the drive go as far as it can, and drops the host; until the run ends or `drives` are over. */
async function crashAgainAndAgain(world: RunWorld, drives: number): Promise<number> {
  for (let drive = 1; drive <= drives; drive++) {
    await driveOnce(world);
    if ((await world.host.status()).finishedAt !== undefined) return drive;
    world.restart();
  }
  return drives + 1;
}

/** Lets time pass until a drive begins, which goes as far as it can; answers how long that took, in milliseconds. */
async function driveOnce(world: RunWorld): Promise<number> {
  const beganAtMs = world.clock.now();
  for (;;) {
    await world.clock.advance(Math.max(0, (world.alarm.dueAtMs ?? 0) - world.clock.now()));
    void world.ring();
    await world.clock.settle();
    const { driving, status } = world.store.load() ?? {};
    if (driving || status !== "running") return world.clock.now() - beganAtMs;
  }
}

const forever = (): Promise<null> => new Promise(() => {});

describe.each(RUN_STORES)("the crash budget, $name", ({ open }) => {
  it("RD1: ends a run whose code crashes its host in every drive, and names the place", async () => {
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

  it("RD1: names the open steps", async () => {
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
    await crashAgainAndAgain(world, MAX_CRASHES);
    const before = found;
    await driveOnce(world);
    expect(found).toBe(before);
    expect(await world.host.status()).toMatchObject({ status: "failed" });
  });

  it("RD1: resets when the steps open at the crash have ended", async () => {
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

  it("RD1: does not reset when only other steps progress beside the crashing one", async () => {
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

  it("RD1: resets when a drive has come to an orderly end", async () => {
    let crash = true;
    const world = new RunWorld(
      (scope) => (crash ? forever() : scope.at("ask").wait({ kind: "human" })),
      { fixture: open() },
    );
    await world.start();
    await crashAgainAndAgain(world, MAX_CRASHES - 1);
    crash = false;
    await driveOnce(world);
    expect(world.store.load()).toMatchObject({ status: "waiting", crashes: 0, driving: false });
  });

  it("RD1: progress that cannot be stored reaches no user code", async () => {
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

  it("CB2: comes back at once after one crash, and after each further one in a row later, give or take a half", async () => {
    const world = new RunWorld(forever, { fixture: open() });
    await world.start();
    await driveOnce(world);
    const pauses: number[] = [];
    for (let crash = 1; crash < MAX_CRASHES; crash++) {
      world.restart();
      pauses.push((await driveOnce(world)) - 1000);
    }
    const [first = -1, ...rests] = pauses;
    expect(first).toBe(0);
    for (const [n, rest] of rests.entries()) {
      expect(rest).toBeGreaterThanOrEqual(2000 * 5 ** n - 1000);
      expect(rest).toBeLessThanOrEqual(6000 * 5 ** n);
    }
  });

  it("CB2: an answer or a question does not cut the rest short", async () => {
    const world = new RunWorld(forever, { fixture: open() });
    await world.start();
    await crashAgainAndAgain(world, 2);
    await world.clock.advance(1000);
    await world.ring();
    const { restsUntilMs = 0 } = world.store.load() ?? {};
    expect(restsUntilMs).toBeGreaterThan(world.clock.now());
    await world.host.poke();
    await world.host.alarm();
    expect(world.store.load()?.driving).toBe(false);
    expect(world.alarm.dueAtMs).toBe(restsUntilMs);
  });

  it("CB1: a drive cut off by a deploy counts a quarter, for the run and its steps", async () => {
    const world = new RunWorld((scope) => perform(scope, "slow", forever), { fixture: open() });
    await world.start();
    for (let deploy = 1; deploy <= 10; deploy++) {
      await driveOnce(world);
      world.deployAs(`v${deploy}`);
    }
    await driveOnce(world);
    expect(world.store.load()).toMatchObject({ status: "running", crashes: 2.5 });
    expect(world.store.journal.get("slow")).toMatchObject({
      interrupted: 10,
      cutWeight: 2.5,
      attempt: 11,
    });
  });
});

it("CB2: ten runs interrupted together with a crashing one all complete", async () => {
  const clock = new SimulatedClock();
  const worldOf = (id: string, program: (scope: RunScope) => Promise<JsonValue>): RunWorld =>
    new RunWorld(program, { clock, fixture: openMemoryStore(), id });
  const slowly = (ms: number): Promise<null> =>
    new Promise((resolve) => void clock.after(ms, () => resolve(null)));
  const innocent = async (scope: RunScope): Promise<string> => {
    for (let n = 0; n < 4; n++) await perform(scope, `s:${n}`, () => slowly(1500));
    return "through";
  };
  let bursts = false;
  const poison = (scope: RunScope): Promise<null> =>
    perform(scope, "killer", async () => {
      await slowly(1000);
      bursts = true;
      return forever();
    });
  const worlds = [
    worldOf("poison", poison),
    ...Array.from({ length: 10 }, (_, n) => worldOf(`innocent-${n}`, innocent)),
  ];
  for (const world of worlds) await world.start();
  let crashes = 0;
  for (let turn = 0; turn < 20_000; turn++) {
    for (const world of worlds) void world.ring();
    await clock.settle();
    await clock.advance(100);
    if (bursts) {
      bursts = false;
      crashes++;
      for (const world of worlds) world.restart();
    }
    if (worlds.every(({ store }) => store.load()?.finishedAtMs !== null)) break;
  }
  const ends = worlds.map(({ store }) => store.load()?.status);
  expect(ends).toEqual(["failed", ...Array.from({ length: 10 }, () => "completed")]);
  expect(crashes).toBe(MAX_CRASHES);
});
