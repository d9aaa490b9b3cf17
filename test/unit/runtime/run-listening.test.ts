// What listeners hear when the process is cut off in the midst, on both stores.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { onEvent, ListenerPlan } from "../../../src/events/listener.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { perform, until } from "../../support/journal-harness.ts";
import { openSqlStore, RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const program = async (scope: RunScope): Promise<JsonValue> => {
  for (const name of ["a", "b", "c"]) {
    const at = scope.at(name);
    const inner = at.open("task_started", {
      taskId: at.path,
      taskName: name,
      agentRole: "x",
      context: "",
    });
    await perform(inner, "work", () => name);
    at.emit("task_completed", { taskName: name, agentRole: "x", output: name });
  }
  await scope.at("ask").wait({ kind: "human" });
  return "done";
};

// What is in memory goes with the process, so a crash is for the store that outlives it.
describe("a run's listeners, over crashes", () => {
  it("RL1: receive every event in order, wherever a crash interrupts the run; only the event in progress twice", async () => {
    let crashes = 0;
    for (let place = 1; ; place++) {
      const heard: Array<{ readonly id: string; readonly redelivered: boolean }> = [];
      let writes = 0;
      let dead = false;
      const world = new RunWorld(program, {
        fixture: openSqlStore(),
        listeners: new ListenerPlan([
          onEvent("*", ({ id }, { redelivered }) => heard.push({ id, redelivered })),
        ]),
        wrap: (store) => faultyRunStore(store, () => (dead ||= ++writes === place)),
      });
      try {
        await world.begin();
        if (!dead) await world.host.resume({ feedback: "go" });
      } catch {
        // the start itself was cut off
      }
      if (!dead) await world.rest();
      const crashed = dead;
      if (crashed) {
        crashes++;
        dead = false;
        writes = Number.NEGATIVE_INFINITY;
        world.restart();
        await world.clock.advance(10 * 60_000);
        await world.begin();
        const { status } = await world.host.status();
        if (status === "waiting") await world.host.resume({ feedback: "go" });
        await world.rest();
      }
      const kept = world.store.events.read(0, 1000).map(({ id }) => id);
      expect([...new Set(heard.map(({ id }) => id))], `place ${place}`).toEqual(kept);
      const again = heard.filter(({ id }, index) => heard.findIndex((e) => e.id === id) < index);
      expect(again.every(({ redelivered }) => crashed && redelivered)).toBe(true);
      if (!crashed) break;
    }
    expect(crashes).toBeGreaterThan(20);
  });
});

describe.each(RUN_STORES)("a run's listeners, $name", ({ open }) => {
  it("RL1: do not receive events of an earlier process again", async () => {
    const heard: string[] = [];
    const plan = new ListenerPlan([onEvent("*", ({ id }) => heard.push(id))]);
    const world = new RunWorld(program, { fixture: open(), listeners: plan });
    await world.begin();
    const before = heard.length;
    expect(before).toBe(world.store.events.lastSeq());
    world.restart();
    await world.host.resume({ feedback: "go" });
    await world.rest();
    expect(heard).toEqual(world.store.events.read(0, 1000).map(({ id }) => id));
    expect(heard.length).toBeGreaterThan(before);
  });

  it("RL1: receive an end outside of drives", async () => {
    const heard: string[] = [];
    const plan = new ListenerPlan([onEvent("run_cancelled", ({ type }) => heard.push(type))]);
    const world = new RunWorld(program, { fixture: open(), listeners: plan });
    await world.begin();
    world.restart();
    await world.host.cancel();
    await world.rest();
    expect(heard).toEqual(["run_cancelled"]);
  });

  it("RL3: are called at rest with the events since the last rest, also over a restart", async () => {
    const rests: Array<readonly [rested: number, last: number]> = [];
    const plan = new ListenerPlan([
      onEvent("*", () => undefined, {
        atRest: ({ restedSeq, history }) => {
          rests.push([restedSeq, [...history()].length]);
        },
      }),
    ]);
    const world = new RunWorld(program, { fixture: open(), listeners: plan });
    await world.begin();
    const first = world.store.events.lastSeq();
    expect(rests).toEqual([[0, first]]);
    world.restart();
    await world.host.resume({ feedback: "go" });
    await world.rest();
    expect(rests).toEqual([
      [0, first],
      [first, world.store.events.lastSeq()],
    ]);
  });

  it("RL1: keep the alarm until they are through", async () => {
    let finish: (() => void) | undefined;
    const plan = new ListenerPlan([
      onEvent("run_waiting", () => new Promise<void>((resolve) => (finish = resolve))),
    ]);
    const world = new RunWorld(program, { fixture: open(), listeners: plan });
    await world.start();
    const served = world.ring();
    await until(() => finish !== undefined);
    expect(world.alarm.dueAtMs).not.toBeNull();
    finish?.();
    await served;
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("RL1: do not keep an answer waiting", async () => {
    const plan = new ListenerPlan([onEvent("run_waiting", () => new Promise(() => undefined))]);
    const world = new RunWorld(program, { fixture: open(), listeners: plan });
    await world.start();
    const served = world.ring();
    await until(() => world.store.load()?.status === "waiting");
    await world.host.resume({ feedback: "go" });
    await served;
    void world.rest();
    await until(() => world.store.load()?.status === "completed");
    expect(world.eventTypes().at(-1)).toBe("run_completed");
  });

  it("RL2: cost a run without listeners no read and no write", async () => {
    const names: string[] = [];
    const world = new RunWorld(program, {
      fixture: open(),
      wrap: (store) => {
        const watched = faultyRunStore(store, () => false);
        const value = (name: string): string | undefined => (names.push(name), store.value(name));
        const setValue = (name: string, json: string): void => {
          names.push(name);
          store.setValue(name, json);
        };
        return { ...watched, value, setValue };
      },
    });
    await world.begin();
    await world.host.resume({ feedback: "go" });
    await world.rest();
    expect(names.filter((name) => name.startsWith("listener"))).toEqual([]);
  });
});
