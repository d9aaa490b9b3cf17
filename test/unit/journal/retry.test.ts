import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { NO_RETRY } from "../../../src/base/retry.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { settleWait } from "../../../src/journal/settle-wait.ts";
import type { StepSpec } from "../../../src/journal/step-spec.ts";
import { InMemoryJournalStore } from "../../../src/journal/in-memory-journal-store.ts";
import { beginDrive, cutOffRow, drive, Latch, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

const busy = (retryAfterMs?: number): EngineError =>
  new EngineError("model_rate_limited", "busy", { retryable: true, retryAfterMs });

/** A tool that fails with `error` until its execution number `succeedsAt`. */
function flaky(error: () => Error, succeedsAt: number, spec: Partial<StepSpec<JsonValue>> = {}) {
  const attempts: number[] = [];
  const keys = new Set<string>();
  const program = (scope: RunScope): Promise<JsonValue> =>
    scope.at("a").step<JsonValue>({
      kind: "tool",
      ...spec,
      run: async ({ attempt, idempotencyKey }) => {
        attempts.push(attempt);
        keys.add(idempotencyKey);
        if (attempts.length < succeedsAt) throw error();
        return "result";
      },
    });
  return { program, attempts, keys };
}

describe.each(RUN_STORES)("retry, $name", ({ open }) => {
  it("tries a retryable failure again, three times in all, with one idempotency key", async () => {
    const { program, attempts, keys } = flaky(busy, 99);
    const { ended, clock } = beginDrive(open().store.journal, program);
    await clock.advance(10_000);
    expect(await ended).toMatchObject({ state: "failed", error: { code: "model_rate_limited" } });
    expect(attempts).toEqual([1, 2, 3]);
    expect(keys.size).toBe(1);
  });

  it("records only the success of a step after failures", async () => {
    const { journal } = open().store;
    const { program } = flaky(busy, 2);
    const { ended, clock } = beginDrive(journal, program);
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: "result" });
    expect(journal.get("a")).toMatchObject({
      state: "done",
      attempt: 2,
      interrupted: 0,
      error: null,
    });
  });

  it("does not retry permanent failures, nor unexpected exceptions", async () => {
    for (const error of [new EngineError("model_rejected", "no"), new Error("a bug")]) {
      const { program, attempts } = flaky(() => error, 2);
      expect(await drive(open().store.journal, program)).toMatchObject({ state: "failed" });
      expect(attempts).toEqual([1]);
    }
  });

  it("waits as long as the other side asks for", async () => {
    const { program, attempts } = flaky(() => busy(20_000), 2);
    const limits = { longestSleepMs: 60_000 };
    const { ended, clock } = beginDrive(open().store.journal, program, { limits });
    await clock.advance(19_999);
    expect(attempts).toEqual([1]);
    await clock.advance(1);
    expect(await ended).toMatchObject({ state: "completed" });
  });

  it("J17: ends the drive over a wait too long for a timer, and continues in the next", async () => {
    const { journal } = open().store;
    const { program, attempts } = flaky(() => busy(20_000), 2);
    const { ended, clock } = beginDrive(journal, program);
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(journal.get("a")).toMatchObject({
      state: "waiting",
      attempt: 2,
      wait: {
        kind: "timer",
        dueAtMs: clock.now() + 20_000,
        prompt: "waiting for a server: busy",
      },
    });
    await clock.advance(20_000);
    expect(await drive(journal, program, { clock })).toMatchObject({ state: "completed" });
    expect(attempts).toEqual([1, 2]);
  });

  it("puts the failure and the coming attempt on record before it waits", async () => {
    const { journal } = open().store;
    const retrying: unknown[] = [];
    const { program } = flaky(busy, 2);
    const { clock, journal: driven } = beginDrive(journal, program, {
      observer: { retrying: (key, failure) => retrying.push([key, failure]) },
    });
    await clock.settle();
    expect(journal.get("a")).toMatchObject({
      state: "waiting",
      attempt: 2,
      error: { code: "model_rate_limited" },
    });
    expect(retrying).toMatchObject([
      ["a", { attempt: 1, error: { message: "busy" }, delayMs: expect.any(Number) }],
    ]);
    driven.stop();
  });

  it("counts a crash during the wait as no attempt and no interruption", async () => {
    const { journal } = open().store;
    journal.put(
      cutOffRow("a", 1, {
        kind: "tool",
        state: "waiting",
        attempt: 2,
        error: { code: "timeout", message: "late", retryable: true },
      }),
    );
    const { program, attempts } = flaky(busy, 1);
    await drive(journal, program);
    expect(attempts).toEqual([2]);
    expect(journal.get("a")).toMatchObject({ interrupted: 0 });
  });

  it("does not count executions cut off by crashes as retries", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { kind: "tool", attempt: 2, interrupted: 1 }));
    const { program, attempts } = flaky(busy, 99);
    const { ended, clock } = beginDrive(journal, program);
    await clock.advance(10_000);
    await ended;
    expect(attempts).toEqual([3, 4, 5]);
  });

  it("does not count executions cut off by deploys as retries, whatever their weight in the crash budget", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { kind: "tool", attempt: 3, interrupted: 2, cutWeight: 0.5 }));
    const { program, attempts } = flaky(busy, 99);
    const { ended, clock } = beginDrive(journal, program, { interruptionWeight: 0.25 });
    await clock.advance(10_000);
    await ended;
    expect(attempts).toEqual([4, 5, 6]);
    expect(journal.get("a")).toMatchObject({ interrupted: 3, cutWeight: 0.75 });
  });

  it("never retries a step with effect once", async () => {
    const { program, attempts } = flaky(busy, 2, { effect: "once" });
    expect(await drive(open().store.journal, program)).toMatchObject({ state: "failed" });
    expect(attempts).toEqual([1]);
  });

  it("follows the step's own policy", async () => {
    const { program, attempts } = flaky(busy, 2, { retry: NO_RETRY });
    expect(await drive(open().store.journal, program)).toMatchObject({ state: "failed" });
    expect(attempts).toEqual([1]);
  });

  it("repeats no task, agent or group: only their own steps are", async () => {
    let runs = 0;
    const result = await drive(open().store.journal, (scope) =>
      scope.at("task").group("task", () => (runs++, Promise.reject(busy()))),
    );
    expect(result).toMatchObject({ state: "failed" });
    expect(runs).toBe(1);
  });

  it("returns the steps inside a tool to its next attempt, which performs only the missing ones", async () => {
    const performed: string[] = [];
    let executions = 0;
    const { ended, clock } = beginDrive(open().store.journal, (scope) =>
      scope.at("tool").step({
        kind: "tool",
        run: async (_, inner) => {
          await perform(inner, "first", () => (performed.push("first"), null));
          if (++executions === 1) throw busy();
          return perform(inner, "second", () => (performed.push("second"), "end"));
        },
      }),
    );
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: "end" });
    expect(performed).toEqual(["first", "second"]);
  });

  it("does not repeat a tool while steps of its own go on, which would meet the next execution", async () => {
    const { journal } = open().store;
    let executions = 0;
    const result = await drive(journal, (scope) =>
      scope.at("tool").step({
        kind: "tool",
        run: async (_, inner) => {
          executions++;
          void inner.at("ask").wait<JsonValue>({ kind: "human" });
          await perform(inner, "first", () => null);
          throw busy();
        },
      }),
    );
    expect(result).toMatchObject({ state: "failed", error: { code: "model_rate_limited" } });
    expect(executions).toBe(1);
  });

  it("lets code left by a failed execution open no steps, so they cannot collide with the next", async () => {
    const { journal } = open().store;
    const left = new Latch<null>();
    let executions = 0;
    const { ended, clock } = beginDrive(journal, (scope) =>
      scope.at("tool").step<number>({
        kind: "tool",
        run: async (_, inside) => {
          const execution = ++executions;
          const work = async (): Promise<number> => {
            if (execution === 1) await left.promise;
            inside.at("read").reading(() => execution);
            return perform(inside, "work", () => execution);
          };
          if (execution > 1) return work();
          void work();
          throw busy();
        },
      }),
    );
    await clock.settle();
    left.resolve(null);
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: 2 });
  });

  it("J16: code left by an ended tool starts nothing", async () => {
    const { journal } = open().store;
    const left = new Latch<null>();
    const late = new Latch<null>();
    const { ended, clock } = beginDrive(journal, async (scope) => {
      await scope.at("tool").step<null>({
        kind: "tool",
        run: async (_, inside) => {
          void left.promise.then(() => perform(inside, "late", () => late.promise));
          void left.promise.then(() => inside.at("ask").wait({ kind: "human" }));
          void left.promise.then(() => inside.now());
          return null;
        },
      });
      return perform(scope, "next", () => late.promise);
    });
    await clock.settle();
    left.resolve(null);
    await clock.settle();
    expect(journal.list(0, 100).map(({ key }) => key)).toEqual(["tool", "next"]);
    expect(journal.get("tool")).toMatchObject({ state: "done" });
    late.resolve(null);
    expect(await ended).toEqual({ state: "completed", value: null });
  });

  it("J16: a tool stops below an ended one, and the run parks", async () => {
    const { journal } = open().store;
    const left = new Latch<null>();
    const { ended, clock } = beginDrive(journal, async (scope) => {
      await scope.at("tool").step<null>({
        kind: "tool",
        run: async (_, inside) => {
          const late = inside.at("late").step<null>({
            kind: "tool",
            run: async (__, below) => {
              await left.promise;
              return perform(below, "more", () => null);
            },
          });
          void late.catch(() => undefined);
          await Promise.resolve();
          return null;
        },
      });
      return scope.at("ask").wait<JsonValue>({ kind: "human" });
    });
    await clock.settle();
    left.resolve(null);
    await clock.settle();
    expect(journal.get("tool/late/more")).toBeUndefined();
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
  });

  it("records a tool whose second attempt waits inside as waiting, not as cut off", async () => {
    const { journal } = open().store;
    let executions = 0;
    const program = (scope: RunScope): Promise<JsonValue> =>
      scope.at("tool").step({
        kind: "tool",
        run: async (_, inner) => {
          await perform(inner, "first", () => null);
          if (++executions === 1) throw busy();
          return inner.at("ask").wait<JsonValue>({ kind: "human" });
        },
      });
    const { ended, clock } = beginDrive(journal, program);
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(journal.get("tool")).toMatchObject({ state: "waiting", attempt: 2 });
    settleWait(journal, "tool/ask", {
      answer: { value: "yes" },
      seq: journal.lastSeq() + 1,
      atMs: 0,
    });
    expect(await drive(journal, program, { clock })).toEqual({ state: "completed", value: "yes" });
    expect(journal.get("tool")).toMatchObject({ state: "done", attempt: 2, interrupted: 0 });
  });
});

describe("time limits", () => {
  it("fails a slow execution with a retryable timeout, and aborts it", async () => {
    const signals: AbortSignal[] = [];
    const { ended, clock } = beginDrive(new InMemoryJournalStore(), (scope) =>
      scope.at("a").step({
        kind: "tool",
        timeoutMs: 1000,
        retry: NO_RETRY,
        run: ({ signal }) => (signals.push(signal), new Promise<null>(() => {})),
      }),
    );
    await clock.advance(1000);
    expect(await ended).toMatchObject({
      state: "failed",
      error: { code: "timeout", retryable: true, message: "step a took longer than 1000 ms" },
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("gives each attempt its own time", async () => {
    let attempts = 0;
    const { ended, clock } = beginDrive(new InMemoryJournalStore(), (scope) =>
      scope.at("a").step({
        kind: "tool",
        timeoutMs: 1000,
        run: () => (++attempts < 3 ? new Promise<null>(() => {}) : Promise.resolve(null)),
      }),
    );
    await clock.advance(10_000);
    expect(await ended).toMatchObject({ state: "completed" });
  });

  it("lets no attempt begin after the deadline, and no execution outlast it", async () => {
    let attempts = 0;
    const { ended, clock } = beginDrive(new InMemoryJournalStore(), (scope) =>
      scope.at("a").step({
        kind: "tool",
        timeoutMs: 1000,
        deadlineAtMs: scope.clock.now() + 2500,
        run: () => (attempts++, new Promise<null>(() => {})),
      }),
    );
    const startMs = clock.now();
    await clock.advance(2500);
    expect(await ended).toMatchObject({ state: "failed", error: { code: "timeout" } });
    expect(attempts).toBe(2);
    expect(clock.now() - startMs).toBeLessThanOrEqual(2500);
  });

  it("leaves no timer behind when the execution ends in time", async () => {
    const { ended, clock } = beginDrive(new InMemoryJournalStore(), (scope) =>
      perform(scope, "a", { timeoutMs: 1000, action: () => null }),
    );
    await ended;
    expect(clock.pending).toBe(0);
  });

  it("ignores a limit beyond the range of timers", async () => {
    const { ended } = beginDrive(new InMemoryJournalStore(), (scope) =>
      perform(scope, "a", {
        deadlineAtMs: scope.clock.now() + 60 * 24 * 3_600_000,
        action: () => new Promise<string>((resolve) => setImmediate(() => resolve("in time"))),
      }),
    );
    expect(await ended).toEqual({ state: "completed", value: "in time" });
  });

  it("ignores the late result of a timed-out execution", async () => {
    const store = new InMemoryJournalStore();
    const late: Array<(value: string) => void> = [];
    const { ended, clock } = beginDrive(store, (scope) =>
      scope.at("a").step({
        kind: "tool",
        timeoutMs: 1000,
        run: ({ attempt }) =>
          attempt === 1
            ? new Promise<string>((resolve) => late.push(resolve))
            : Promise.resolve("second"),
      }),
    );
    await clock.advance(1000);
    late[0]?.("first");
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: "second" });
  });
});
