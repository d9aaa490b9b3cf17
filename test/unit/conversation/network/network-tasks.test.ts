import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/base/json.ts";
import { RunScope } from "../../../../src/events/run-scope.ts";
import { Network } from "../../../../src/conversation/network/network.ts";
import type { TaskOptions, TaskWork } from "../../../../src/conversation/network/network-task.ts";
import { UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import type { TaskRecord } from "../../../../src/conversation/network/task-record.ts";
import { counting, quiet } from "../../../support/conversations.ts";
import { cutAfterEveryWrite, runWhole } from "../../../support/cut-off.ts";
import { openSqlStore } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

const networkOf = (rule?: unknown): Network =>
  new Network({
    members: [
      rule === undefined ? { agent: quiet("a") } : { agent: quiet("a"), rule },
      { agent: new UserProxyAgent({ name: "ana" }), passport: { domains: ["law"] } },
      {
        agent: counting("b"),
        passport: { capabilities: ["search"], owner: "ops", kind: "remote_agent" },
      },
    ],
  });

const about = { agent: "a", title: "Find it" } as const;

function inRun(network: Network, options: Partial<TaskOptions>, work: TaskWork) {
  return async (): Promise<JsonValue> => network.task({ ...about, ...options }, work);
}

const record = (output: unknown): TaskRecord => output as TaskRecord;

describe("NTK2: a task", () => {
  it("completes with the result of its work; its progress adds up", async () => {
    const program = inRun(
      networkOf(),
      { payload: { q: 1 }, capability: "search" },
      async (task) => {
        task.progress({ found: 1, of: 3 });
        task.progress({ found: 2 });
        return [task.title, task.payload ?? null, task.agent.name];
      },
    );
    const { run, events } = await runWhole({ program: { run: program, tasks: [] } });
    expect(run.output).toMatchObject({
      agent: "a",
      title: "Find it",
      state: "completed",
      result: ["Find it", { q: 1 }, "a"],
      progress: { found: 2, of: 3 },
    });
    const shown = events.filter(({ type }) => type.startsWith("chat_task"));
    expect(shown).toMatchObject([
      { type: "chat_task_started", agent: "a", title: "Find it", capability: "search" },
      { type: "chat_task_progressed", progress: { found: 1, of: 3 } },
      { type: "chat_task_progressed", progress: { found: 2, of: 3 } },
      { type: "chat_task_ended", state: "completed" },
    ]);
  });

  it("fails with the error of its work, and is cancelled by its work", async () => {
    const failed = await networkOf().task(about, () => Promise.reject(new Error("no way")));
    expect(failed).toMatchObject({ state: "failed", error: "no way" });
    const cancelled = await networkOf().task(about, async (task) => task.cancel("not needed"));
    expect(cancelled).toMatchObject({ state: "cancelled", error: "not needed" });
  });

  it("expires when its time is over, also in another process; later changes are ignored", async () => {
    const program = inRun(networkOf(), { ttl: "2d" }, async (task) => {
      const scope = RunScope.current() as RunScope;
      await scope.at("ask").wait({ kind: "human" });
      task.progress({ late: true });
      return null;
    });
    const world = new RunWorld(program, { fixture: openSqlStore() });
    await world.begin();
    await world.clock.advance(2 * 86_400_000 - 1_000);
    world.restart();
    expect(await world.rest()).toMatchObject({ status: "waiting" });
    await world.clock.advance(1_000);
    const run = await world.rest();
    expect(record(run.output)).toMatchObject({ state: "expired", progress: {} });
    const { startedAtMs, endedAtMs } = record(run.output);
    expect(endedAtMs - startedAtMs).toBe(2 * 86_400_000);
  });

  it("has the time of its agent's rule, unless its options set one", async () => {
    const expires = async (options: Partial<TaskOptions>): Promise<boolean> => {
      const program = inRun(
        networkOf({ limits: { task_ttl_default: "15m" } }),
        options,
        async () => {
          await (RunScope.current() as RunScope).at("ask").wait({ kind: "human" });
          return null;
        },
      );
      const world = new RunWorld(program);
      await world.begin();
      await world.clock.advance(900_000);
      return (await world.rest()).status === "completed";
    };
    expect([await expires({}), await expires({ ttl: 0 })]).toEqual([true, false]);
  });
});

it("NTK1: the steps of a task are its checkpoints", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const calls: string[] = [];
    const network = networkOf();
    const work: TaskWork = async (task) => {
      const scope = RunScope.current() as RunScope;
      for (const step of ["one", "two"]) {
        await scope.at(step).callOnce(() => void calls.push(step));
        task.progress({ [step]: true });
      }
      const { summary } = await network
        .channel({ kind: "consulting", initiator: "a", participants: ["ana"] })
        .open("And?");
      return summary;
    };
    const program = async (): Promise<JsonValue> => {
      const { state, result, progress } = await network.task({ ...about, ttl: "1h" }, work);
      return { state, result: result ?? null, progress };
    };
    return {
      program: { run: program, tasks: [] },
      calls,
      answer: () => ({ feedback: "Yes" }),
    };
  });
  expect(record(whole.run.output)).toMatchObject({
    state: "completed",
    result: "Yes",
    progress: { one: true, two: true },
  });
  for (const each of cut) expect(each.course).toEqual(whole.course);
});

it("NTK3: progress is reported each time, and ignored after the end", async () => {
  let late: (() => void) | undefined;
  const ended = await networkOf().task(about, async (task) => {
    late = () => task.progress({ late: true });
    return 1;
  });
  late?.();
  expect(ended.progress).toEqual({});
});

it("NET1: a run has no more open tasks than the rule allows", async () => {
  const network = networkOf({ limits: { max_concurrent_tasks: 1 } });
  const program = inRun(network, {}, async () => {
    return network.task({ ...about, title: "inner" }, async () => 1).catch(String);
  });
  const { run } = await runWhole({ program: { run: program, tasks: [] } });
  expect(record(run.output).result).toMatch(/"a" may have 1 tasks under way/);
});

describe("PSP1: passports", () => {
  const task = (state: TaskRecord["state"], ms: number, capability = "search"): TaskRecord => ({
    id: "t",
    agent: "b",
    title: "x",
    capability,
    state,
    progress: {},
    startedAtMs: 1_000,
    endedAtMs: 1_000 + ms,
  });

  it("identify a member", () => {
    const network = networkOf();
    expect(network.passport("ana")).toMatchObject({ name: "ana", kind: "human", domains: ["law"] });
    expect(network.passport("b")).toMatchObject({
      kind: "remote_agent",
      owner: "ops",
      summary: "You are b.",
      observed: {},
    });
    expect(network.find({ capability: "search" }).map(({ name }) => name)).toEqual(["b"]);
    expect(network.find({ domain: "law" }).map(({ name }) => name)).toEqual(["ana"]);
    expect(network.find({ domain: "law", capability: "search" })).toEqual([]);
  });

  it("have statistics of finished tasks, by capability", () => {
    const tasks = [
      task("completed", 10),
      task("completed", 30),
      task("completed", 20),
      task("failed", 1),
      task("expired", 1),
      task("cancelled", 1),
      task("failed", 5, "write"),
      { ...task("completed", 5), agent: "a" },
    ];
    expect(networkOf().passport("b", tasks).observed).toEqual({
      search: { count: 5, completed: 3, failed: 1, expired: 1, p50LatencyMs: 20 },
      write: { count: 1, completed: 0, failed: 1, expired: 0 },
    });
  });
});
