import { describe, expect, it } from "vitest";
import * as z from "zod";
import { InMemoryTrainedStore, type Training } from "../../../../src/crew/actions/training.ts";
import type { AgentOptions } from "../../../../src/agent/description/agent.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../../src/crew/crew-options.ts";
import { actionProgram } from "../../../../src/crew/actions/crew-action.ts";
import type { TrainOptions } from "../../../../src/crew/actions/local-actions.ts";
import { textOfContent } from "../../../../src/llm/content.ts";
import type { ModelRequest } from "../../../../src/llm/language-model.ts";
import type { ScriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import type { Wait } from "../../../../src/runtime/run.ts";
import {
  calling,
  keysOf,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  toldTo,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite, untimed } from "../../../support/cut-off.ts";

const LESSON = { suggestions: ["Name sources", "Be short"], quality: 8, finalSummary: "better" };

/** Answers tasks with the number of messages, and the evaluation with a lesson. */
const pupil = ({ messages }: ModelRequest): string =>
  textOfContent(messages[0]?.content ?? "").startsWith("You look at how somebody learned")
    ? JSON.stringify(LESSON)
    : `answer after ${messages.length}`;

function learner(options: Partial<AgentOptions> = {}) {
  return scriptedAgent(pupil, options);
}

/** Two agents; the first does two of three tasks. */
function school(options: Partial<CrewOptions> = {}) {
  const reader = learner({ role: "Reader of {topic}" });
  const writer = learner({ role: "Writer" });
  const crew = new Crew({
    name: "school",
    tasks: [
      taskFor(reader.agent, { name: "read", description: "Read about {topic}" }),
      taskFor(writer.agent, { name: "write" }),
      taskFor(reader.agent, { name: "check" }),
    ],
    ...options,
  });
  return { crew, reader, writer };
}

const tea = { topic: "tea" };

describe("training", () => {
  it("asks a person about each answer of each iteration, and returns the lessons of each agent", async () => {
    const { crew } = school();
    const asked: string[] = [];
    const training = await crew.train({
      iterations: 2,
      inputs: tea,
      answer: ({ key, prompt }) => {
        asked.push(key);
        expect(prompt).toMatch(/^answer after 2\n/);
        return `more of ${key}`;
      },
    });
    expect(asked).toEqual(
      [1, 2].flatMap((n) =>
        ["read", "write", "check"].map((task) => `iteration:${n}/task:${task}/human:1`),
      ),
    );
    expect(training).toEqual({
      name: "school",
      agents: { "Reader of {topic}": LESSON, Writer: LESSON },
    });
  });

  it("TG2: gives an agent all earlier feedback on it, and none on others", async () => {
    const { crew, reader, writer } = school();
    let count = 0;
    await crew.train({ iterations: 2, inputs: tea, answer: () => `point ${++count}` });
    const told = (model: ScriptedModel, key: string): string => {
      const index = keysOf(model).indexOf(key);
      return toldTo(model, index)[1]?.content ?? "";
    };
    expect(told(reader.model, "iteration:1/task:read/turn:1/llm")).not.toMatch(/point/);
    expect(told(reader.model, "iteration:1/task:check/turn:1/llm")).toMatch(
      /is binding; follow all of it:\n<feedback>\n- point 1\n<\/feedback>$/,
    );
    expect(told(reader.model, "iteration:2/task:read/turn:1/llm")).toMatch(
      /<feedback>\n- point 1\n- point 3\n<\/feedback>$/,
    );
    expect(told(writer.model, "iteration:2/task:write/turn:1/llm")).toMatch(
      /<feedback>\n- point 2\n<\/feedback>$/,
    );
  });

  it("separates the answers of an agent's several tasks in its evaluation", async () => {
    const { crew, reader } = school();
    await crew.train({ iterations: 1, inputs: tea, answer: ({ key }) => `on ${key}` });
    const index = keysOf(reader.model).findIndex((key) => key.startsWith("learn:"));
    expect(keysOf(reader.model)[index]).toBe("learn:Reader-of-%7Btopic%7D/output:1/llm");
    const evaluation = lastTold(reader.model, index);
    for (const task of ["read", "check"])
      expect(evaluation).toContain(
        `<iteration number="1" task="${task}">\n<answer>\nanswer after 2\n</answer>\n` +
          `<feedback>\non iteration:1/task:${task}/human:1\n</feedback>\n<improved>\nanswer after 4\n</improved>\n</iteration>`,
      );
    expect(evaluation).not.toContain('task="write"');
  });

  it("TG4: stores the lessons under its name, in place of earlier ones", async () => {
    const trained = new InMemoryTrainedStore();
    await trained.put({ name: "evening", agents: { Old: LESSON } });
    const { crew } = school();
    const answer = () => "shorter";
    const options = { iterations: 1, name: "evening", inputs: tea, services: { trained } };
    const training = await crew.train({ ...options, answer });
    expect(await trained.get("evening")).toEqual(training);
    expect(Object.keys(training.agents)).toEqual(["Reader of {topic}", "Writer"]);
  });

  it("needs an answer function, and fails without one before a model is asked", async () => {
    const { crew, reader } = school();
    const training = crew.train({ iterations: 1, inputs: tea } as unknown as TrainOptions);
    await expect(training).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("answer must be a function"),
    });
    expect(reader.model.calls).toHaveLength(0);
  });

  it("TG3: refuses an answer without feedback, and keeps its question open", async () => {
    const trained = new InMemoryTrainedStore();
    const { crew } = school();
    const run = crew.startTraining({ iterations: 1, inputs: tea, services: { trained } });
    for await (const event of run.events()) {
      if (event.type !== "wait_opened") continue;
      const { key } = event;
      for (const answer of [{ feedback: " " }, { approve: true }, { value: "" }])
        await expect(run.resume({ key, ...answer })).rejects.toMatchObject({
          code: "invalid_input",
          message: `the answer to ${key} must have feedback in words, got none`,
        });
      await run.resume({ key, feedback: "more" });
    }
    await run.output();
    expect(Object.keys((await trained.get("school"))?.agents ?? {})).not.toEqual([]);
  });

  it("has events for its start, its evaluations and its end", async () => {
    const { crew } = school();
    const run = crew.startTraining({ iterations: 1, name: "x", inputs: tea });
    const types: string[] = [];
    for await (const event of run.events()) {
      if (event.type === "wait_opened") await run.resume({ feedback: "more" });
      if (/^crew|^task_evaluation/.test(event.type)) types.push(event.type);
    }
    expect(types).toEqual([
      "crew_train_started",
      "crew_kickoff_started",
      "crew_kickoff_completed",
      "task_evaluation",
      "task_evaluation",
      "crew_train_completed",
    ]);
    const { entry, tasks } = await run.status();
    expect(entry).toEqual({ action: "train", iterations: 1, name: "x" });
    expect(tasks?.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      "read (1): completed",
      "write (1): completed",
      "check (1): completed",
    ]);
  });

  it.each([0, 101, 1.5, Number.NaN])("refuses %d iterations", async (iterations) => {
    const { crew } = school();
    const message = `iterations must be an integer from 1 to 100, got ${iterations}`;
    await expect(crew.train({ iterations, answer: () => "x" })).rejects.toThrow(message);
    expect(() => crew.startTraining({ iterations })).toThrow(message);
    await expect(crew.test({ iterations })).rejects.toThrow(message);
  });

  it("inside a run is a part of that, with its questions as waits", async () => {
    const { crew } = school();
    const practise = tool({
      name: "practise",
      description: "Trains the other crew.",
      input: z.object({}),
      run: async () => (await crew.train({ iterations: 1, inputs: tea, answer: () => "" })).name,
    });
    const outer = scriptedAgent([calling("practise"), "done"], { tools: [practise] });
    const run = startCrew(soloCrew(outer.agent));
    for (const task of ["read", "write", "check"]) {
      const key = `task:work/turn:1/tool:practise#0/train:school/iteration:1/task:${task}/human:1`;
      expect((await run.settle()).waits).toMatchObject([{ key }]);
      await run.handle.resume({ feedback: "more" });
    }
    await run.output();
    expect(lastTold(outer.model, 1)).toBe("school");
  });

  it("DC1, TG1: cut off after any write, with people answering in between, comes out the same", async () => {
    const models: ScriptedModel[] = [];
    const stores: InMemoryTrainedStore[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent, model } = learner({ maxExecutionTime: 60 });
      models.push(model);
      const trained = new InMemoryTrainedStore();
      stores.push(trained);
      const crew = new Crew({
        name: "school",
        tasks: [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })],
      });
      const entry = { action: "train", iterations: 2, name: "x" } as const;
      return {
        program: actionProgram(crew, entry),
        services: { trained },
        answer: ({ key }: Wait) => ({ feedback: `on ${key}` }),
      };
    });
    expect(whole.run.output).toEqual({ name: "x", agents: { Researcher: LESSON } });
    expect(cut.length).toBeGreaterThan(30);
    for (const [index, each] of cut.entries()) {
      expect(each.run.output).toEqual(whole.run.output);
      expect(each.run.usage).toEqual(whole.run.usage);
      expect(untimed(each.events)).toEqual(untimed(whole.events));
      expect([...new Set(keysOf(models[index + 1]!))].toSorted()).toEqual(
        keysOf(models[0]!).toSorted(),
      );
      expect(prompts(models[index + 1]!)).toEqual(prompts(models[0]!));
      expect(await stores[index + 1]?.get("x")).toEqual(whole.run.output);
    }
  }, 60_000);
});

/** What each model call was told, by its key. */
function prompts(model: ScriptedModel): JsonObject {
  const told = keysOf(model).map((key, index): [string, string] => [
    key,
    JSON.stringify(toldTo(model, index)),
  ]);
  return Object.fromEntries(told.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("lessons of a training", () => {
  const training: Training = {
    name: "x",
    agents: {
      "Reader of {topic}": {
        suggestions: ["Name sources", "two\nlines"],
        quality: 1,
        finalSummary: "",
      },
    },
  };
  const points = "You must follow every one of these points:\n- Name sources\n- two\n  lines";

  it("LE2: are at the end of the prompts of the agent with their role, and of no other", async () => {
    const { crew, reader, writer } = school({ trained: training });
    await crew.kickoff({ inputs: tea });
    expect(lastTold(reader.model, 0).endsWith(points)).toBe(true);
    expect(lastTold(reader.model, 1).endsWith(points)).toBe(true);
    expect(lastTold(writer.model, 0)).not.toContain("must follow");
  });

  it("LE1: are read once per run, as a step", async () => {
    const reads: string[] = [];
    const trained = {
      get: async (name: string) => {
        reads.push(name);
        return training;
      },
      put: async () => undefined,
      delete: async () => false,
      list: async () => [],
    };
    for (const option of [true, "evening"] as const) {
      const { crew, reader } = school({ trained: option });
      const run = crew.start({ inputs: tea, services: { trained } });
      await run.output();
      expect(lastTold(reader.model, 0)).toContain(points);
    }
    expect(reads).toEqual(["school", "evening"]);
    for (const option of [undefined, false]) {
      const { crew } = school(option === undefined ? {} : { trained: option });
      await crew.start({ inputs: tea, services: { trained } }).output();
    }
    expect(reads).toHaveLength(2);
  });

  it("are empty under an unknown name", async () => {
    const { crew, reader } = school({ trained: true });
    await crew.start({ inputs: tea, services: { trained: new InMemoryTrainedStore() } }).output();
    expect(lastTold(reader.model, 0)).not.toContain("must follow");
  });

  it("are refused without a store for trainings", async () => {
    const { crew } = school({ trained: true });
    const { error, kept } = await runCrewToFailure(crew, tea);
    expect(error).toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining('crew "school" was trained as "school"'),
    });
    expect(kept("crew_kickoff_failed")).toHaveLength(1);
  });

  it("stay out of the training itself", async () => {
    const { crew, reader } = school({ trained: training });
    await crew.train({ iterations: 1, inputs: tea, answer: () => "more" });
    expect(lastTold(reader.model, 0)).not.toContain("Name sources");
  });

  it("improve a crew through the result of train()", async () => {
    const { agent, model } = learner();
    const crew = soloCrew(agent);
    const better = crew.copy({
      trained: await crew.train({ iterations: 1, answer: () => "more" }),
    });
    await runCrewToEnd(better);
    expect(lastTold(model, 3)).toContain("- Name sources\n- Be short");
  });

  it("are not found for an agent with a name of Object.prototype", async () => {
    const { agent, model } = learner({ role: "constructor" });
    await soloCrew(agent, { crew: { trained: training } }).kickoff();
    expect(lastTold(model, 0)).not.toContain("must follow");
  });

  it.each(["", 3, {}, { name: "x", agents: { A: {} } }, null])("cannot be %o", (trained) => {
    expect(() => school({ trained } as never)).toThrow(
      /crew "school": trained must be a boolean, a non-empty name, or the result of train\(\), got/,
    );
  });
});
