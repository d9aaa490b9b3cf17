// That a run goes on from where a crash cut it off is what test/crash and test/unit/runtime/drive.test.ts show: here is what can be seen of it.
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { NO_USAGE } from "../../../src/base/usage.ts";
import { onEvent, ListenerPlan } from "../../../src/events/listener.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { diffCheckpoints } from "../../../src/runtime/checkpoints.ts";
import { perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const NAMES = ["a", "b", "c", "d"];
const TASKS = NAMES.map((name) => ({ key: `task:${name}`, name: `Task ${name}`, agent: "Writer" }));

/** Four tasks, each of one model call; `c` crashes while `broken` holds. */
const fourTasks =
  (performed: string[], broken: () => boolean = () => false) =>
  async (scope: RunScope, { topic = "tea" }: JsonObject): Promise<JsonValue> => {
    const outputs: JsonValue[] = [];
    const inner = scope.open("crew_kickoff_started", { crewName: "x", inputs: {} });
    for (const name of NAMES) {
      const task = inner.at(`task:${name}`);
      outputs.push(
        await task.group(
          "task",
          (place) =>
            perform(place, "turn", {
              kind: "model",
              usage: () => ({ ...NO_USAGE, requests: 1, totalTokens: 10 }),
              action: async () => {
                performed.push(name);
                if (name === "c" && broken()) await new Promise(() => undefined);
                return `${topic as string} ${name}`;
              },
            }),
          { mark: "checkpoint" },
        ),
      );
    }
    return outputs;
  };

describe.each(RUN_STORES)("checkpoints, $name", ({ open }) => {
  const finished = async (): Promise<RunWorld> => {
    const world = new RunWorld(fourTasks([]), { fixture: open(), tasks: TASKS });
    await world.begin();
    return world;
  };

  it("CK1, CK2: are the finished tasks, each after the one before it", async () => {
    const world = await finished();
    const list = world.host.reader.checkpoints({ values: true });
    expect(list.map(({ task, key }) => [task, key])).toEqual(
      TASKS.map(({ name, key }) => [name, key]),
    );
    expect(list.map(({ id }) => id)).toEqual(
      TASKS.map(({ key }) => expect.stringMatching(new RegExp(`^${key}@\\d+$`)) as string),
    );
    expect(list.map(({ parentId }) => parentId)).toEqual([
      undefined,
      ...list.slice(0, -1).map(({ id }) => id),
    ]);
    expect(list.map(({ branch, usage, output }) => [branch, usage.requests, output])).toEqual([
      ["run-1", 1, "tea a"],
      ["run-1", 2, "tea b"],
      ["run-1", 3, "tea c"],
      ["run-1", 4, "tea d"],
    ]);
    expect(world.host.reader.checkpoints({ values: false })[0]).not.toHaveProperty("output");
  });

  it("CK1: are only marked steps of any kind, named by their labels", async () => {
    const world = new RunWorld(
      async (scope) => {
        const marks = { label: "A step", mark: "checkpoint" } as const;
        await scope.at("task:plain").group("task", async () => null);
        await scope.at("method:x").group("method", async () => 1, marks);
        return scope.at("y").callOnce(() => 2, { mark: "checkpoint" });
      },
      { fixture: open() },
    );
    await world.begin();
    const list = world.host.reader.checkpoints({ values: true });
    expect(list.map(({ task, key, output }) => [task, key, output])).toEqual([
      ["A step", "method:x", 1],
      ["y", "y", 2],
    ]);
  });

  it("DC1: a run interrupted in its third task does not repeat the first two", async () => {
    const performed: string[] = [];
    let broken = true;
    const world = new RunWorld(
      fourTasks(performed, () => broken),
      {
        fixture: open(),
        tasks: TASKS,
      },
    );
    await world.start();
    void world.ring();
    await expect.poll(() => performed).toEqual(["a", "b", "c"]);
    expect(world.host.reader.checkpoints({ values: false }).map(({ task }) => task)).toEqual([
      "Task a",
      "Task b",
    ]);
    broken = false;
    world.restart();
    await world.clock.advance(2000);
    expect(await world.rest()).toMatchObject({ status: "completed" });
    expect(performed).toEqual(["a", "b", "c", "c", "d"]);
    expect(world.eventTypes().filter((type) => type === "crew_kickoff_started")).toHaveLength(1);
  });

  it("CK3, CK2: a fork goes on from one, with its own inputs, on a branch of its own", async () => {
    const world = await finished();
    const [, second] = world.host.reader.checkpoints({ values: false });
    const { start, origin, rows } = world.host.forks.recordBefore({
      fromCheckpoint: second?.id ?? "",
    });
    const performed: string[] = [];
    const fork = new RunWorld(fourTasks(performed), { fixture: open(), tasks: TASKS });
    const run = await fork.begin(
      { ...start, id: "run-2", inputs: { topic: "ink" }, origin: { ...origin, branch: "darker" } },
      rows,
    );
    expect(run).toMatchObject({
      status: "completed",
      output: ["tea a", "tea b", "ink c", "ink d"],
      origin: { runId: "run-1", checkpoint: second?.id, branch: "darker" },
    });
    expect(performed).toEqual(["c", "d"]);
    const [before, after] = [world, fork].map(({ host }) =>
      host.reader.checkpoints({ values: true }),
    );
    expect(after?.slice(0, 2).map(({ id }) => id)).toEqual(before?.slice(0, 2).map(({ id }) => id));
    expect(after?.map(({ branch, usage }) => [branch, usage.requests])).toEqual([
      ["run-1", 0],
      ["run-1", 0],
      ["darker", 1],
      ["darker", 2],
    ]);
  });

  it("differ by tasks, outputs and usage, within a run and between runs", async () => {
    const world = await finished();
    const list = world.host.reader.checkpoints({ values: true });
    const id = (index: number): string => list[index]?.id ?? "";
    expect(diffCheckpoints({ list, id: id(0) }, { list, id: id(2) })).toEqual({
      from: id(0),
      to: id(2),
      tasks: [
        { task: "Task b", key: "task:b", change: "added", to: "tea b" },
        { task: "Task c", key: "task:c", change: "added", to: "tea c" },
      ],
      usage: { ...NO_USAGE, requests: 2, totalTokens: 20 },
    });
    const { start, origin, rows } = world.host.forks.recordBefore({ fromCheckpoint: id(0) });
    const fork = new RunWorld(fourTasks([]), { fixture: open(), tasks: TASKS });
    await fork.begin({ ...start, id: "run-2", inputs: { topic: "ink" }, origin }, rows);
    const other = fork.host.reader.checkpoints({ values: true });
    const last = { list: other, id: other[1]?.id ?? "" };
    expect(diffCheckpoints({ list, id: id(2) }, last).tasks).toEqual([
      { task: "Task b", key: "task:b", change: "changed", from: "tea b", to: "ink b" },
      { task: "Task c", key: "task:c", change: "removed", from: "tea c" },
    ]);
  });

  it("are refused when they do not exist", async () => {
    const world = await finished();
    const list = world.host.reader.checkpoints({ values: false });
    for (const id of ["task:a@999", "task:z@2", "task:a", "x@1"]) {
      expect(() => world.host.forks.recordBefore({ fromCheckpoint: id })).toThrow(/no checkpoint/);
      expect(() => diffCheckpoints({ list, id }, { list, id })).toThrow(/no checkpoint/);
    }
  });
});

describe.each(RUN_STORES)("a forgotten run, $name", ({ open }) => {
  it("is deleted whole, and its id is free again", async () => {
    const performed: string[] = [];
    const heard: string[] = [];
    const world = new RunWorld(fourTasks(performed), {
      fixture: open(),
      tasks: TASKS,
      listeners: new ListenerPlan([onEvent("run_started", ({ id }) => heard.push(id))]),
    });
    await world.begin();
    await world.host.forget();
    await expect(world.host.status()).rejects.toMatchObject({ code: "not_found" });
    expect(world.alarm.dueAtMs).toBeNull();
    expect(world.store.journal.count()).toBe(0);
    expect(world.store.events.lastSeq()).toBe(0);
    await expect(world.host.forget()).rejects.toMatchObject({ code: "not_found" });
    expect(await world.begin()).toMatchObject({ status: "completed" });
    expect(performed).toHaveLength(8);
    expect(heard).toHaveLength(2);
    expect(world.eventTypes()[0]).toBe("run_started");
  });

  it("has to be finished", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "human" }), {
      fixture: open(),
    });
    await world.begin();
    await expect(world.host.forget()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("cancel it before") as string,
    });
    await world.host.cancel();
    await world.rest();
    await world.host.forget();
    world.restart();
    await expect(world.host.status()).rejects.toMatchObject({ code: "not_found" });
  });
});
