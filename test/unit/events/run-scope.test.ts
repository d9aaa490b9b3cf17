import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { InMemoryJournalStore } from "../../../src/journal/in-memory-journal-store.ts";
import { InMemoryRunStore } from "../../../src/runtime/in-memory-run-store.ts";
import { beginDrive, drive, perform, rowsOf } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { RunWorld } from "../../support/run-world.ts";

describe("a place in a run", () => {
  it("has a growing path, and costs no row", async () => {
    const store = new InMemoryJournalStore();
    const result = await drive(store, async (scope) => [
      scope.path,
      scope.at("task:a").at("turn:1").path,
      scope.runId,
    ]);
    expect(result).toEqual({ state: "completed", value: ["", "task:a/turn:1", "run-1"] });
    expect(store.count()).toBe(0);
  });

  it("has a random number and a UUID of its own, the same in every drive and others elsewhere", async () => {
    const program = async (scope: RunScope): Promise<JsonValue> => [
      scope.at("a").random(),
      scope.at("a").uuid(),
      scope.at("b").random(),
      scope.at("b").uuid(),
    ];
    const first = await drive(new InMemoryJournalStore(), program);
    expect(await drive(new InMemoryJournalStore(), program)).toEqual(first);
    const elsewhere = await drive(new InMemoryJournalStore(), program, { runId: "run-2" });
    const all = [first, elsewhere].flatMap((result) =>
      result.state === "completed" ? (result.value as JsonValue[]) : [],
    );
    expect(new Set(all).size).toBe(8);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(
      all.filter((value) => typeof value === "number" && value >= 0 && value < 1),
    ).toHaveLength(4);
    expect(all.filter((value) => typeof value === "string" && uuid.test(value))).toHaveLength(4);
  });

  it("is found by code without a reference to it, within the run only", async () => {
    expect(RunScope.current()).toBeUndefined();
    const result = await drive(new InMemoryJournalStore(), (scope) =>
      scope.at("here").run(async () => {
        await Promise.resolve();
        return RunScope.current()?.path ?? "nowhere";
      }),
    );
    expect(result).toEqual({ state: "completed", value: "here" });
    expect(RunScope.current()).toBeUndefined();
  });

  it("is numbered by atNext when it is asked for several times", async () => {
    const result = await drive(new InMemoryJournalStore(), async (scope) => [
      scope.atNext("crew").path,
      scope.atNext("crew").path,
      scope.at("x").atNext("crew").path,
      scope.atNext("crew").path,
    ]);
    expect(result).toEqual({ state: "completed", value: ["crew", "crew~2", "x/crew", "crew~3"] });
  });

  it("is numbered by atNext from the start in each execution of the calling step", async () => {
    const store = new InMemoryJournalStore();
    let executions = 0;
    const { ended, clock } = beginDrive(store, (scope) =>
      scope.at("tool").step({
        kind: "tool",
        run: async (_, inner) => {
          const value = await perform(inner.atNext("crew"), "a", () => "once");
          if (++executions === 1) throw new EngineError("tool_failed", "busy", { retryable: true });
          return value;
        },
      }),
    );
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: "once" });
    expect(rowsOf(store).map(({ key }) => key)).toEqual(["tool", "tool/crew/a"]);
  });
});

describe("events of a place", () => {
  it("have the start of the enclosing scope as their parent", async () => {
    const world = new RunWorld(async (scope) => {
      const task = scope
        .at("task:a")
        .open("task_started", { taskId: "task:a", taskName: "a", agentRole: "x", context: "" });
      await task.group("task", async (inside) => {
        const agent = inside
          .at("agent")
          .open("agent_execution_started", { agentRole: "x", tools: [], taskPrompt: "" });
        agent.at("turn:1").emit("run_resumed", {});
        agent.emit("agent_execution_completed", { agentRole: "x", output: "" });
        return null;
      });
      task.emit("task_completed", { taskName: "a", agentRole: "x", output: null });
      return null;
    });
    await world.begin();
    expect(
      world.store.events
        .read(0, 10)
        .map(({ id, parentId, startedId }) => [id, parentId, startedId]),
    ).toEqual([
      ["run_started", undefined, undefined],
      ["task:a:task_started", "run_started", undefined],
      ["task:a/agent:agent_execution_started", "task:a:task_started", undefined],
      ["task:a/agent/turn:1:run_resumed", "task:a/agent:agent_execution_started", undefined],
      [
        "task:a/agent:agent_execution_completed",
        "task:a/agent:agent_execution_started",
        "task:a/agent:agent_execution_started",
      ],
      ["task:a:task_completed", "task:a:task_started", "task:a:task_started"],
      ["run_completed", undefined, undefined],
    ]);
  });

  it("E1: are published once over any number of drives", async () => {
    const world = new RunWorld(async (scope) => {
      scope.at("a").emit("run_resumed", {});
      await scope.at("ask").wait({ kind: "input" });
      scope.at("b").emit("run_resumed", {});
      return null;
    });
    await world.begin();
    world.restart();
    await world.host.resume({ value: 1 });
    await world.rest();
    const ids = world.store.events.read(0, 100).map(({ id }) => id);
    expect(ids.filter((id) => id === "a:run_resumed")).toHaveLength(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("E1: are published again after a crash between a result and its event", async () => {
    let broken = true;
    const world = new RunWorld(
      async (scope) => {
        await perform(scope, "a", () => null);
        scope.at("a").emit("run_resumed", {});
        return null;
      },
      {
        wrap: (store) => faultyRunStore(store, (write) => broken && write === "append run_resumed"),
      },
    );
    await world.start();
    await world.ring();
    broken = false;
    world.restart();
    await world.clock.advance(2000);
    await world.rest();
    expect(world.eventTypes()).toEqual(["run_started", "run_resumed", "run_completed"]);
  });

  it("end the run when there are too many of them", async () => {
    const store = new InMemoryRunStore();
    const world = new RunWorld(
      async (scope) => {
        for (let n = 0; n <= 100_000; n++) scope.emit("run_resumed", {}, n);
        return perform(scope, "never", () => null);
      },
      { fixture: { store, reopen: () => store } },
    );
    expect(await world.begin()).toMatchObject({
      status: "failed",
      error: { code: "limit_exceeded" },
    });
    expect(world.store.journal.count()).toBe(0);
  }, 20_000);

  it("J10: are not published by code of an abandoned drive", async () => {
    let goOn: (() => void) | undefined;
    let drives = 0;
    const world = new RunWorld(async (scope) => {
      if (++drives > 1) return scope.at("ask").wait({ kind: "input" });
      void new Promise<void>((resolve) => (goOn = resolve)).then(() => {
        scope.at("zombie").emit("run_resumed", {});
        scope.at("zombie").emitLive("llm_thinking_chunk", {
          callId: "call",
          chunk: "piece",
          attempt: 1,
          offset: 0,
        });
      });
      return scope.at("ask").wait({ kind: "input" });
    });
    await world.begin();
    const received: string[] = [];
    world.host.events.subscribe((event) => received.push(event.type));
    goOn?.();
    await world.clock.settle();
    expect(world.eventTypes()).toEqual(["run_started", "wait_opened", "run_waiting"]);
    expect(received).toEqual([]);
  });
});
