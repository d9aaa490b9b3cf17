// A run of this process done anew from a task on, and copies of crews.
import { describe, expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { RunHandle } from "../../../src/runtime/handle/run-handle.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { keysOf, scriptedAgent, taskFor } from "../../support/crew-harness.ts";

/** Three tasks in a row; each answers with its own description and how often its model was asked. */
function line(options: Partial<CrewOptions> = {}) {
  let count = 0;
  const { agent, model } = scriptedAgent(
    ({ messages }) => `${messages[1]?.content.split("\n")[0]} #${++count}`,
  );
  const tasks = ["a", "b", "c"].map((name) =>
    taskFor(agent, { name, description: `${name} {n}`, context: [] }),
  );
  return { crew: new Crew({ name: "line", tasks, ...options }), model };
}

type Output = { readonly tasks: ReadonlyArray<{ readonly raw: string }> };
const raws = async (run: RunHandle): Promise<readonly string[]> =>
  ((await run.output()) as unknown as Output).tasks.map(({ raw }) => raw);

describe("replay", () => {
  it("takes over earlier outputs and repeats the rest, with the run's inputs", async () => {
    const { crew, model } = line();
    const run = crew.start({ inputs: { n: 1 } });
    expect(await raws(run)).toEqual(["a 1 #1", "b 1 #2", "c 1 #3"]);
    const again = await crew.replay(run, { fromTask: "b" });
    expect(again.id).not.toBe(run.id);
    expect(await raws(again)).toEqual(["a 1 #1", "b 1 #4", "c 1 #5"]);
    expect(keysOf(model).slice(3)).toEqual(["task:b/turn:1/llm", "task:c/turn:1/llm"]);
    expect(await again.status()).toMatchObject({
      inputs: { n: 1 },
      origin: { runId: run.id, before: "task:b" },
    });
    expect(await raws(run)).toEqual(["a 1 #1", "b 1 #2", "c 1 #3"]);
  });

  it("prepares like a kickoff: new inputs are filled in, and the run has an event for its start", async () => {
    const { crew } = line();
    const run = crew.start({ inputs: { n: 1 } });
    await run.output();
    const again = await crew.replay(run, { fromTask: "b", inputs: { n: 2 } });
    expect(await raws(again)).toEqual(["a 1 #1", "b 2 #4", "c 2 #5"]);
    const types: string[] = [];
    for await (const event of again.events()) types.push(event.type);
    expect(types.filter((type) => type === "crew_kickoff_started")).toHaveLength(1);
    expect(types.filter((type) => type === "task_started")).toHaveLength(2);
  });

  it("needs all inputs of the texts: its own replace those of the other run", async () => {
    const { crew, model } = line();
    const run = crew.start({ inputs: { n: 1 } });
    await run.output();
    const again = crew.replay(run, { fromTask: "b", inputs: { m: 2 } });
    await expect(again).rejects.toMatchObject({
      code: "invalid_input",
      message: "a fork's inputs replace all inputs of the other run; the run's texts also need: n",
      issues: [{ path: "/inputs/n", message: "is needed by the run's texts, got nothing" }],
    });
    expect(model.calls).toHaveLength(3);
  });

  it("callbacks before the kickoff are part of the record: their inputs hold, and others are refused", async () => {
    const called: unknown[] = [];
    const { crew } = line({
      beforeKickoff: [
        (inputs) => {
          called.push(inputs);
          return { n: Number(inputs["n"]) * 10 };
        },
      ],
    });
    const run = crew.start({ inputs: { n: 1 } });
    await run.output();
    expect(await raws(await crew.replay(run, { fromTask: "c" }))).toEqual([
      "a 10 #1",
      "b 10 #2",
      "c 10 #4",
    ]);
    expect(called).toEqual([{ n: 1 }]);
    await expect(crew.replay(run, { fromTask: "c", inputs: { n: 2 } })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/changed by beforeKickoff, .* \(before-kickoff\/0\)/),
    });
  });

  it("can be replayed again, and from its first task", async () => {
    const { crew } = line();
    const run = crew.start({ inputs: { n: 1 } });
    await run.output();
    const again = await crew.replay(run, { fromTask: "b" });
    await again.output();
    expect(await raws(await crew.replay(again, { fromTask: "c" }))).toEqual([
      "a 1 #1",
      "b 1 #4",
      "c 1 #6",
    ]);
    expect(await raws(await crew.replay(run, { fromTask: "a" }))).toEqual([
      "a 1 #7",
      "b 1 #8",
      "c 1 #9",
    ]);
  });

  it("of a test continues the test", async () => {
    const { crew, model } = line();
    const evalModel = scriptedModel(() => '{"quality":5}', { id: "judge" });
    const run = crew.startTest({
      iterations: 2,
      evalModel,
      inputs: { n: 1 },
      models: (spec) => (spec === "judge" || spec === evalModel ? evalModel : model),
    });
    await run.output();
    const again = await crew.replay(run, { fromTask: "b (2)" });
    expect(await again.output()).toMatchObject({ crew: { scores: [5, 5] } });
    expect(keysOf(model).slice(6)).toEqual([
      "iteration:2/task:b/turn:1/llm",
      "iteration:2/task:c/turn:1/llm",
    ]);
    expect((await again.status()).entry).toEqual({
      action: "test",
      iterations: 2,
      evalModel: "judge",
    });
  });

  it("names the crew's tasks when the task is unknown", async () => {
    const { crew } = line();
    const run = crew.start({ inputs: { n: 1 } });
    await run.output();
    await expect(crew.replay(run, { fromTask: "d" })).rejects.toMatchObject({
      code: "invalid_input",
      message: 'fromTask must name a task of the run, got "d"; its tasks: a, b, c',
    });
  });

  it("refuses a run of another process, and names the endpoint for its replay", async () => {
    const { crew } = line();
    const elsewhere = { id: "run-9" } as RunHandle;
    await expect(crew.replay(elsewhere, { fromTask: "a" })).rejects.toThrow(
      /call its Worker \(POST \/runs\/run-9\/replay\)/,
    );
  });
});

describe("a copy", () => {
  it("is a crew of its own with the same agents and tasks, and the changed options", () => {
    const { crew } = line({ maxRpm: 3 });
    const copy = crew.copy({ name: "other" });
    expect(copy).not.toBe(crew);
    expect([copy.name, crew.name]).toEqual(["other", "line"]);
    expect(copy.options.maxRpm).toBe(3);
    expect(copy.tasks).toEqual(crew.tasks);
    expect(copy.tasks.every((task, index) => task === crew.tasks[index])).toBe(true);
    expect(copy.agents[0]).toBe(crew.agents[0]);
  });

  it("is checked as a new crew is", () => {
    expect(() => line().crew.copy({ maxRpm: 0 })).toThrow(/maxRpm must be an integer >= 1, got 0/);
  });

  it("runs at the same time as its original, and shares no state of the runs", async () => {
    const { crew } = line({ cache: true });
    const outputs = await Promise.all(
      [crew, crew.copy(), crew.copy({ inputs: { n: 3 } })].map((each, index) =>
        each.kickoff(index < 2 ? { inputs: { n: index } } : {}),
      ),
    );
    expect(outputs.map(({ tasks }) => tasks[0]?.raw.slice(0, 3))).toEqual(["a 0", "a 1", "a 3"]);
  });
});

describe("usage", () => {
  it("counts the calls of a shared model once each, and those of one run alone", async () => {
    const model = scriptedModel(() => "x");
    const [one, two] = ["One", "Two"].map((role) => scriptedAgent([], { role, llm: model }).agent);
    const crew = new Crew({ tasks: [taskFor(one, { name: "a" }), taskFor(two, { name: "b" })] });
    const first = await crew.kickoff();
    const second = await crew.kickoff();
    expect(model.calls).toHaveLength(4);
    for (const { usage, tasks } of [first, second]) {
      expect(usage.requests).toBe(2);
      expect(usage.totalTokens).toBe(tasks.reduce((sum, task) => sum + task.usage.totalTokens, 0));
    }
  });
});
