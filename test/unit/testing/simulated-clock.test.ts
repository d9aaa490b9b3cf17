import { describe, expect, it } from "vitest";
import { sleep } from "../../../src/base/clock.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

describe("the simulated clock", () => {
  it("stands still by itself", async () => {
    const clock = new SimulatedClock(1000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.now()).toBe(1000);
  });

  it("fires timers in the order in which they are due, each at its own time", async () => {
    const clock = new SimulatedClock(0);
    const fired: Array<[string, number]> = [];
    for (const [name, delayMs] of [
      ["late", 30],
      ["early", 10],
      ["early too", 10],
      ["beyond", 31],
    ] as const)
      clock.after(delayMs, () => fired.push([name, clock.now()]));
    await clock.advance(30);
    expect(fired).toEqual([
      ["early", 10],
      ["early too", 10],
      ["late", 30],
    ]);
    expect([clock.now(), clock.pending, clock.nextDueMs]).toEqual([30, 1, 31]);
  });

  it("runs the effects of a timer before the next one fires", async () => {
    const clock = new SimulatedClock(0);
    const order: string[] = [];
    clock.after(10, () => {
      void (async () => {
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        order.push("set off");
        await sleep(clock, 5);
        order.push("timer within the span");
      })();
    });
    clock.after(20, () => order.push("next"));
    await clock.advance(20);
    expect(order).toEqual(["set off", "timer within the span", "next"]);
  });

  it("fires a timer without a delay by itself, never synchronously", async () => {
    const clock = new SimulatedClock(0);
    let fired = false;
    await new Promise<void>((resolve) => {
      clock.after(0, () => resolve(void (fired = true)));
      expect(fired).toBe(false);
    });
    expect([fired, clock.now(), clock.pending]).toEqual([true, 0, 0]);
  });

  it("fires no cancelled timer", async () => {
    const clock = new SimulatedClock(0);
    const fired: number[] = [];
    for (const delayMs of [0, 10]) {
      const cancel = clock.after(delayMs, () => fired.push(delayMs));
      cancel();
      cancel();
    }
    await clock.advance(100);
    expect(fired).toEqual([]);
  });

  it("refuses a delay beyond the range of timers", () => {
    const clock = new SimulatedClock();
    expect(() => clock.after(2 ** 31, () => undefined)).toThrow(RangeError);
    expect(() => clock.after(Number.NaN, () => undefined)).toThrow(RangeError);
  });

  it("reports an endless chain of timers without a delay", async () => {
    const clock = new SimulatedClock();
    let stop = false;
    const again = (): void => {
      if (!stop) clock.after(0, again);
    };
    again();
    await expect(clock.settle()).rejects.toThrow(/on and on/);
    stop = true;
  }, 60_000);
});

describe("sleep", () => {
  it("resolves after its time and leaves no listener behind", async () => {
    const clock = new SimulatedClock();
    const controller = new AbortController();
    const slept = sleep(clock, 10, controller.signal);
    await clock.advance(10);
    await expect(slept).resolves.toBeUndefined();
    controller.abort();
  });

  it("rejects with the signal's reason, at once when it is aborted already", async () => {
    const clock = new SimulatedClock();
    const reason = new Error("enough");
    const controller = new AbortController();
    const slept = sleep(clock, 10, controller.signal);
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    await expect(sleep(clock, 10, controller.signal)).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });
});
