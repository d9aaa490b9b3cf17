import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { NO_USAGE } from "../../../src/base/usage.ts";
import { doneRow, perform } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore, RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld, START } from "../../support/run-world.ts";

describe.each(RUN_STORES)("starting a run, $name", ({ open }) => {
  it("H1: puts the run on record and sets its alarm to now", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    const run = await world.start({
      meta: { by: "test" },
      origin: { runId: "run-0", before: "task:a" },
    });
    expect(run).toEqual({
      id: "run-1",
      kind: "crew",
      lastSeq: 0,
      name: "briefing",
      status: "queued",
      inputs: { topic: "tea" },
      meta: { by: "test" },
      origin: { runId: "run-0", before: "task:a" },
      usage: NO_USAGE,
      usageBy: [],
      waits: [],
      tasks: [],
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect(world.alarm.calls).toEqual(["set +0"]);
  });

  it("H1: returns the first run to a second start with its id, whatever its other fields", async () => {
    const world = new RunWorld(async () => "first", { fixture: open() });
    await world.start();
    world.restart();
    expect(await world.start({ inputs: { topic: "coffee" }, name: "other" })).toMatchObject({
      name: "briefing",
      inputs: { topic: "tea" },
      status: "queued",
    });
    await world.rest();
    expect(await world.start({ inputs: { topic: "coffee" } })).toMatchObject({
      status: "completed",
      output: "first",
    });
    expect(world.eventTypes()).toEqual(["run_started", "run_completed"]);
  });

  it("H1: sets the alarm again when the first start could not", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    world.alarm.broken = true;
    await expect(world.start()).rejects.toThrow("out of order");
    world.alarm.broken = false;
    await world.start();
    expect(world.alarm.dueAtMs).toBe(world.clock.now());
  });

  it("H1: does not touch the alarm of a healthy run", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "human" }), {
      fixture: open(),
    });
    await world.begin();
    const calls = world.alarm.calls.length;
    await world.start();
    await world.host.poke();
    expect(world.alarm.calls).toHaveLength(calls);
  });

  it("reads of an unstarted run are not_found, and write no row", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await expect(world.host.status()).rejects.toMatchObject({ code: "not_found" });
    await expect(world.host.resume({ feedback: "x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(world.host.cancel()).rejects.toMatchObject({ code: "not_found" });
    expect(() => world.host.reader.events(0, 10)).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    await world.host.alarm();
    expect(await world.host.poke()).toBe(false);
    expect(await world.host.reindex()).toBe(false);
    expect(world.store.load()).toBeUndefined();
    expect(world.alarm.calls).toEqual([]);
  });

  it("shows the run's progress", async () => {
    const world = new RunWorld(
      async (scope) => {
        await scope.at("task:a").group("task", (task) =>
          perform(task, "m", {
            kind: "model",
            usage: () => ({ ...NO_USAGE, totalTokens: 7, requests: 1 }),
            action: () => null,
          }),
        );
        await scope
          .at("task:b")
          .group("task", () => Promise.reject(new EngineError("agent_failed", "no")))
          .catch(() => null);
        return scope.at("task:c").group("task", (task) =>
          task.at("ask").wait({
            kind: "human",
            prompt: "Fine?",
            choices: ["yes", "no"],
            dueAtMs: scope.clock.now() + 60_000,
          }),
        );
      },
      {
        fixture: open(),
        tasks: ["a", "b", "c", "d"].map((name) => ({ key: `task:${name}`, name, agent: "Writer" })),
      },
    );
    expect(await world.begin()).toMatchObject({
      status: "waiting",
      usage: { totalTokens: 7, requests: 1 },
      waits: [
        {
          key: "task:c/ask",
          kind: "human",
          prompt: "Fine?",
          choices: ["yes", "no"],
          expiresAt: "2026-01-01T00:01:00.000Z",
        },
      ],
      tasks: [
        { name: "a", agent: "Writer", status: "completed" },
        { name: "b", status: "failed" },
        { name: "c", status: "running" },
        { name: "d", status: "pending" },
      ],
      startedAt: "2026-01-01T00:00:00.000Z",
    });
    const ended = await world.host.cancel();
    expect(ended).toMatchObject({
      status: "cancelled",
      waits: [],
      finishedAt: "2026-01-01T00:00:00.000Z",
    });
  });

  it("is still shown when its definition is gone", async () => {
    let gone = false;
    const findProgram = () => {
      if (gone) throw new EngineError("not_found", "no crew briefing");
      return { run: async () => "done", tasks: [] };
    };
    const world = new RunWorld(async () => null, { fixture: open(), findProgram });
    await world.begin();
    gone = true;
    const run = await world.host.status();
    expect(run).toMatchObject({ status: "completed", output: "done" });
    expect(run).not.toHaveProperty("tasks");
  });

  it("fails with not_found when its definition is gone before it is driven", async () => {
    const findProgram = () => {
      throw new EngineError("not_found", "no crew briefing");
    };
    expect(
      await new RunWorld(async () => null, { fixture: open(), findProgram }).begin(),
    ).toMatchObject({ status: "failed", error: { code: "not_found" } });
  });

  it("shows its steps in pages, with results when asked for them", async () => {
    const world = new RunWorld(
      async (scope) => {
        for (const key of ["a", "b", "c"]) await perform(scope, key, () => key);
        return null;
      },
      { fixture: open() },
    );
    await world.begin();
    const first = world.host.reader.steps({ limit: 2, values: true });
    expect(first.items).toMatchObject([
      {
        key: "a",
        kind: "effect",
        state: "done",
        attempt: 1,
        bytes: 3,
        value: "a",
        startedAt: "2026-01-01T00:00:00.000Z",
        endedAt: "2026-01-01T00:00:00.000Z",
      },
      { key: "b" },
    ]);
    const second = world.host.reader.steps({ cursor: first.nextCursor, limit: 2, values: false });
    expect(second.items.map(({ key }) => key)).toEqual(["c"]);
    expect(second.items[0]).not.toHaveProperty("value");
    expect(second).not.toHaveProperty("nextCursor");
    expect(() => world.host.reader.steps({ cursor: "x", limit: 2, values: false })).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });
});

describe("a start the storage rejects", () => {
  it.each(["setValue inputs", "put a done", "save", "putOutbox index"])(
    "H1: leaves no trace, and can be repeated: %s",
    async (failing) => {
      let broken = true;
      const world = new RunWorld(async (scope) => perform(scope, "a", () => 1), {
        fixture: openSqlStore(),
        wrap: (store) => faultyRunStore(store, (write) => broken && write === failing),
      });
      const adopted = [doneRow("a", 1, { value: "5" })];
      await expect(world.start({}, adopted)).rejects.toThrow("the storage failed");
      expect([
        world.store.load(),
        world.store.value("inputs"),
        world.store.journal.count(),
        world.store.outbox(),
      ]).toEqual([undefined, undefined, 0, []]);
      broken = false;
      expect(await world.begin({}, adopted)).toMatchObject({
        id: START.id,
        status: "completed",
        output: 5,
      });
    },
  );
});
