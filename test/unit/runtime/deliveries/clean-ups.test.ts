import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { cleanUp, type CleanUpContext } from "../../../../src/events/clean-up.ts";
import type { RunScope } from "../../../../src/events/run-scope.ts";
import { Latch } from "../../../support/journal-harness.ts";
import { faultyRunStore } from "../../../support/faulty-run-store.ts";
import { RUN_STORES } from "../../../support/run-stores.ts";
import { RunWorld, type RunWorldOptions } from "../../../support/run-world.ts";

/** What the clean-ups of a test did, and what they answer. */
class Sandboxes {
  readonly deleted: string[] = [];
  readonly contexts: CleanUpContext[] = [];
  answer: () => Promise<void> = async () => undefined;
}

let sandboxes = new Sandboxes();

const deleteSandbox = cleanUp<{ id: string }>("test_sandbox", async ({ id }, context) => {
  sandboxes.deleted.push(id);
  sandboxes.contexts.push(context);
  await sandboxes.answer();
});
const slow = cleanUp<null>("test_hangs", () => new Promise(() => undefined));

/** Makes a sandbox in a step, which is to be deleted at the end. */
function sandbox(scope: RunScope, id: string): Promise<string> {
  return scope.at(`sandbox:${id}`).step({
    kind: "effect",
    run: async (_, inside) => {
      inside.addCleanUp(deleteSandbox, { id });
      return id;
    },
  });
}

function worldOf(
  run: (scope: RunScope) => Promise<string>,
  options: RunWorldOptions = {},
): RunWorld {
  sandboxes = new Sandboxes();
  return new RunWorld(run, options);
}

/** Lets so many seconds pass; the alarm rings whenever it is due. */
async function seconds(world: RunWorld, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await world.clock.advance(1000);
    await world.rest();
    await world.clock.settle();
  }
}

describe.each(RUN_STORES)("clean-ups, $name", ({ name, open }) => {
  it("CLN1: are done once the run has completed, and not before", async () => {
    const world = worldOf(
      async (scope) => {
        await sandbox(scope, "s1");
        await scope.at("ask").wait({ kind: "input" });
        return "done";
      },
      { fixture: open(), services: { tenant: "acme" } },
    );
    await world.begin();
    await seconds(world, 3);
    expect(sandboxes.deleted).toEqual([]);
    expect(world.alarm.dueAtMs).toBeNull();
    await world.host.resume({ value: "go" });
    expect(await world.rest()).toMatchObject({ status: "completed" });
    await world.clock.settle();
    expect(sandboxes.deleted).toEqual(["s1"]);
    expect(sandboxes.contexts[0]).toMatchObject({
      runId: "run-1",
      tenant: "acme",
      services: { tenant: "acme" },
      idempotencyKey: "run-1:clean-up:sandbox:s1",
    });
    expect(world.store.outbox()).toEqual([]);
    await world.rest();
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("CLN1: are done when the run fails, and when it is cancelled while it waits", async () => {
    const failing = worldOf(
      async (scope) => {
        await sandbox(scope, "s1");
        throw new Error("broken");
      },
      { fixture: open() },
    );
    expect(await failing.begin()).toMatchObject({ status: "failed" });
    await failing.clock.settle();
    expect(sandboxes.deleted).toEqual(["s1"]);

    const waiting = worldOf(
      async (scope) => {
        await sandbox(scope, "s2");
        return scope.at("ask").wait({ kind: "human" });
      },
      { fixture: open() },
    );
    await waiting.begin();
    waiting.restart();
    await waiting.host.cancel();
    await waiting.rest();
    await waiting.clock.settle();
    expect(sandboxes.deleted).toEqual(["s2"]);
  });

  it("CLN1: a removed one is not done, a repeated one is done in its last form", async () => {
    const world = worldOf(
      async (scope) => {
        scope.addCleanUp(deleteSandbox, { id: "gone" }, "a");
        scope.addCleanUp(deleteSandbox, { id: "early" }, "b");
        scope.addCleanUp(deleteSandbox, { id: "late" }, "b");
        scope.removeCleanUp("a");
        scope.removeCleanUp("a");
        return "done";
      },
      { fixture: open() },
    );
    await world.begin();
    await world.clock.settle();
    expect(sandboxes.deleted).toEqual(["late"]);
  });

  it("CLN1: no death of a process between two writes loses one", async () => {
    for (let deaths = 0, writes = 1; ; writes++) {
      let left = writes;
      let isDead = false;
      let mayDie = true;
      const world = worldOf(
        async (scope) => {
          await sandbox(scope, "s1");
          await scope.at("pause").sleep(1000);
          return "done";
        },
        {
          fixture: open(),
          wrap: (store) => {
            const isFirst = !isDead;
            const dies = (): boolean => (isDead ||= mayDie && left-- <= 0);
            return faultyRunStore(store, () => isFirst && dies());
          },
        },
      );
      await world.start().catch(() => undefined);
      if (world.store.load() === undefined) continue;
      await world.rest().catch(() => undefined);
      await world.clock.settle();
      if (isDead) {
        deaths++;
        world.restart();
      }
      mayDie = false;
      await world.host.poke();
      for (let due = world.alarm.dueAtMs; due !== null; due = world.alarm.dueAtMs) {
        await world.clock.advance(Math.max(0, due - world.clock.now()));
        await world.rest();
        await world.clock.settle();
      }
      expect(world.store.load()?.status).toBe("completed");
      expect([...new Set(sandboxes.deleted)]).toEqual(["s1"]);
      expect(world.store.outbox()).toEqual([]);
      if (isDead) continue;
      expect(deaths).toBeGreaterThan(5);
      return;
    }
  });

  it("CLN2: is tried again, by another process too, until it succeeds", async () => {
    const world = worldOf(async (scope) => sandbox(scope, "s1"), { fixture: open() });
    sandboxes.answer = async () => {
      throw new Error("no connection");
    };
    await world.begin();
    await world.clock.settle();
    expect(sandboxes.deleted).toHaveLength(1);
    world.restart();
    await seconds(world, 1);
    expect(sandboxes.deleted).toHaveLength(2);
    sandboxes.answer = async () => undefined;
    await seconds(world, 2);
    expect(sandboxes.deleted).toHaveLength(3);
    expect(world.store.outbox()).toEqual([]);
    expect(new Set(sandboxes.contexts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it("CLN2: is abandoned after half an hour, or at once after a permanent failure, and reported", async () => {
    for (const [error, attempts] of [
      [new Error("no connection"), 12],
      [new EngineError("tool_failed", "the key is refused"), 1],
    ] as const) {
      const reports: string[] = [];
      const world = worldOf(async (scope) => sandbox(scope, "s1"), {
        fixture: open(),
        report: ({ message }) => reports.push(message),
      });
      sandboxes.answer = async () => {
        throw error;
      };
      await world.begin();
      for (let ring = 0; ring < 30; ring++) {
        await world.clock.settle();
        await world.clock.advance(200_000);
        await world.rest();
      }
      expect(sandboxes.deleted).toHaveLength(attempts);
      expect(reports).toEqual([
        `run run-1: the clean-up "test_sandbox" of sandbox:s1 was abandoned: ${error.message}`,
      ]);
      expect(world.store.outbox()).toEqual([]);
    }
  });

  it("CLN2: a hanging one fails after 30 seconds, and delays no other kind", async () => {
    const world = worldOf(
      async (scope) => {
        scope.addCleanUp(slow, null, "a");
        scope.addCleanUp(deleteSandbox, { id: "s1" }, "b");
        return "done";
      },
      { fixture: open() },
    );
    expect(await world.begin()).toMatchObject({ status: "completed" });
    await world.clock.settle();
    expect(sandboxes.deleted).toEqual(["s1"]);
    await seconds(world, 31);
    expect(world.store.outbox()).toMatchObject([{ id: "clean-up:test_hangs:a", attempts: 1 }]);
  });

  it("CLN2: waits for code that has it", async () => {
    const renamed = { name: `test_later ${name}`, perform: async () => undefined };
    const world = worldOf(
      async (scope) => {
        scope.addCleanUp(renamed, null, "a");
        return "done";
      },
      { fixture: open() },
    );
    await world.begin();
    await seconds(world, 2);
    expect(world.store.outbox()).toMatchObject([{ attempts: 2 }]);
    const done: string[] = [];
    cleanUp<null>(renamed.name, async () => done.push("done"));
    await seconds(world, 3);
    expect(done).toEqual(["done"]);
    expect(world.store.outbox()).toEqual([]);
  });

  it("CLN3: runs at once when an open call adds it after the end", async () => {
    const created = new Latch<string>();
    const world = worldOf(
      async (scope) =>
        scope.at("create").step({
          kind: "effect",
          run: async (_, inside) => {
            const id = await created.promise;
            inside.addCleanUp(deleteSandbox, { id });
            return id;
          },
        }),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    await world.host.cancel();
    await ring;
    await world.rest();
    expect(world.alarm.dueAtMs).toBeNull();
    created.resolve("s1");
    await world.clock.settle();
    await world.rest();
    await world.clock.settle();
    expect(sandboxes.deleted).toEqual(["s1"]);
  });

  it("CLN4: has limits of number and size", async () => {
    const world = worldOf(
      async (scope) => {
        const tooMuch = (): unknown =>
          scope.addCleanUp(deleteSandbox, { id: "x".repeat(20_000) }, "a");
        expect(tooMuch).toThrow(/at most 16384 characters of JSON, got 20009/);
        for (let n = 0; n < 100; n++) scope.addCleanUp(deleteSandbox, { id: `s${n}` }, `s${n}`);
        expect(() => scope.addCleanUp(deleteSandbox, { id: "more" }, "more")).toThrow(
          /at most 100 clean-ups/,
        );
        scope.addCleanUp(deleteSandbox, { id: "s0, again" }, "s0");
        return "done";
      },
      { fixture: open() },
    );
    expect(await world.begin()).toMatchObject({ status: "completed" });
    await world.clock.settle();
    expect(sandboxes.deleted).toHaveLength(100);
    expect(sandboxes.deleted).toContain("s0, again");
  });
});
