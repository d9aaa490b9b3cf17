import { describe, expect, it } from "vitest";
import { Latch, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld, START } from "../../support/run-world.ts";

describe.each(RUN_STORES)("a run driven at its start, $name", ({ open }) => {
  it("ends without its alarm, which is set once and taken away", async () => {
    const world = new RunWorld(async (scope) => perform(scope, "a", () => "done"), {
      fixture: open(),
      drivesAtOnce: true,
    });
    expect(await world.start()).toMatchObject({ status: "queued" });
    expect(await world.host.settled(1000)).toMatchObject({ status: "completed", output: "done" });
    await expect.poll(() => world.alarm.dueAtMs).toBeNull();
    expect(world.alarm.calls).toEqual(["set +1000", "delete"]);
    expect(world.indexed.at(-1)).toMatchObject({ status: "completed" });
  });

  it("is returned at its end on request", async () => {
    const world = new RunWorld(async (scope) => perform(scope, "a", () => "done"), {
      fixture: open(),
      drivesAtOnce: true,
    });
    const ended = await world.host.start(START, [], 1000);
    expect(ended).toMatchObject({ status: "completed", output: "done" });
  });

  it("is returned at once to a second start", async () => {
    const answer = new Latch<string>();
    const world = new RunWorld(async (scope) => perform(scope, "a", () => answer.promise), {
      fixture: open(),
      drivesAtOnce: true,
    });
    await world.start();
    expect(await world.host.start(START, [], 1000)).toMatchObject({ status: "running" });
    answer.resolve("done");
    expect(await world.host.settled(1000)).toMatchObject({ output: "done" });
  });

  it("keeps an alarm fired during the drive, whose end the handler awaits (RD2)", async () => {
    const answer = new Latch<string>();
    let calls = 0;
    const action = (): Promise<string> => {
      calls++;
      return answer.promise;
    };
    const world = new RunWorld(async (scope) => perform(scope, "a", action), {
      fixture: open(),
      drivesAtOnce: true,
    });
    await world.start();
    await expect.poll(() => calls).toBe(1);
    await world.clock.advance(1000);
    const rung = world.ring();
    await expect.poll(() => world.alarm.dueAtMs).toBe(world.clock.now() + 1000);
    answer.resolve("done");
    expect(await rung).toBe(true);
    expect(calls).toBe(1);
    expect(world.alarm.dueAtMs).toBeNull();
    expect(await world.host.status()).toMatchObject({ status: "completed" });
  });

  it("is driven by its alarm after a crash in the middle of the drive (RD2)", async () => {
    let calls = 0;
    const never = new Latch<string>();
    const world = new RunWorld(
      async (scope) => perform(scope, "a", () => (++calls === 1 ? never.promise : "done")),
      { fixture: open(), drivesAtOnce: true },
    );
    await world.start();
    await expect.poll(() => calls).toBe(1);
    world.restart();
    await world.clock.advance(1000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "done" });
    expect(calls).toBe(2);
  });
});
