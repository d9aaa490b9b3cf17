// Training, tests, replays and chats of crews with managers, delegation, conditions, hooks, files and child runs.
import { describe, expect, it } from "vitest";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { Training } from "../../../src/crew/actions/training.ts";
import { onEvent } from "../../../src/events/listener.ts";
import { actionProgram } from "../../../src/crew/actions/crew-action.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { on } from "../../../src/hooks/hook.ts";
import { withHooks } from "../../../src/hooks/scoped-hooks.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from "../../../src/llm/scripted/scripted-model.ts";
import type { RunHandle } from "../../../src/runtime/handle/run-handle.ts";
import type { Wait } from "../../../src/runtime/run.ts";
import { calling, keysOf, lastTold, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { HttpWorld } from "../../support/http-app.ts";

const LESSON = { suggestions: ["Name sources"], quality: 8, finalSummary: "better" };
const TAUGHT = "- Name sources";

const taught = (...roles: string[]): Training => ({
  name: "t",
  agents: Object.fromEntries(roles.map((role) => [role, LESSON])),
});

const learns = ({ messages }: ModelRequest): boolean =>
  textOfContent(messages[0]?.content ?? "").startsWith("You look at how somebody learned");

const delegate = (coworker: string): ScriptedReply =>
  calling("delegate_work_to_coworker", { task: "dig", context: "all", coworker });

/** Gives work to a coworker, hands on what comes back, and takes a lesson. */
const delegates =
  (coworker: string) =>
  (request: ModelRequest): ScriptedReply => {
    if (learns(request)) return JSON.stringify(LESSON);
    const last = request.messages.at(-1);
    return last?.role === "tool" ? `chief: ${textOfContent(last.content)}` : delegate(coworker);
  };

const toolsOf = (model: ScriptedModel): readonly string[] => [
  ...new Set(model.calls.flatMap(({ request }) => request.tools?.map(({ name }) => name) ?? [])),
];

/** A manager, who gives everything to a worker, who may delegate, too. */
function managed(options: Partial<CrewOptions> = {}) {
  const chief = scriptedAgent(delegates("Worker"), { role: "Chief" });
  const worker = scriptedAgent(() => "dug", { role: "Worker", allowDelegation: true });
  const crew = new Crew({
    name: "managed",
    process: "hierarchical",
    managerAgent: chief.agent,
    agents: [worker.agent, scriptedAgent(() => "x", { role: "Other" }).agent],
    tasks: [taskFor(undefined, { name: "work" })],
    ...options,
  });
  return { crew, chief: chief.model, worker: worker.model };
}

describe("a training", () => {
  it("TG5: lets agents of a sequential crew do their tasks themselves", async () => {
    const writer = scriptedAgent(
      (request) => (learns(request) ? JSON.stringify(LESSON) : "written"),
      { role: "Writer", allowDelegation: true },
    );
    const digger = scriptedAgent(() => "dug", { role: "Digger" });
    const crew = new Crew({
      agents: [writer.agent, digger.agent],
      tasks: [taskFor(writer.agent, { name: "write" })],
    });
    await crew.kickoff();
    expect(toolsOf(writer.model)).toContain("delegate_work_to_coworker");
    const before = writer.model.calls.length;
    await crew.train({ iterations: 1, answer: () => "more" });
    const inTraining = writer.model.calls.slice(before).filter(({ request }) => !learns(request));
    expect(inTraining).toHaveLength(2);
    for (const { request } of inTraining)
      expect(JSON.stringify(request)).not.toContain("delegate_work");
  });

  it("TG5: leaves a manager the coworkers, and teaches the manager", async () => {
    const { crew, chief, worker } = managed();
    const training = await crew.train({ iterations: 2, answer: ({ key }) => `on ${key}` });
    expect(training.agents).toEqual({ Chief: LESSON });
    expect(keysOf(chief).at(-1)).toBe("learn:Chief/output:1/llm");
    expect(worker.calls.length).toBeGreaterThan(0);
    expect(toolsOf(chief)).toContain("delegate_work_to_coworker");
    expect(toolsOf(worker)).toEqual([]);
    const second = keysOf(chief).indexOf("iteration:2/task:work/turn:1/llm");
    expect(lastTold(chief, second)).toContain("- on iteration:1/task:work/human:1");
    expect(lastTold(worker, 0)).not.toContain("is binding");
  });

  it("DC1: of a hierarchical crew, cut off after any write, comes out the same", async () => {
    const models: ScriptedModel[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { crew, chief, worker } = managed();
      models.push([chief, worker]);
      const entry = { action: "train", iterations: 1, name: "x" } as const;
      return {
        program: actionProgram(crew, entry),
        answer: ({ key }: Wait) => ({ feedback: `on ${key}` }),
      };
    });
    const called = (run: number) => [...new Set(models[run]?.flatMap(keysOf))].toSorted();
    expect(whole.run.output).toEqual({ name: "x", agents: { Chief: LESSON } });
    expect(cut.length).toBeGreaterThan(15);
    for (const [index, { run }] of cut.entries()) {
      expect(run.output).toEqual(whole.run.output);
      expect(run.usage).toEqual(whole.run.usage);
      expect(called(index + 1)).toEqual(called(0));
    }
  });

  it("continues without a task with a false condition", async () => {
    const { agent } = scriptedAgent((request) =>
      learns(request) ? JSON.stringify(LESSON) : "done",
    );
    const late = scriptedAgent(() => "late", { role: "Late" });
    const crew = new Crew({
      tasks: [
        taskFor(agent, { name: "first" }),
        new ConditionalTask({
          name: "maybe",
          description: "Maybe",
          expectedOutput: "x",
          agent: late.agent,
          condition: () => false,
        }),
      ],
    });
    const asked: string[] = [];
    const training = await crew.train({
      iterations: 1,
      answer: ({ key }) => (asked.push(key), "more"),
    });
    expect(asked).toEqual(["iteration:1/task:first/human:1"]);
    expect(Object.keys(training.agents)).toEqual(["Researcher"]);
  });

  it("reads its input files", async () => {
    const files = new InMemoryFileStore();
    await files.put("facts.txt", "tea is hot", "text/plain");
    const { agent, model } = scriptedAgent((request) => {
      if (learns(request)) return JSON.stringify(LESSON);
      const last = request.messages.at(-1);
      if (last?.role === "tool") return textOfContent(last.content);
      return calling("read_file", { name: "facts" });
    });
    const crew = new Crew({ tasks: [taskFor(agent, { name: "a" })] });
    const prompts: unknown[] = [];
    await crew.train({
      iterations: 1,
      files,
      inputFiles: { facts: "facts.txt" },
      answer: ({ prompt }) => (prompts.push(prompt), "more"),
    });
    expect(prompts).toEqual([expect.stringContaining("tea is hot")]);
    expect(toolsOf(model)).toContain("read_file");
  });

  it("ends after its listeners have received its last event", async () => {
    const heard: string[] = [];
    const { agent } = scriptedAgent((request) =>
      learns(request) ? JSON.stringify(LESSON) : "done",
    );
    const crew = new Crew({
      tasks: [taskFor(agent)],
      listeners: [
        onEvent("crew_train_completed", async ({ type }) => {
          for (let turn = 0; turn < 500; turn++) await Promise.resolve();
          heard.push(type);
        }),
      ],
    });
    await crew.train({ iterations: 1, answer: () => "more" });
    expect(heard).toEqual(["crew_train_completed"]);
  });
});

describe("lessons of a training", () => {
  it("LE2: are in the prompt of a coworker for delegated work, too", async () => {
    const { crew, chief, worker } = managed({ trained: taught("Worker") });
    await crew.kickoff();
    expect(lastTold(worker, 0)).toContain(TAUGHT);
    expect(lastTold(chief, 0)).not.toContain(TAUGHT);
  });

  it("LE1: are in the prompts of child runs for parts of a crew, and a test does its tasks in its own run", async () => {
    const agent = scriptedAgent([], { role: "Digger", llm: "any" }).agent;
    const tasks = Array.from({ length: 12 }, (_, index) =>
      taskFor(agent, { name: `t${index}`, asyncExecution: true }),
    );
    const crew = new Crew({
      name: "wide",
      trained: "t",
      tasks: [...tasks, taskFor(agent, { name: "end" })],
    });
    const world = new HttpWorld({
      crews: { wide: crew },
      script: ({ messages }) =>
        textOfContent(messages[0]?.content ?? "").startsWith("You score")
          ? '{"quality":6}'
          : "done",
    });
    await world.trained("default").put(taught("Digger"));
    await world.ask("/crews/wide/kickoff", { json: { id: "run-1" } });
    await world.clock.settle();
    expect((await world.ask("/runs/run-1")).json).toMatchObject({ status: "completed" });
    expect((await world.ask("/runs?parent=run-1")).json["items"]).toHaveLength(2);
    expect(world.model.calls).toHaveLength(13);
    for (const { request } of world.model.calls)
      expect(JSON.stringify(request.messages)).toContain(TAUGHT);

    await world.ask("/crews/wide/test", { json: { id: "test-1", iterations: 1 } });
    await world.clock.settle();
    const { json } = await world.ask("/runs/test-1");
    expect(json).toMatchObject({ status: "completed", output: { crew: { scores: [6] } } });
    expect((await world.ask("/runs?parent=test-1")).json["items"]).toEqual([]);
  });
});

describe("a test", () => {
  it("names all agents of a task, and gives a skipped task no score", async () => {
    const skipped = new ConditionalTask({
      name: "maybe",
      description: "Maybe",
      expectedOutput: "x",
      condition: () => false,
    });
    const work = taskFor(undefined, { name: "work" });
    const { crew } = managed({ tasks: [work, skipped] });
    const evalModel = scriptedModel(() => '{"quality":7}', { id: "judge" });
    const report = await crew.test({ iterations: 1, evalModel });
    expect(report.tasks).toEqual([
      { name: "work", agents: ["Chief", "Worker"], scores: [7], average: 7 },
      { name: "maybe", agents: [], scores: [null], average: null },
    ]);
    expect(evalModel.calls).toHaveLength(1);
  });
});

type Output = {
  readonly tasks: ReadonlyArray<{ readonly raw: string; readonly skipped?: boolean }>;
};

async function raws(run: RunHandle): Promise<readonly string[]> {
  const { tasks } = (await run.output()) as unknown as Output;
  return tasks.map(({ raw, skipped }) => (skipped === true ? "skipped" : raw));
}

describe("a replay", () => {
  /** A task, one that is done when the answer before it has a "!", and one more. */
  function conditions() {
    const conditionFor: string[] = [];
    const script = { first: "one!", count: 0 };
    const { agent } = scriptedAgent(({ messages }) => {
      const [name = ""] = /(?<=name: )\w+/.exec(textOfContent(messages[1]?.content ?? "")) ?? [];
      return name === "first" ? script.first : `${name} #${++script.count}`;
    });
    const named = (name: string) => ({ name, description: `name: ${name}`, context: [] });
    const tasks = [
      taskFor(agent, named("first")),
      new ConditionalTask({
        ...named("maybe"),
        expectedOutput: "x",
        agent,
        condition: ({ raw }) => (conditionFor.push(raw), raw.includes("!")),
      }),
      taskFor(agent, named("last")),
    ];
    return { crew: new Crew({ tasks }), conditionFor, script };
  }

  it("decides conditions again from its task on, and takes over earlier ones", async () => {
    const { crew, conditionFor, script } = conditions();
    const run = crew.start();
    expect(await raws(run)).toEqual(["one!", "maybe #1", "last #2"]);
    const fromLast = await crew.replay(run, { fromTask: "last" });
    expect(await raws(fromLast)).toEqual(["one!", "maybe #1", "last #3"]);
    expect(conditionFor).toEqual(["one!"]);
    const fromMaybe = await crew.replay(run, { fromTask: "maybe" });
    expect(await raws(fromMaybe)).toEqual(["one!", "maybe #4", "last #5"]);
    expect(conditionFor).toEqual(["one!", "one!"]);
    script.first = "two";
    const fromFirst = await crew.replay(run, { fromTask: "first" });
    expect(await raws(fromFirst)).toEqual(["two", "skipped", "last #6"]);
    expect(await raws(await crew.replay(fromFirst, { fromTask: "last" }))).toEqual([
      "two",
      "skipped",
      "last #7",
    ]);
    expect(conditionFor).toEqual(["one!", "one!", "two"]);
  });

  it("of a hierarchical crew lets the manager continue, and no prompt is sent twice", async () => {
    const tasks = [taskFor(undefined, { name: "a" }), taskFor(undefined, { name: "b" })];
    const { crew, worker } = managed({ tasks });
    const run = crew.start();
    await run.output();
    expect(worker.calls).toHaveLength(2);
    const again = await crew.replay(run, { fromTask: "b" });
    expect(await raws(again)).toEqual(["chief: dug", "chief: dug"]);
    expect(worker.calls).toHaveLength(3);
  });

  it.each(["execution_start", "input"] as const)(
    "refuses other inputs after a hook at %s changed those of the run, and accepts them otherwise",
    async (point) => {
      let changes = true;
      const { agent } = scriptedAgent(
        ({ messages }) => textOfContent(messages[1]?.content ?? "").split("\n")[0] ?? "",
      );
      const crew = new Crew({
        tasks: ["a", "b"].map((name) =>
          taskFor(agent, { name, description: `${name} {n}`, context: [] }),
        ),
        hooks: [
          on(point, (context) => {
            if (changes) context.payload["n"] = 10;
          }),
        ],
      });
      const changed = crew.start({ inputs: { n: 1 } });
      expect(await raws(changed)).toEqual(["a 10", "b 10"]);
      await expect(crew.replay(changed, { fromTask: "b", inputs: { n: 2 } })).rejects.toMatchObject(
        {
          code: "conflict",
          message: expect.stringContaining(
            `were changed by hook ${point}, and a replay takes over that result (hook:${point})`,
          ),
        },
      );
      changes = false;
      const looked = crew.start({ inputs: { n: 1 } });
      expect(await raws(looked)).toEqual(["a 1", "b 1"]);
      const again = await crew.replay(looked, { fromTask: "b", inputs: { n: 2 } });
      expect(await raws(again)).toEqual(["a 1", "b 2"]);
    },
  );
});

describe("hooks", () => {
  it("of the crew and of the surrounding code are called for model calls outside tasks, too", async () => {
    const { agent } = scriptedAgent((request) =>
      learns(request) ? JSON.stringify(LESSON) : "done",
    );
    const chatLlm = scriptedModel(({ tools }) =>
      tools === undefined ? '{"crew":"C","inputs":{}}' : "Hello",
    );
    const seen: string[] = [];
    const told = (who: string) =>
      on("pre_model_call", ({ messages }) => {
        seen.push(
          `${who}: ${textOfContent(messages[0]?.content ?? "")
            .split(" ", 4)
            .join(" ")}`,
        );
      });
    const crew = new Crew({ chatLlm, tasks: [taskFor(agent)], hooks: [told("crew")] });
    const evalModel = scriptedModel(() => '{"quality":5}');
    await withHooks([told("here")], async () => {
      await crew.train({ iterations: 1, answer: () => "more" });
      await crew.test({ iterations: 1, evalModel });
      await crew.chat([{ role: "user", content: "Hi" }]);
    });
    for (const start of [
      "You look at how",
      "You score the results",
      "You describe what software",
      "You talk with a",
    ])
      for (const who of ["crew", "here"]) expect(seen).toContain(`${who}: ${start}`);
  });
});
