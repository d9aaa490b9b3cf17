import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConditionalTask } from "../../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { TaskOutput } from "../../../../src/crew/tasks/task-output.ts";
import { on } from "../../../../src/hooks/hook.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  startCrew,
  taskFor,
} from "../../../support/crew-harness.ts";

const JOINER = "\n\n----------\n\n";

function conditional(
  name: string,
  condition: (previous: TaskOutput) => boolean | Promise<boolean>,
  options: Partial<ConstructorParameters<typeof ConditionalTask>[0]> = {},
) {
  const { agent, model } = scriptedAgent(() => `out ${name}`, { role: name });
  const task = new ConditionalTask({
    name,
    description: `Do ${name}`,
    expectedOutput: "A result",
    agent,
    condition,
    ...options,
  });
  return { task, model };
}

function plain(name: string, options: Parameters<typeof taskFor>[1] = {}) {
  const { agent, model } = scriptedAgent(() => `out ${name}`, { role: name });
  return { task: taskFor(agent, { name, ...options }), model };
}

describe("a conditional task", () => {
  it("receives the earlier output after its hooks; no hook runs for a skipped one", async () => {
    const seen: string[] = [];
    const asked: string[] = [];
    const condition = (previous: TaskOutput): boolean => {
      asked.push(previous.raw);
      return previous.raw.includes("more");
    };
    const b = conditional("B", condition);
    const c = conditional("C", condition);
    const crew = new Crew({
      tasks: [plain("A").task, b.task, c.task],
      hooks: [
        on("pre_step", ({ stepName }) => {
          seen.push(`pre ${stepName}`);
        }),
        on("post_step", (context) => {
          seen.push(`post ${context.stepName}`);
          if (context.kind === "task" && context.stepName === "A")
            context.payload.raw += " and more";
        }),
      ],
    });
    const { result } = await runCrewToEnd(crew);
    expect(asked).toEqual(["out A and more", "out B"]);
    expect(seen).toEqual(["pre A", "post A", "pre B", "post B"]);
    expect(result.tasks[2]).toMatchObject({ skipped: true, raw: "" });
  });

  it("PT2: is skipped with an empty output when its condition is false", async () => {
    const b = conditional("B", () => false);
    const c = plain("C");
    const { result, kept } = await runCrewToEnd(
      new Crew({ tasks: [plain("A").task, b.task, c.task] }),
    );
    expect(result.tasks[1]).toMatchObject({
      name: "B",
      description: "Do B",
      agent: "B",
      raw: "",
      outputFormat: "raw",
      skipped: true,
      usage: { requests: 0 },
      processedByAgents: [],
    });
    expect(lastTold(c.model, 0)).toContain(`<context>\nout A${JOINER}\n</context>`);
    expect(b.model.calls).toEqual([]);
    expect(kept("task_started", "task_completed").map((event) => event.path)).toEqual([
      "task:A",
      "task:A",
      "task:C",
      "task:C",
    ]);
  });

  it("is done when its condition is true, also a promise", async () => {
    const { result } = await runCrewToEnd(
      new Crew({ tasks: [plain("A").task, conditional("B", async () => true).task] }),
    );
    expect(result.raw).toBe("out B");
    expect(result.tasks[1]).not.toHaveProperty("skipped");
  });

  it("CR3: leaves the earlier output when it is skipped at the end", async () => {
    const { result } = await runCrewToEnd(
      new Crew({ tasks: [plain("A").task, conditional("B", () => false).task] }),
    );
    expect(result.raw).toBe("out A");
    expect(result.tasks).toHaveLength(2);
  });

  it("receives the earlier output, with its object parsed by the schema, after asynchronous tasks have finished", async () => {
    const told: TaskOutput[] = [];
    const keep = (previous: TaskOutput): boolean => (told.push(previous), false);
    const { agent } = scriptedAgent(['{"day":"2026-01-02"}']);
    const day = z.object({ day: z.iso.date().transform((text) => new Date(text)) });
    const crew = new Crew({
      tasks: [
        plain("A").task,
        taskFor(agent, { name: "day", output: day, asyncExecution: true }),
        conditional("B", keep).task,
        conditional("C", keep).task,
      ],
    });
    await runCrewToEnd(crew);
    expect(told.map(({ name }) => name)).toEqual(["day", "B"]);
    expect(told[0]?.object).toEqual({ day: new Date("2026-01-02") });
    expect(told[1]?.raw).toBe("");
  });

  it("calls no callback when skipped, and its output is not the context of a later asynchronous task", async () => {
    const called: string[] = [];
    const after = plain("C", { asyncExecution: true });
    const crew = new Crew({
      tasks: [plain("A").task, conditional("B", () => false).task, after.task],
      taskCallback: ({ name }) => called.push(name),
    });
    await runCrewToEnd(crew);
    expect(called).toEqual(["A", "C"]);
    expect(lastTold(after.model, 0)).toContain("<context>\nout A\n</context>");
  });

  it("evaluates its condition once, over any number of replays", async () => {
    let asked = 0;
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("person", { kind: "human" })),
    });
    const { agent } = scriptedAgent([calling("ask"), "done"], { tools: [ask] });
    const b = conditional("B", () => (asked++, true), { agent });
    const c = conditional("C", () => (asked++, false));
    const run = startCrew(new Crew({ tasks: [plain("A").task, b.task, c.task, plain("D").task] }));
    await run.settle();
    expect((await run.handle.status()).tasks?.map(({ status }) => status)).toEqual([
      "completed",
      "running",
      "pending",
      "pending",
    ]);
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(asked).toBe(2);
    expect((await run.handle.status()).tasks?.[2]).toMatchObject({ status: "completed" });
  });

  it("fails the crew when its condition throws", async () => {
    const b = conditional("B", () => {
      throw new Error("cannot tell");
    });
    const { error } = await runCrewToFailure(new Crew({ tasks: [plain("A").task, b.task] }));
    expect(error.message).toBe('the condition of task "B" threw: cannot tell');
  });

  it("works in a hierarchical crew too", async () => {
    const { agent, model } = scriptedAgent(() => "managed", { role: "Chief" });
    const crew = new Crew({
      process: "hierarchical",
      managerAgent: agent,
      tasks: [taskFor(undefined, { name: "A" }), conditional("B", () => false).task],
    });
    const { result } = await runCrewToEnd(crew);
    expect(result.tasks.map(({ raw, agent: role }) => [raw, role])).toEqual([
      ["managed", "Chief"],
      ["", "Chief"],
    ]);
    expect(model.calls).toHaveLength(1);
  });

  it.each([undefined, true, "yes"])("needs a function as condition, not %s", (condition) => {
    expect(() => conditional("B", condition as never)).toThrow(
      /^task "B": condition must be a function of the previous output, got /,
    );
  });
});
