import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/base/json.ts";
import type { RunScope } from "../../../../src/events/run-scope.ts";
import { LocalRun, type LocalRunOptions } from "../../../../src/runtime/handle/local-run.ts";
import type { EventsOptions } from "../../../../src/runtime/handle/run-handle.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { Latch, perform } from "../../../support/journal-harness.ts";

const local = (
  run: (scope: RunScope) => Promise<JsonValue>,
  options: LocalRunOptions = {},
): LocalRun =>
  new LocalRun(
    { kind: "crew", name: "briefing", inputs: { topic: "tea" } },
    { run, tasks: [] },
    options,
  );

async function types(run: LocalRun, options: EventsOptions = {}): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of run.events(options)) seen.push(event.type);
  return seen;
}

async function untilWaiting(run: LocalRun): Promise<void> {
  for await (const event of run.events()) if (event.type === "run_waiting") return;
}

describe("a run in this process", () => {
  it("runs by itself and brings its output", async () => {
    const run = local((scope) => perform(scope, "a", () => "done"));
    expect(await run.output()).toBe("done");
    expect(await run.status()).toMatchObject({
      id: run.id,
      status: "completed",
      output: "done",
      inputs: { topic: "tea" },
    });
  });

  it("has a random id by default", async () => {
    expect(local(async () => null).id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await local(async () => null, { id: "mine" }).status()).id).toBe("mine");
  });

  it("rejects with the run's error", async () => {
    await expect(local(() => Promise.reject(new Error("no luck"))).output()).rejects.toMatchObject({
      code: "internal",
      message: "no luck",
    });
  });

  it("brings its events from the start, after a place, and of some types only", async () => {
    const run = local(
      async (scope) => (await perform(scope, "a", () => null), scope.emit("run_resumed", {}), null),
    );
    await run.output();
    expect(await types(run)).toEqual(["run_started", "run_resumed", "run_completed"]);
    expect(await types(run, { after: 1 })).toEqual(["run_resumed", "run_completed"]);
    expect(await types(run, { types: ["run_completed"] })).toEqual(["run_completed"]);
    expect(await types(run, { after: 3 })).toEqual([]);
  });

  it("waits, takes an answer, and goes on", async () => {
    const run = local((scope) => scope.at("ask").wait({ kind: "input" }));
    const output = run.output();
    await untilWaiting(run);
    await run.resume({ value: 42 });
    expect(await output).toBe(42);
  });

  it("is cancelled: output() rejects with run_cancelled, and the calls under way are aborted", async () => {
    const aborted = new Latch<null>();
    const run = local((scope) =>
      scope.at("a").step({
        kind: "tool",
        run: ({ signal }) =>
          new Promise<null>(() => signal.addEventListener("abort", () => aborted.resolve(null))),
      }),
    );
    const output = run.output();
    for await (const event of run.events()) if (event.type === "run_started") break;
    expect(await run.cancel("enough")).toMatchObject({ status: "cancelled" });
    await expect(output).rejects.toMatchObject({
      code: "run_cancelled",
      message: expect.stringContaining("enough"),
    });
    await aborted.promise;
  });

  it("can be cancelled, paused and resumed before it has begun", async () => {
    const run = local(async () => "ran");
    await run.pause();
    expect(await run.status()).toMatchObject({ status: "waiting", paused: true });
    await run.unpause();
    expect(await run.output()).toBe("ran");
  });

  it("outputUnattended rejects with the question when it needs an answer, and sits out a timer", async () => {
    const asking = local((scope) => scope.at("ask").wait({ kind: "human" }));
    await expect(asking.outputUnattended()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("ask"),
    });
    const clock = new SimulatedClock();
    const napping = local(async (scope) => (await scope.at("nap").sleep(5000), "rested"), {
      clock,
    });
    const output = napping.outputUnattended();
    await clock.advance(5000);
    await clock.settle();
    expect(await output).toBe("rested");
  });

  it("wakes after months, beyond the range of a timer", async () => {
    const clock = new SimulatedClock();
    const run = local(
      async (scope) => (await scope.at("nap").sleep(90 * 24 * 3_600_000), "spring"),
      { clock },
    );
    const output = run.output();
    await clock.advance(91 * 24 * 3_600_000);
    expect(await output).toBe("spring");
  });

  it("leaves no timer behind", async () => {
    const clock = new SimulatedClock();
    const run = local(
      (scope) => perform(scope, "a", { kind: "tool", timeoutMs: 60_000, action: () => null }),
      { clock },
    );
    await run.output();
    await clock.settle();
    expect(clock.pending).toBe(0);
  });

  it("serves many handles of its output", async () => {
    const run = local((scope) => perform(scope, "a", () => 1));
    expect(await Promise.all([run.output(), run.output(), run.outputUnattended()])).toEqual([
      1, 1, 1,
    ]);
  });
});
