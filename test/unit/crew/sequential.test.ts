import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { Task } from "../../../src/crew/tasks/task.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  acting,
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  startCrew,
  taskFor,
  TEXT_ONLY,
  type Output,
} from "../../support/crew-harness.ts";
import { Latch } from "../../support/journal-harness.ts";

const JOINER = "\n\n----------\n\n";

/** A task named `name` with an agent of its own that answers by `script`. */
function work(
  name: string,
  script: Script = [`out ${name}`],
  options: Parameters<typeof taskFor>[1] = {},
) {
  const { agent, model } = scriptedAgent(script, { role: name });
  return { task: taskFor(agent, { name, ...options }), model };
}

const crewOf = (...tasks: ReadonlyArray<{ readonly task: Task }>): Crew =>
  new Crew({ tasks: tasks.map(({ task }) => task) });
const contextOf = (text: string): string => /<context>\n([^]*)\n<\/context>/.exec(text)?.[1] ?? "";
const raws = (output: Output): string[] => output.tasks.map(({ raw }) => raw);

describe("context", () => {
  it("CR1: is the outputs of all tasks before, joined", async () => {
    const [a, b, c] = [work("A"), work("B"), work("C")];
    const { result } = await runCrewToEnd(crewOf(a, b, c));
    expect(contextOf(lastTold(a.model, 0))).toBe("");
    expect(contextOf(lastTold(c.model, 0))).toBe(`out A${JOINER}out B`);
    expect(result.raw).toBe("out C");
  });

  it("CW1: is empty for an empty list", async () => {
    const c = work("C", undefined, { context: [] });
    await runCrewToEnd(crewOf(work("A"), c));
    expect(lastTold(c.model, 0)).not.toContain("<context>");
  });

  it("CR1: is the outputs of the listed tasks in the list's order, without tasks outside the crew", async () => {
    const [a, b] = [work("A"), work("B")];
    const c = work("C", undefined, { context: [b.task, work("elsewhere").task, a.task] });
    await runCrewToEnd(crewOf(a, b, c));
    expect(contextOf(lastTold(c.model, 0))).toBe(`out B${JOINER}out A`);
  });

  it("CR1: of an asynchronous task is the last synchronous output, or its list", async () => {
    const [a, b] = [work("A"), work("B")];
    const listed = work("listed", undefined, { asyncExecution: true, context: [a.task] });
    const unlisted = work("unlisted", undefined, { asyncExecution: true });
    const first = work("first", undefined, { asyncExecution: true });
    await runCrewToEnd(crewOf(first, a, b, listed, unlisted, work("end")));
    expect(contextOf(lastTold(first.model, 0))).toBe("");
    expect(contextOf(lastTold(listed.model, 0))).toBe("out A");
    expect(contextOf(lastTold(unlisted.model, 0))).toBe("out B");
  });
});

describe("asynchronous tasks", () => {
  it("CR2: are gathered in the order of their start before the next synchronous one, in any order of completion", async () => {
    const order: string[] = [];
    const gate = new Latch<void>();
    const b = work("B", async () => (await gate.promise, order.push("B"), "out B"), {
      asyncExecution: true,
    });
    const c = work("C", () => (order.push("C"), gate.resolve(), "out C"), { asyncExecution: true });
    const d = work("D", () => (order.push("D"), "out D"));
    const { result } = await runCrewToEnd(crewOf(work("A"), b, c, d));
    expect(order).toEqual(["C", "B", "D"]);
    expect(raws(result)).toEqual(["out A", "out B", "out C", "out D"]);
    expect(contextOf(lastTold(d.model, 0))).toBe(["out A", "out B", "out C"].join(JOINER));
  });

  it("CR2: one at the end is gathered too, and is the output", async () => {
    const { result } = await runCrewToEnd(
      crewOf(work("A"), work("B", undefined, { asyncExecution: true })),
    );
    expect(result.raw).toBe("out B");
  });

  it("CR2: may share one agent", async () => {
    const { agent } = scriptedAgent(
      ({ messages }) => `done: ${messages.at(-1)?.content.split("\n")[0]}`,
    );
    const tasks = ["one", "two"].map((name) =>
      taskFor(agent, { name, description: name, asyncExecution: true }),
    );
    const { result } = await runCrewToEnd(
      new Crew({ tasks: [...tasks, taskFor(agent, { name: "end", description: "end" })] }),
    );
    expect(raws(result)).toEqual(["done: one", "done: two", "done: end"]);
  });

  it("CR2: a failed one fails the crew when it is gathered, and the next task never starts", async () => {
    const d = work("D");
    const run = await runCrewToFailure(
      crewOf(
        work("A"),
        work("B", [{ error: new EngineError("model_rejected", "refused") }], {
          asyncExecution: true,
        }),
        work("C", undefined, { asyncExecution: true }),
        d,
      ),
    );
    expect(run.error).toMatchObject({
      code: "model_rejected",
      message: 'task "B" (agent "B"): refused',
    });
    expect(run.kept("crew_kickoff_failed")).toMatchObject([
      { error: "refused", startedId: "crew_kickoff_started" },
    ]);
    expect(run.kept("task_failed")).toMatchObject([
      { taskName: "B", startedId: "task:B:task_started" },
    ]);
    expect(d.model.calls).toEqual([]);
  });

  it("DC8: one with a wait for a person lets the others continue", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("person", { kind: "human" })),
    });
    const { agent } = scriptedAgent([calling("ask"), "asked"], { tools: [ask] });
    const c = work("C", undefined, { asyncExecution: true });
    const d = work("D");
    const run = startCrew(
      crewOf({ task: taskFor(agent, { name: "B", asyncExecution: true }) }, c, d),
    );
    expect(await run.settle()).toMatchObject({
      status: "waiting",
      tasks: [{ status: "running" }, { name: "C", status: "completed" }, { status: "pending" }],
    });
    await run.handle.resume({ feedback: "go" });
    expect(raws(await run.output())).toEqual(["asked", "out C", "out D"]);
    expect(c.model.calls).toHaveLength(1);
  });
});

describe("the output", () => {
  it("CR3: is the last one with text; all are listed", async () => {
    const { agent } = scriptedAgent(["Final Answer:"], {
      modelOptions: TEXT_ONLY,
      tools: [tool({ name: "t", description: "T.", input: z.object({}), run: () => "" })],
    });
    const { result } = await runCrewToEnd(
      crewOf(work("A"), { task: taskFor(agent, { name: "B" }) }),
    );
    expect(result.raw).toBe("out A");
    expect(raws(result)).toEqual(["out A", ""]);
  });

  it("CR3: a crew with empty outputs only fails", async () => {
    const empty = tool({
      name: "nothing",
      description: "Gives nothing.",
      input: z.object({}),
      resultAsAnswer: true,
      run: () => "",
    });
    const { agent } = scriptedAgent([acting("nothing")], {
      modelOptions: TEXT_ONLY,
      tools: [empty],
    });
    const { error, kept } = await runCrewToFailure(crewOf({ task: taskFor(agent, { name: "B" }) }));
    expect(error).toMatchObject({
      code: "output_invalid",
      message: expect.stringContaining("ended without an output"),
    });
    expect(kept("crew_kickoff_failed")).toHaveLength(1);
  });

  it("CW2: has a summary of ten words for each task", async () => {
    const eleven = "one two three four five six seven eight nine ten eleven";
    const { result } = await runCrewToEnd(
      crewOf(
        work("A", undefined, { description: eleven }),
        work("B", undefined, { description: "short" }),
      ),
    );
    expect(result.tasks.map(({ summary }) => summary)).toEqual([
      "one two three four five six seven eight nine ten...",
      "short...",
    ]);
  });

  it("names task, agent and filled texts", async () => {
    const { agent } = scriptedAgent(["x"], { role: "Expert on {topic}" });
    const { result } = await runCrewToEnd(
      new Crew({ tasks: [taskFor(agent, { description: "Study {topic}" })] }),
      { topic: "bees" },
    );
    expect(result.tasks).toMatchObject([
      {
        name: "Study {topic}",
        description: "Study bees",
        agent: "Expert on bees",
        outputFormat: "raw",
      },
    ]);
  });
});

describe("the order and nesting of events", () => {
  it("E1: each scope opens within the one around it and ends with the id of its start", async () => {
    const { agent } = scriptedAgent(["done"]);
    const { kept } = await runCrewToEnd(
      new Crew({ name: "mine", tasks: [taskFor(agent, { name: "work" })] }),
    );
    const all = kept();
    expect(all.map(({ type }) => type)).toEqual([
      "run_started",
      "crew_kickoff_started",
      "task_started",
      "agent_execution_started",
      "llm_call_started",
      "llm_call_completed",
      "agent_execution_completed",
      "task_completed",
      "crew_kickoff_completed",
      "run_completed",
    ]);
    const [run, crew, task, agentStart, call] = all;
    expect([crew, task, agentStart, call].map((event) => event?.parentId)).toEqual([
      run?.id,
      crew?.id,
      task?.id,
      agentStart?.id,
    ]);
    expect(all.slice(5, 9).map(({ startedId }) => startedId)).toEqual([
      call?.id,
      agentStart?.id,
      task?.id,
      crew?.id,
    ]);
    for (const end of all.slice(5, 9))
      expect(end.parentId).toBe(all.find(({ id }) => id === end.startedId)?.parentId);
    expect(all.map(({ runId }) => runId)).toEqual(all.map(() => "run-1"));
  });

  it("E1: ends of failed scopes name their starts too, and every parent exists", async () => {
    const broken = tool({
      name: "broken",
      description: "Fails.",
      input: z.object({}),
      run: () => {
        throw new Error("no");
      },
    });
    const { agent } = scriptedAgent(
      [
        calling("broken"),
        { error: new EngineError("agent_failed", "down") },
        { error: new EngineError("model_rejected", "no") },
      ],
      { tools: [broken] },
    );
    const { kept } = await runCrewToFailure(
      new Crew({ tasks: [taskFor(agent, { name: "work" })] }),
    );
    const all = kept();
    const ids = new Set(all.map(({ id }) => id));
    for (const event of all) {
      expect(ids).toContain(event.parentId ?? event.id);
      expect(ids).toContain(event.startedId ?? event.id);
    }
    expect(all.filter(({ startedId }) => startedId !== undefined).map(({ type }) => type)).toEqual([
      "llm_call_completed",
      "tool_usage_error",
      "llm_call_failed",
      "agent_execution_error",
      "llm_call_failed",
      "agent_execution_error",
      "task_failed",
      "crew_kickoff_failed",
    ]);
  });

  it("E1: emits the crew's last event after the afterKickoff callbacks", async () => {
    const { agent } = scriptedAgent(["done"]);
    const { kept, result } = await runCrewToEnd(
      new Crew({
        tasks: [taskFor(agent)],
        afterKickoff: [(output) => ({ ...output, raw: "changed" })],
      }),
    );
    expect(result.raw).toBe("changed");
    expect(kept("crew_kickoff_completed")).toMatchObject([{ output: "changed" }]);
  });

  it("E1: a failed callback ends the crew once, as failed", async () => {
    const { agent } = scriptedAgent(["done"]);
    const { kept, error } = await runCrewToFailure(
      new Crew({
        tasks: [taskFor(agent)],
        afterKickoff: [
          () => {
            throw new Error("callback");
          },
        ],
      }),
    );
    expect(error.message).toMatch(/^afterKickoff of crew "crew" threw: callback$/);
    expect(kept("crew_kickoff_completed", "crew_kickoff_failed").map(({ type }) => type)).toEqual([
      "crew_kickoff_failed",
    ]);
  });
});

describe("the tool cache", () => {
  const seen: unknown[] = [];
  const find = (options: Partial<Parameters<typeof tool>[0]> = {}) => {
    seen.length = 0;
    return tool({
      name: "find",
      description: "Finds.",
      input: z.looseObject({}),
      run: (input) => `found ${seen.push(input)}`,
      ...options,
    });
  };
  const two = (
    shared: ReturnType<typeof find>,
    options: Parameters<typeof scriptedAgent>[1] = {},
  ) => [
    taskFor(
      scriptedAgent([calling("find", { a: 1, b: [{ c: 2, d: 3 }] }), "one"], { tools: [shared] })
        .agent,
      { name: "one" },
    ),
    taskFor(
      scriptedAgent([calling("find", { b: [{ d: 3, c: 2 }], a: 1 }), "two"], {
        tools: [shared],
        ...options,
      }).agent,
      { name: "two" },
    ),
  ];

  it("CW7: of a crew serves equal calls of two agents, in any order of the fields", async () => {
    const { kept } = await runCrewToEnd(new Crew({ tasks: two(find()), cache: true }));
    expect(seen).toHaveLength(1);
    expect(kept("tool_usage_finished")).toMatchObject([
      { fromCache: false, output: "found 1" },
      { fromCache: true, output: "found 1" },
    ]);
  });

  it("CW7: is off by default, and for agents with cache false", async () => {
    await runCrewToEnd(new Crew({ tasks: two(find()) }));
    expect(seen).toHaveLength(2);
    await runCrewToEnd(new Crew({ tasks: two(find(), { cache: false }), cache: true }));
    expect(seen).toHaveLength(2);
  });

  it("CW7: is of one run", async () => {
    const crew = new Crew({ tasks: two(find()), cache: true });
    for (const { agent } of crew.tasks) expect(agent).toBeDefined();
    await runCrewToEnd(crew);
    expect(seen).toHaveLength(1);
    await runCrewToEnd(
      new Crew({ tasks: two(crew.tasks[0]?.agent?.tools[0] ?? find()), cache: true }),
    );
    expect(seen).toHaveLength(2);
  });

  it("CW7: separates two tools of one name", async () => {
    const [docs, web] = ["docs", "web"].map((place) =>
      tool({ name: "find", description: "Finds.", input: z.object({}), run: () => place }),
    );
    const first = scriptedAgent([calling("find"), "one"], { tools: [docs ?? find()] });
    const second = scriptedAgent([calling("find"), "two"], { tools: [web ?? find()] });
    await runCrewToEnd(
      new Crew({ tasks: [taskFor(first.agent), taskFor(second.agent)], cache: true }),
    );
    expect(lastTold(second.model, 1)).toBe("web");
  });

  it("CW7: stores no failures", async () => {
    const failing = find({
      run: (input) => {
        seen.push(input);
        throw new Error("no");
      },
    });
    await runCrewToEnd(new Crew({ tasks: two(failing), cache: true }));
    expect(seen).toHaveLength(2);
  });

  it("CW8: stores the results allowed by the tool's own rule", async () => {
    const asked: unknown[] = [];
    await runCrewToEnd(
      new Crew({
        tasks: two(find({ cache: (input, result) => (asked.push([input, result]), false) })),
        cache: true,
      }),
    );
    expect(seen).toHaveLength(2);
    expect(asked[0]).toEqual([{ a: 1, b: [{ c: 2, d: 3 }] }, "found 1"]);
  });

  it("TC2: replay takes a cached result from the record, though the cache is gone", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("person", { kind: "human" })),
    });
    const shared = find();
    const { agent } = scriptedAgent([calling("find", { a: 1 }), "one"], { tools: [shared] });
    const second = scriptedAgent([calling("find", { a: 1 }), calling("ask"), "two"], {
      tools: [shared, ask],
    });
    const run = startCrew(
      new Crew({
        tasks: [taskFor(agent, { name: "one" }), taskFor(second.agent, { name: "two" })],
        cache: true,
      }),
    );
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(seen).toHaveLength(1);
    expect(run.kept("tool_usage_finished")).toMatchObject([
      { fromCache: false },
      { fromCache: true },
      { toolName: "ask" },
    ]);
  });
});
