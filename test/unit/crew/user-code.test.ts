// Functions of the user's that a crew calls: callbacks, and what becomes of their errors.
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import { Task, type TaskOptions } from "../../../src/crew/tasks/task.ts";
import { newCrewDefinition } from "../../../src/crew/definition/crew-definition.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";

describe("callbacks of a task and of its crew", () => {
  it("PT3: are both called, the task's first", async () => {
    const order: string[] = [];
    const { agent } = scriptedAgent(() => "done");
    const own = taskFor(agent, { name: "a", callback: ({ name }) => order.push(`task ${name}`) });
    const taskCallback = ({ name }: { name: string }) => order.push(`crew ${name}`);
    await new Crew({ tasks: [own, taskFor(agent, { name: "b" })], taskCallback }).kickoff();
    expect(order).toEqual(["task a", "crew a", "crew b"]);
  });

  it("PT3: are called once when they are one function, in definitions too", async () => {
    const order: string[] = [];
    const note = ({ name }: { name: string }) => order.push(name);
    const { agent } = scriptedAgent(() => "done");
    const task = taskFor(agent, { name: "a", callback: note });
    await new Crew({ tasks: [task], taskCallback: note }).kickoff();
    const { crew } = newCrewDefinition(
      {
        agents: { a: { role: "r", goal: "g", backstory: "b" } },
        tasks: [
          { name: "b", description: "d", expected_output: "e", agent: "a", callback: "note" },
        ],
        task_callback: "note",
      },
      { functions: { note } },
    );
    await crew.kickoff({ models: () => scriptedModel(() => "done") });
    expect(order).toEqual(["a", "b"]);
  });

  it("PT3: are not called again after a failure, and the crew's is not called after the task's", async () => {
    let calls = 0;
    const { agent } = scriptedAgent(() => "done");
    const callback = () => {
      throw new Error("broken");
    };
    const crew = new Crew({
      tasks: [taskFor(agent, { name: "a", callback })],
      taskCallback: () => calls++,
    });
    await expect(crew.kickoff()).rejects.toThrow('the callback of task "a" threw: broken');
    expect(calls).toBe(0);
  });
});

describe("an error of the user's own code", () => {
  const broken = (): never => {
    throw new RangeError("broken");
  };
  const of = (task: Partial<TaskOptions>, crew: Partial<CrewOptions> = {}): Crew => {
    const { agent } = scriptedAgent(() => "done");
    return new Crew({ name: "c", tasks: [taskFor(agent, { name: "t", ...task })], ...crew });
  };
  const conditional = (): Crew => {
    const { agent } = scriptedAgent(() => "done");
    const base = { description: "d", expectedOutput: "e", agent };
    const last = new ConditionalTask({ ...base, name: "t", condition: broken });
    return new Crew({ tasks: [new Task(base), last] });
  };

  it.each<[string, () => Crew, string]>([
    ["a guardrail", () => of({ guardrail: broken }), 'the guardrail ("broken") of task "t"'],
    ["a callback", () => of({ callback: broken }), 'the callback of task "t"'],
    [
      "the crew's callback",
      () => of({}, { taskCallback: broken }),
      'the taskCallback of crew "c" for task "t"',
    ],
    ["a converter", () => of({ converter: broken }), 'the converter of task "t"'],
    ["a condition", conditional, 'the condition of task "t"'],
    ["beforeKickoff", () => of({}, { beforeKickoff: [broken] }), 'beforeKickoff of crew "c"'],
    [
      "one of several",
      () => of({}, { afterKickoff: [(output) => output, broken] }),
      'afterKickoff of crew "c", number 1,',
    ],
  ])("names its place and keeps the original as its cause: %s", async (_, make, place) => {
    for (const run of [() => make().kickoff(), () => make().start().output()]) {
      const error: unknown = await run().catch((thrown: unknown) => thrown);
      expect(EngineError.is(error) && [error.code, error.message]).toEqual([
        "user_code_failed",
        `${place} threw: broken`,
      ]);
      expect((error as Error).cause).toBeInstanceOf(RangeError);
    }
  });

  it("passes as it is if it was thrown on purpose", async () => {
    const refusal = new EngineError("conflict", "not today");
    const callback = () => Promise.reject(refusal);
    await expect(of({ callback }).kickoff()).rejects.toBe(refusal);
  });
});

describe("kickoff()", () => {
  const task = (): Task => taskFor(scriptedAgent([]).agent, { name: "t" });
  const crew = (): Crew => new Crew({ tasks: [taskFor(undefinedModel(), { name: "t" })] });
  const undefinedModel = () => scriptedAgent([], { llm: "double" }).agent;

  it("uses the passed models, and so does kickoffForEach()", async () => {
    const double = scriptedModel(() => "from the double");
    const models = modelCatalog({ variables: {}, models: { double } });
    expect((await crew().kickoff({ models })).raw).toBe("from the double");
    const outputs = await crew().kickoffForEach([{}, {}], { models });
    expect(outputs.map(({ raw }) => raw)).toEqual(["from the double", "from the double"]);
  });

  it.each<[object, string]>([
    [{ model: "x" }, 'kickoff() has no option "model"; it has: inputs, inputFiles'],
    [{ id: "mine" }, 'kickoff() has no option "id": start() has it'],
    [{ clock: new SimulatedClock() }, 'kickoff() has no option "clock": start() has it'],
  ])("refuses unknown options: %j", async (options, message) => {
    await expect(new Crew({ tasks: [task()] }).kickoff(options)).rejects.toThrow(message);
  });

  it("refuses models by name, and names modelCatalog()", async () => {
    const models = { double: scriptedModel(() => "x") } as never;
    const message = /models of a run must be a catalog, got .* write modelCatalog\(/;
    await expect(crew().kickoff({ models })).rejects.toThrow(message);
    await expect(crew().kickoff({ models })).rejects.toMatchObject({ code: "invalid_input" });
    const { agent } = scriptedAgent(() => "done");
    await expect(agent.kickoff("Hello", { models })).rejects.toThrow(message);
  });

  it("refuses unknown options of start() and an agent's kickoff()", async () => {
    const unknown = { input: {} } as object;
    expect(() => new Crew({ tasks: [task()] }).start(unknown)).toThrow(
      'start() has no option "input"',
    );
    const { agent } = scriptedAgent(() => "done");
    await expect(agent.kickoff("Hello", { files: {} } as object)).rejects.toThrow(
      'kickoff() has no option "files"',
    );
  });

  it("reports the duration of each task, except skipped ones", async () => {
    const clock = new SimulatedClock();
    const slow = scriptedModel(() => ({ text: "done", delayMs: 1500 }), { clock });
    const { agent } = scriptedAgent([], { llm: slow });
    const base = { description: "d", expectedOutput: "e", agent };
    const tasks = [
      new Task({ ...base, name: "slow" }),
      new ConditionalTask({ ...base, name: "never", condition: () => false }),
    ];
    const stream = new Crew({ tasks: [tasks[0]!, tasks[1]!] }).stream({ clock });
    const ended = (async () => {
      for await (const _ of stream);
    })();
    await clock.settle();
    await clock.advance(1500);
    await ended;
    expect(stream.result.tasks.map(({ durationMs }) => durationMs)).toEqual([1500, undefined]);
  });
});
