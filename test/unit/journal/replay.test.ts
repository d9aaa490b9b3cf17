import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { InMemoryJournalStore } from "../../../src/journal/in-memory-journal-store.ts";
import {
  beginDrive,
  cutOffRow,
  doneRow,
  drive,
  Latch,
  perform,
  rowsOf,
} from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

describe.each(RUN_STORES)("replay, $name", ({ open }) => {
  it("J2: skips an action with a recorded result, and returns the record", async () => {
    const fixture = open();
    let calls = 0;
    const program = (scope: RunScope): Promise<JsonValue> => perform(scope, "a", () => ++calls);
    await drive(fixture.store.journal, program);
    expect(await drive(fixture.reopen().journal, program)).toEqual({
      state: "completed",
      value: 1,
    });
    expect(calls).toBe(1);
  });

  it("J2: returns results in the order in which they ended, not in the order of requests", async () => {
    const { journal } = open().store;
    journal.put(doneRow("slow", 1, { endedSeq: 6 }));
    journal.put(doneRow("quick", 2, { endedSeq: 4 }));
    journal.put(doneRow("middle", 3, { endedSeq: 5 }));
    const order: string[] = [];
    await drive(journal, async (scope) => {
      await Promise.all(
        ["slow", "quick", "middle"].map((key) =>
          perform(scope, key, () => null).then(() => order.push(key)),
        ),
      );
      return null;
    });
    expect(order).toEqual(["quick", "middle", "slow"]);
  });

  it("J2: leaves out the steps inside a finished one", async () => {
    const { journal } = open().store;
    let inner = 0;
    const program = (scope: RunScope): Promise<JsonValue> =>
      scope.at("task").group("task", async (task) => {
        inner++;
        return perform(task, "a", () => "result");
      });
    await drive(journal, program);
    expect(await drive(journal, program)).toEqual({ state: "completed", value: "result" });
    expect(inner).toBe(1);
  });

  it("J2: returns steps below the key of a wait independently: a wait blocks no steps", async () => {
    const { journal } = open().store;
    journal.put(doneRow("w/before", 1));
    journal.put(doneRow("w", 3, { kind: "wait", wait: { kind: "input" }, value: "2" }));
    journal.put(doneRow("w/after", 5));
    journal.put(doneRow("end", 7));
    const order: string[] = [];
    const ended = await drive(journal, async (scope) => {
      const place = scope.at("w");
      await perform(place, "before", () => null).then(() => order.push("before"));
      await place.wait({ kind: "input" }).then(() => order.push("wait"));
      await perform(place, "after", () => null).then(() => order.push("after"));
      return perform(scope, "end", () => null);
    });
    expect(ended).toEqual({ state: "completed", value: null });
    expect(order).toEqual(["before", "wait", "after"]);
  });

  it("J2: continues inside an unfinished step", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("task", 1, { kind: "task" }));
    journal.put(doneRow("task/a", 2, { value: `"kept"` }));
    const performed: string[] = [];
    const result = await drive(journal, (scope) =>
      scope.at("task").group("task", async (task) => {
        const a = await perform(task, "a", () => (performed.push("a"), "new"));
        const b = await perform(task, "b", () => (performed.push("b"), "new"));
        return [a, b];
      }),
    );
    expect(result).toEqual({ state: "completed", value: ["kept", "new"] });
    expect(performed).toEqual(["b"]);
  });

  it("J3: throws a recorded failure again, and does not run it", async () => {
    const fixture = open();
    let calls = 0;
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const failing = perform(scope, "a", () => {
        calls++;
        throw new EngineError("tool_failed", "quota is used up", {
          issues: [{ path: "/x", message: "expected less" }],
        });
      });
      return failing.catch(
        (error: unknown) =>
          (EngineError.is(error) ? { ...error.toRecord() } : String(error)) as JsonValue,
      );
    };
    const first = await drive(fixture.store.journal, program);
    expect(first).toMatchObject({
      value: { code: "tool_failed", message: "quota is used up", issues: [{ path: "/x" }] },
    });
    expect(await drive(fixture.reopen().journal, program)).toEqual(first);
    expect(calls).toBe(1);
  });

  it("J3: does not repeat a recorded failure, even a retryable one", async () => {
    const { journal } = open().store;
    journal.put(
      doneRow("a", 1, {
        state: "error",
        value: null,
        error: { code: "timeout", message: "late", retryable: true },
      }),
    );
    let calls = 0;
    const result = await drive(journal, (scope) => perform(scope, "a", () => ++calls));
    expect(result).toEqual({
      state: "failed",
      error: { code: "timeout", message: "late", retryable: true },
    });
    expect(calls).toBe(0);
  });

  it("repeats a step interrupted by a crash, with the same idempotency key and the next attempt", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { kind: "tool" }));
    const restarted: Array<[string, number]> = [];
    const result = await drive(
      journal,
      (scope) =>
        scope.at("a").step({
          kind: "tool",
          run: async ({ attempt, idempotencyKey }) => ({ attempt, idempotencyKey }),
        }),
      { observer: { restarted: (key, attempt) => restarted.push([key, attempt]) } },
    );
    expect(result).toEqual({
      state: "completed",
      value: { attempt: 2, idempotencyKey: "run-1:a" },
    });
    expect(restarted).toEqual([["a", 2]]);
  });

  it("keeps the start order of the rows it resumes", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1));
    await drive(journal, (scope) => perform(scope, "a", () => 7));
    expect(journal.get("a")).toMatchObject({
      state: "done",
      startedSeq: 1,
      endedSeq: 2,
      attempt: 2,
      interrupted: 1,
    });
    expect(journal.count()).toBe(1);
  });

  it("returns a result again that an earlier execution of the same step has requested", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("tool", 1, { kind: "tool", state: "waiting" }));
    journal.put(doneRow("tool/part", 2, { value: `"part"` }));
    let executions = 0;
    const { ended, clock } = beginDrive(journal, (scope) =>
      scope.at("tool").step({
        kind: "tool",
        run: async (_, inner) => {
          const part = await perform(inner, "part", () => "anew");
          if (++executions === 1)
            throw new EngineError("tool_failed", "again, please", { retryable: true });
          return part;
        },
      }),
    );
    await clock.advance(1000);
    expect(await ended).toEqual({ state: "completed", value: "part" });
  });

  it("reads more rows than fit a page", async () => {
    const { journal } = open().store;
    const keys = Array.from({ length: 2500 }, (_, n) => `step:${n}`);
    for (const [n, key] of keys.entries())
      journal.put(doneRow(key, 2 * n + 1, { value: String(n) }));
    const result = await drive(journal, async (scope) => {
      let sum = 0;
      for (const key of keys) sum += await perform(scope, key, () => Number.NaN);
      return sum;
    });
    expect(result).toEqual({ state: "completed", value: (2499 * 2500) / 2 });
    expect(rowsOf(journal)).toHaveLength(2500);
  }, 30_000);
});

describe("the end of a drive", () => {
  it("J10: lets no late result write", async () => {
    const store = new InMemoryJournalStore();
    const answer = new Latch<string>();
    const { journal, ended } = beginDrive(store, (scope) =>
      perform(scope, "a", () => answer.promise),
    );
    await Promise.resolve();
    journal.stop();
    expect(await ended).toEqual({ state: "stopped" });
    const before = JSON.stringify(rowsOf(store));
    answer.resolve("late");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(JSON.stringify(rowsOf(store))).toBe(before);
  });

  it("J10: lets abandoned code neither start a step, open a wait, take a reading nor answer a wait", async () => {
    const store = new InMemoryJournalStore();
    let scope: RunScope | undefined;
    const { journal, ended } = beginDrive(store, async (root) => {
      scope = root;
      return root.at("w").wait({ kind: "input" });
    });
    await ended;
    const before = JSON.stringify(rowsOf(store));
    void perform(scope as unknown as RunScope, "a", () => null);
    void (scope as unknown as RunScope).at("w2").wait({ kind: "input" });
    (scope as unknown as RunScope).at("r").now();
    expect(journal.settle("w", { value: 1 })).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(JSON.stringify(rowsOf(store))).toBe(before);
  });

  it("aborts every open call with run_cancelled as the reason", async () => {
    const signals: AbortSignal[] = [];
    const { journal, ended, clock } = beginDrive(new InMemoryJournalStore(), async (scope) => {
      const call = (key: string) =>
        scope.at(key).step({
          kind: "tool",
          timeoutMs: 60_000,
          run: ({ signal }) => (signals.push(signal), new Promise<null>(() => {})),
        });
      await Promise.all([call("a"), call("b")]);
      return null;
    });
    await clock.settle();
    journal.stop();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(EngineError.is(signals[0]?.reason) && signals[0].reason.code).toBe("run_cancelled");
    await ended;
    await clock.settle();
    expect(clock.pending).toBe(0);
  });

  it("aborts a signal first requested after the stop", async () => {
    let signal: AbortSignal | undefined;
    const { journal, ended, clock } = beginDrive(new InMemoryJournalStore(), (scope) =>
      scope.at("a").step({
        kind: "effect",
        run: async (context) => {
          journal.stop();
          ({ signal } = context);
          return null;
        },
      }),
    );
    await clock.settle();
    await ended;
    expect(signal?.aborted).toBe(true);
    expect(EngineError.is(signal?.reason) && signal.reason.code).toBe("run_cancelled");
  });

  it("J15: re-enters a group after the results before it, though it is requested earlier", async () => {
    const journal = new InMemoryJournalStore();
    journal.put(doneRow("quick", 1));
    journal.put(doneRow("slow", 2, { endedSeq: 5 }));
    journal.put(cutOffRow("group", 6, { kind: "group" }));
    const ended: string[] = [];
    const result = await drive(journal, async (scope) => {
      const slow = perform(scope, "slow", () => null).then(() => ended.push("slow"));
      await perform(scope, "quick", () => null).then(() => ended.push("quick"));
      const seen = await scope.at("group").group("group", async () => [...ended]);
      await slow;
      return seen;
    });
    expect(result).toEqual({ state: "completed", value: ["quick", "slow"] });
  });

  it("J15: re-enters a group at once when it was put around earlier results", async () => {
    const journal = new InMemoryJournalStore();
    journal.put(doneRow("group/x", 1));
    journal.put(doneRow("other", 3));
    journal.put(cutOffRow("group", 5, { kind: "group" }));
    const result = await drive(journal, async (scope) => {
      await scope.at("group").group("group", (place) => perform(place, "x", () => null));
      return perform(scope, "other", () => null);
    });
    expect(result).toEqual({ state: "completed", value: null });
  });

  it("J7: lets a group without a recorded end finish before the next result is requested", async () => {
    const journal = new InMemoryJournalStore();
    journal.put(doneRow("first/x", 1, { value: "1" }));
    journal.put(doneRow("second/y", 3, { value: "2" }));
    const result = await drive(journal, async (scope) => {
      const first = await scope.at("first").group("group", (place) => perform(place, "x", () => 9));
      const second = await scope
        .at("second")
        .group("group", (place) => perform(place, "y", () => 9));
      return [first, second];
    });
    expect(result).toEqual({ state: "completed", value: [1, 2] });
  });

  it.each(["a group", "the program"])(
    "J7: lets the slower branch of a race repeat its requests before %s ends",
    async (where) => {
      const path = where === "a group" ? "outer/" : "";
      const journal = new InMemoryJournalStore();
      const parent = where === "a group" ? "outer" : null;
      if (parent !== null) journal.put(cutOffRow(parent, 1, { kind: "group" }));
      journal.put(doneRow(`${path}slow:1`, 2, { kind: "group", parent, endedSeq: 6 }));
      journal.put(
        doneRow(`${path}quick`, 3, { kind: "group", parent, endedSeq: 5, value: `"quick"` }),
      );
      journal.put(cutOffRow(`${path}slow:2`, 7, { kind: "group", parent }));
      const race = (scope: RunScope): Promise<JsonValue> => {
        const stepless = (name: string): Promise<JsonValue> =>
          scope.at(name).group("group", () => Promise.resolve(name));
        return Promise.race([stepless("slow:1").then(() => stepless("slow:2")), stepless("quick")]);
      };
      const result = await drive(journal, (scope) =>
        parent === null ? race(scope) : scope.at(parent).group("group", race),
      );
      expect(result).toEqual({ state: "completed", value: "quick" });
    },
  );

  it("J7: a group that ends without its step holds the run, though other steps still wait for their turn", async () => {
    const journal = new InMemoryJournalStore();
    journal.put(doneRow("quick", 1));
    journal.put(cutOffRow("outer", 3, { kind: "group" }));
    journal.put(doneRow("outer/gone", 4, { parent: "outer" }));
    const result = await drive(journal, async (scope) => {
      await perform(scope, "quick", () => null);
      return scope.at("outer").group("group", () => Promise.resolve(1));
    });
    expect(result).toMatchObject({ state: "held", key: "outer/gone" });
  });
});
