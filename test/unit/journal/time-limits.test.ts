import { expect, it } from "vitest";
import { TimeLimits } from "../../../src/journal/time-limits.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

function limits() {
  const clock = new SimulatedClock();
  const over: string[] = [];
  const all = new TimeLimits(clock);
  return {
    clock,
    all,
    over,
    set: (name: string, delayMs: number) => all.set(delayMs, () => over.push(name)),
  };
}

it("keeps each limit with one timer for all, also where the first is lifted and a later one comes first", async () => {
  const { clock, all, over, set } = limits();
  const lifted = set("lifted", 1000);
  set("long", 3000);
  set("other", 3000);
  expect(clock.pending).toBe(1);
  all.lift(lifted);
  set("short", 500);
  expect(clock.pending).toBe(1);
  await clock.advance(499);
  expect(over).toEqual([]);
  await clock.advance(1);
  expect(over).toEqual(["short"]);
  await clock.advance(2499);
  expect(over).toEqual(["short"]);
  set("late", 3000);
  await clock.advance(1);
  expect(over).toEqual(["short", "long", "other"]);
  await clock.advance(2999);
  expect(over).toEqual(["short", "long", "other", "late"]);
  expect(clock.pending).toBe(0);
});

it("sets no timer for a limit that lies behind the next ring, and one again when there is none", async () => {
  const { clock, all, over, set } = limits();
  for (let call = 0; call < 100; call++) all.lift(set(`${call}`, 120_000 + call));
  expect(clock.pending).toBe(1);
  await clock.advance(120_000);
  expect(clock.pending).toBe(0);
  set("again", 10);
  await clock.advance(10);
  expect(over).toEqual(["again"]);
});

it("leaves nothing behind when it is cleared, by a limit that expires too", async () => {
  const { clock, all, over, set } = limits();
  all.set(10, () => all.clear());
  set("same time", 10);
  set("later", 20);
  await clock.advance(100);
  expect([over, clock.pending]).toEqual([[], 0]);
  set("more", 10);
  all.clear();
  expect(clock.pending).toBe(0);
});

it("rings for a limit whose time has come, though the clock was set back", () => {
  const ring: Array<() => void> = [];
  let nowMs = 1000;
  const all = new TimeLimits({
    now: () => nowMs,
    after: (_, callback) => (ring.push(callback), () => undefined),
  });
  let expired = 0;
  all.set(100, () => expired++);
  nowMs = 500;
  ring[0]?.();
  expect([expired, ring.length]).toEqual([1, 1]);
});
