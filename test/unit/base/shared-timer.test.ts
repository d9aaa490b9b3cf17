import { expect, it } from "vitest";
import { SharedTimer } from "../../../src/base/shared-timer.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

function timers() {
  const clock = new SimulatedClock();
  const over: string[] = [];
  const all = new SharedTimer(clock);
  return {
    clock,
    all,
    over,
    set: (name: string, delayMs: number) => all.after(delayMs, () => over.push(name)),
  };
}

it("calls each at its time with one timer for all, also when the first is cancelled and a later one comes first", async () => {
  const { clock, all, over, set } = timers();
  const cancelled = set("cancelled", 1000);
  set("long", 3000);
  set("other", 3000);
  expect(clock.pending).toBe(1);
  all.cancel(cancelled);
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

it("sets no timer for cancelled calls, and one again for a later call", async () => {
  const { clock, all, over, set } = timers();
  for (let call = 0; call < 100; call++) all.cancel(set(`${call}`, 120_000 + call));
  expect(clock.pending).toBe(1);
  await clock.advance(120_000);
  expect(clock.pending).toBe(0);
  set("again", 10);
  await clock.advance(10);
  expect(over).toEqual(["again"]);
});

it("leaves no timer behind when cleared, also from within a call", async () => {
  const { clock, all, over, set } = timers();
  all.after(10, () => all.clear());
  set("same time", 10);
  set("later", 20);
  await clock.advance(100);
  expect([over, clock.pending]).toEqual([[], 0]);
  set("more", 10);
  all.clear();
  expect(clock.pending).toBe(0);
});

it.each([
  ["back", -3_600_000],
  ["forward", 3_600_000],
])("calls each at its time, though the clock is set %s", async (_, jumpMs) => {
  const real = new SimulatedClock(0);
  let set = 0;
  const all = new SharedTimer({
    now: () => real.now() + set,
    elapsed: () => real.now(),
    after: (delayMs, callback) => real.after(delayMs, callback),
  });
  const over: string[] = [];
  const call = (name: string, delayMs: number): unknown =>
    all.after(delayMs, () => over.push(`${name} ${real.now()}`));
  call("first", 100);
  call("second", 1000);
  await real.advance(50);
  set = jumpMs;
  call("third", 450);
  await real.advance(50); // the ring of the first sets the timer of the next
  call("fourth", 2000);
  set = 0;
  await real.advance(5000);
  expect(over).toEqual(["first 100", "third 500", "second 1000", "fourth 2100"]);
});

it("calls due functions also when the ring is early by the clock", () => {
  const ring: Array<() => void> = [];
  let nowMs = 1000;
  const all = new SharedTimer({
    now: () => nowMs,
    after: (_, callback) => (ring.push(callback), () => undefined),
  });
  let expired = 0;
  all.after(100, () => expired++);
  nowMs = 500;
  ring[0]?.();
  expect([expired, ring.length]).toEqual([1, 1]);
});
