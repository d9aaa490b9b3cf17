import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import {
  beginDrive,
  doneRow,
  drive,
  Latch,
  perform,
  rowsOf,
} from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

describe.each(RUN_STORES)("concurrency, $name", ({ open }) => {
  /** Two branches whose steps end in the same turn; after its step the first one takes longer to come to the point. */
  const racing =
    (order: string[], gates: readonly [Promise<unknown>, Promise<unknown>]) =>
    async (scope: RunScope): Promise<JsonValue> => {
      const branch = async (key: "a" | "b", delay: number): Promise<void> => {
        await perform(scope, key, () => gates[key === "a" ? 0 : 1].then(() => null));
        await turns(delay);
        order.push(key);
        await perform(scope, `${key}2`, () => null);
      };
      await Promise.all([branch("a", 40), branch("b", 1)]);
      return [...order];
    };

  it("J4: runs the effects of a result before it records the next result", async () => {
    const { journal } = open().store;
    const gate = new Latch<null>();
    const order: string[] = [];
    const { ended } = beginDrive(journal, racing(order, [gate.promise, gate.promise]));
    await turns(50);
    gate.resolve(null);
    expect(await ended).toEqual({ state: "completed", value: ["a", "b"] });
  });

  it("J4: does so among many branches as well", async () => {
    const { journal } = open().store;
    const gate = new Latch<null>();
    const order: number[] = [];
    const { ended } = beginDrive(journal, async (scope) => {
      await Promise.all(
        Array.from({ length: 8 }, async (_, n) => {
          await perform(scope, `s:${n}`, () => gate.promise);
          await turns(40 - 5 * n);
          order.push(n);
        }),
      );
      return null;
    });
    await turns(50);
    gate.resolve(null);
    await ended;
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("J4: records the next result at once when the last one is known to have no effects", async () => {
    const { journal } = open().store;
    const gate = new Latch<null>();
    const { ended } = beginDrive(journal, async (scope) => {
      await Promise.all(
        Array.from({ length: 8 }, async (_, n) => {
          await perform(scope, `s:${n}`, () => gate.promise);
          scope.setOffNothing();
        }),
      );
      return null;
    });
    await turns(50);
    gate.resolve(null);
    await turns(250); // 8 results take 100 turns each otherwise
    expect(journal.count()).toBe(8);
    for (const { endedSeq } of journal.list(0, 10)) expect(endedSeq).not.toBeNull();
    await ended;
  });

  it("J4: gives a race the same course in every replay", async () => {
    const { journal } = open().store;
    const gate = new Latch<null>();
    const live: string[] = [];
    const first = beginDrive(journal, async (scope) => {
      await racing(live, [gate.promise, gate.promise])(scope);
      return scope.at("ask").wait({ kind: "input" });
    });
    await turns(50);
    gate.resolve(null);
    await first.ended;
    for (let drives = 0; drives < 2; drives++) {
      const again: string[] = [];
      await drive(journal, async (scope) => {
        await racing(again, [gate.promise, gate.promise])(scope);
        return scope.at("ask").wait({ kind: "input" });
      });
      expect(again).toEqual(live);
    }
  });

  it("J4: runs the effects of an answer before it records the next result", async () => {
    const { journal } = open().store;
    const work = new Latch<null>();
    const order: string[] = [];
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(journal, async (scope) => {
      await Promise.all([
        scope
          .at("ask")
          .wait({ kind: "input" })
          .then(async () => (await turns(30), order.push("answer"))),
        perform(scope, "work", () => work.promise).then(() => order.push("work")),
      ]);
      return null;
    });
    await clock.settle();
    driven.settle("ask", { value: 1 });
    work.resolve(null);
    await ended;
    expect(order).toEqual(["answer", "work"]);
    expect(journal.get("ask")?.endedSeq).toBeLessThan(journal.get("work")?.endedSeq ?? 0);
  });

  it("J4: hands two answers of the same tick out one at a time", async () => {
    const { journal } = open().store;
    const order: string[] = [];
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(journal, async (scope) => {
      const branch = async (key: string, delay: number): Promise<void> => {
        await scope.at(key).wait({ kind: "input" });
        await turns(delay);
        order.push(key);
      };
      const hold = perform(
        scope,
        "hold",
        () => new Promise<null>((resolve) => clock.after(10, () => resolve(null))),
      );
      await Promise.all([branch("first", 40), branch("second", 1), hold]);
      return null;
    });
    await clock.settle();
    driven.settle("first", { value: 1 });
    driven.settle("second", { value: 2 });
    await clock.advance(10);
    await ended;
    expect(order).toEqual(["first", "second"]);
  });

  it("runs the steps of parallel branches at the same time", async () => {
    const { journal } = open().store;
    let running = 0;
    let most = 0;
    await drive(journal, async (scope) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          perform(scope, `e:${n}`, async () => {
            most = Math.max(most, ++running);
            await turns(10);
            running--;
            return null;
          }),
        ),
      );
      return null;
    });
    expect(most).toBe(20);
  });

  it.each([
    ["models", ["model"]],
    ["tools", ["tool"]],
    ["both", ["model", "tool"]],
  ] as const)(
    "has no more calls of %s under way at once than it is allowed, and starts those of a kind in order",
    async (_kinds, kinds) => {
      const { journal } = open().store;
      let running = 0;
      let most = 0;
      const started: number[] = [];
      await drive(
        journal,
        async (scope) => {
          await Promise.all(
            Array.from({ length: 12 }, (_, n) =>
              perform(scope, `call:${n}`, {
                kind: kinds[n % kinds.length] ?? "tool",
                action: async () => {
                  started.push(n);
                  most = Math.max(most, ++running);
                  await turns(10);
                  running--;
                  return null;
                },
              }),
            ),
          );
          return null;
        },
        { limits: { concurrentCalls: 3 } },
      );
      expect(most).toBe(3);
      for (const [at] of kinds.entries()) {
        const ofKind = (n: number): boolean => n % kinds.length === at;
        const all = Array.from({ length: 12 }, (_, n) => n);
        expect(started.filter(ofKind)).toEqual(all.filter(ofKind));
      }
    },
  );

  it("does not count a tool as an open call once it runs steps of its own, so nesting cannot deadlock", async () => {
    const { journal } = open().store;
    const result = await drive(
      journal,
      async (scope) => {
        const outer = (n: number) =>
          scope.at(`outer:${n}`).step({
            kind: "tool",
            run: (_, inner) => perform(inner, "model", { kind: "model", action: () => n }),
          });
        return Promise.all([outer(0), outer(1), outer(2)]);
      },
      { limits: { concurrentCalls: 1 } },
    );
    expect(result).toEqual({ state: "completed", value: [0, 1, 2] });
  });

  it("gives the slot back when a call fails", async () => {
    const result = await drive(
      open().store.journal,
      async (scope) => {
        for (let n = 0; n < 4; n++)
          await perform(scope, `t:${n}`, {
            kind: "tool",
            action: () => Promise.reject(new Error("no")),
          }).catch(() => null);
        return "through";
      },
      { limits: { concurrentCalls: 1 } },
    );
    expect(result).toEqual({ state: "completed", value: "through" });
  });

  it("does not record a step waiting for a slot as started", async () => {
    const { journal } = open().store;
    const first = new Latch<null>();
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(
      journal,
      async (scope) => {
        await Promise.all([
          perform(scope, "a", { kind: "tool", action: () => first.promise }),
          perform(scope, "b", { kind: "tool", action: () => null }),
        ]);
        return null;
      },
      { limits: { concurrentCalls: 1 } },
    );
    await clock.settle();
    expect(rowsOf(journal).map(({ key }) => key)).toEqual(["a"]);
    driven.stop();
    await ended;
  });

  it("keeps results that end while later ones are replayed", async () => {
    const { journal } = open().store;
    journal.put({
      ...doneRow("g", 1, { kind: "group" }),
      state: "started",
      endedSeq: null,
      value: null,
    });
    journal.put(doneRow("g/a", 2, { kind: "effect" }));
    journal.put(doneRow("b", 4));
    const result = await drive(journal, async (scope) => {
      const group = scope.at("g").group("group", async (inner) => perform(inner, "a", () => null));
      const [, b] = await Promise.all([group, perform(scope, "b", () => null)]);
      return b;
    });
    expect(result).toMatchObject({ state: "completed" });
    expect(journal.get("g")).toMatchObject({ state: "done", endedSeq: 6 });
  });
});

describe("pausing and yielding", () => {
  it.each(RUN_STORES)(
    "starts no further step after a pause, lets those under way end, and ends as paused, $name",
    async ({ open }) => {
      const { journal } = open().store;
      const work = new Latch<string>();
      const program = async (scope: RunScope): Promise<JsonValue> => [
        await perform(scope, "a", () => work.promise),
        await perform(scope, "b", () => "b"),
      ];
      const { journal: driven, ended, clock } = beginDrive(journal, program);
      await clock.settle();
      driven.pause();
      work.resolve("a");
      expect(await ended).toEqual({ state: "parked", reason: "paused" });
      expect(rowsOf(journal).map(({ key, state }) => [key, state])).toEqual([["a", "done"]]);
      expect(await drive(journal, program)).toEqual({ state: "completed", value: ["a", "b"] });
    },
  );

  it.each(RUN_STORES)("opens no wait after a pause, $name", async ({ open }) => {
    const { journal } = open().store;
    const { journal: driven, ended } = beginDrive(journal, (scope) =>
      scope.at("ask").wait({ kind: "input" }),
    );
    driven.pause();
    expect(await ended).toEqual({ state: "parked", reason: "paused" });
    expect(journal.waits()).toEqual([]);
  });

  it.each(RUN_STORES)("starts no waiting call after a pause, $name", async ({ open }) => {
    const { journal } = open().store;
    const first = new Latch<null>();
    let second = 0;
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(
      journal,
      async (scope) => {
        const a = perform(scope, "a", { kind: "tool", action: () => first.promise });
        await Promise.all([
          a,
          ...["b", "c"].map((key) => perform(scope, key, { kind: "tool", action: () => ++second })),
        ]);
        return null;
      },
      { limits: { concurrentCalls: 1 } },
    );
    await clock.settle();
    driven.pause();
    first.resolve(null);
    expect(await ended).toEqual({ state: "parked", reason: "paused" });
    expect(second).toBe(0);
  });

  it.each(RUN_STORES)(
    "makes no further attempt after a pause, and makes it in the next drive, $name",
    async ({ open }) => {
      const { journal } = open().store;
      let calls = 0;
      const program = (scope: RunScope): Promise<JsonValue> =>
        perform(scope, "a", () => {
          if (++calls === 1) throw new EngineError("tool_failed", "busy", { retryable: true });
          return calls;
        });
      const { journal: driven, ended, clock } = beginDrive(journal, program);
      await clock.settle();
      driven.pause();
      await clock.advance(1000);
      expect(await ended).toEqual({ state: "parked", reason: "paused" });
      expect(journal.get("a")).toMatchObject({
        state: "waiting",
        attempt: 2,
        error: { message: "busy" },
      });
      expect(await drive(journal, program, { clock })).toEqual({ state: "completed", value: 2 });
      expect(journal.get("a")).toMatchObject({ attempt: 2, interrupted: 0, error: null });
    },
  );

  it.each(RUN_STORES)(
    "starts no further step once it is time to yield, and goes on in the next drive, $name",
    async ({ open }) => {
      const { journal } = open().store;
      const program = async (scope: RunScope): Promise<JsonValue> => {
        await perform(
          scope,
          "a",
          () => new Promise<null>((resolve) => clock.after(100, () => resolve(null))),
        );
        return perform(scope, "b", () => "b");
      };

      const clock = new SimulatedClock();
      const { ended } = beginDrive(journal, program, { clock, yieldAtMs: clock.now() + 50 });
      await clock.advance(100);
      expect(await ended).toEqual({ state: "parked", reason: "yielded" });
      expect(await drive(journal, program, { clock })).toEqual({ state: "completed", value: "b" });
    },
  );
});
