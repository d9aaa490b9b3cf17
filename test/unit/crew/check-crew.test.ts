import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { tool } from "../../../src/tools/tool.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";

const { agent } = scriptedAgent([]);
const task = (name: string, options: Parameters<typeof taskFor>[1] = {}): Task =>
  taskFor(agent, { name, ...options });
const making = (options: unknown) => (): Crew => new Crew(options as CrewOptions);
const conditional = (name: string, options: Parameters<typeof taskFor>[1] = {}): ConditionalTask =>
  new ConditionalTask({
    name,
    description: "d",
    expectedOutput: "e",
    agent,
    condition: () => true,
    ...options,
  });
const asyncTask = (name: string): Task => task(name, { asyncExecution: true });

describe("a crew with faults is refused when it is made", () => {
  it("VD1: a task without an agent, as invalid_definition", () => {
    expect(making({ tasks: [taskFor(undefined)] })).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
    const orphans = ["b", "c"].map((name) => taskFor(undefined, { name }));
    expect(making({ tasks: [task("a"), ...orphans] })).toThrow(
      /^missing_agent_in_task: every task .* there is none for "b", "c"$/,
    );
  });

  it("VD1: is no fault in a hierarchical crew", () => {
    expect(
      making({ process: "hierarchical", managerLlm: "a/b", tasks: [taskFor(undefined)] }),
    ).not.toThrow();
  });

  it("VD2: a hierarchical crew without a manager, before other faults", () => {
    expect(making({ process: "hierarchical", tasks: [] })).toThrow(
      'missing_manager_llm_or_manager_agent: the hierarchical crew "crew" needs a managerLlm or a managerAgent',
    );
  });

  it("VD3: a manager listed among the agents", () => {
    expect(
      making({ process: "hierarchical", managerAgent: agent, agents: [agent], tasks: [] }),
    ).toThrow(/^manager_agent_in_agents: .*"Researcher" of crew "crew"/);
  });

  it("VD3: a task of the manager's own is no fault, and makes no coworker of the manager", () => {
    const other = scriptedAgent([], { role: "Other" }).agent;
    const crew = new Crew({
      process: "hierarchical",
      managerAgent: agent,
      tasks: [task("a"), taskFor(other)],
    });
    expect(crew.agents).toEqual([other]);
  });

  it("a manager with tools", () => {
    const tools = [tool({ name: "pen", description: "P.", input: z.object({}), run: () => "" })];
    const managerAgent = scriptedAgent([], { role: "Chief", tools }).agent;
    expect(making({ process: "hierarchical", managerAgent, tasks: [task("a")] })).toThrow(
      'manager_agent_has_tools: the managerAgent "Chief" of crew "crew" must have no tools, got pen',
    );
  });

  it("an unknown process", () => {
    expect(making({ process: "consensual", tasks: [task("a")] })).toThrow(
      'crew "crew": process must be "sequential" or "hierarchical", got "consensual"',
    );
  });

  it("VD6: conditional tasks alone, before the rule for the first", () => {
    expect(making({ tasks: [conditional("a")] })).toThrow(/^only_conditional_tasks: /);
    expect(making({ tasks: [conditional("a"), conditional("b")] })).toThrow(
      /^only_conditional_tasks: /,
    );
  });

  it("VD7: a conditional task at the start", () => {
    expect(making({ tasks: [conditional("a"), task("b")] })).toThrow(
      /^invalid_first_task: .*"a", must not be conditional/,
    );
  });

  it("VD8: an asynchronous conditional task", () => {
    expect(
      making({ tasks: [task("a"), conditional("b", { asyncExecution: true }), task("c")] }),
    ).toThrow('invalid_async_conditional_task: the conditional task "b" must not be asynchronous');
  });

  it("VD4: two asynchronous tasks at the end", () => {
    expect(
      making({
        tasks: [
          task("a"),
          task("b", { asyncExecution: true }),
          task("c", { asyncExecution: true }),
        ],
      }),
    ).toThrow(/^async_task_count: .*got 2$/);
    const asynchronous = ["a", "b"].map((name) => task(name, { asyncExecution: true }));
    expect(making({ tasks: asynchronous })).toThrow(/^async_task_count: .*got 2$/);
  });

  it("VD5: asynchronous tasks before a synchronous one, or one at the end, are fine", () => {
    expect(() => new Crew({ tasks: [asyncTask("a"), asyncTask("b"), task("c")] })).not.toThrow();
    expect(() => new Crew({ tasks: [task("a"), asyncTask("b")] })).not.toThrow();
    expect(() => new Crew({ tasks: [asyncTask("a")] })).not.toThrow();
  });

  it("VD9: an asynchronous task with an asynchronous one right before it as context", () => {
    const a = task("a", { asyncExecution: true });
    expect(
      making({ tasks: [a, task("b", { asyncExecution: true, context: [a] }), task("c")] }),
    ).toThrow(/^context_of_async_task: .*"b".*"a"/);
  });

  it("VD10: the same with a synchronous task in between is fine", () => {
    const a = task("a", { asyncExecution: true });
    expect(
      () => new Crew({ tasks: [a, task("c"), task("b", { asyncExecution: true, context: [a] })] }),
    ).not.toThrow();
  });

  it("VD11: a context of a later task, or of the task itself", () => {
    const later = task("later");
    expect(making({ tasks: [task("first", { context: [later] }), later] })).toThrow(
      'context_of_later_task: task "first" has the later task "later" in its context',
    );
  });

  it("VD11: a context outside the crew is allowed", () => {
    expect(() => new Crew({ tasks: [task("a", { context: [task("elsewhere")] })] })).not.toThrow();
  });

  it.each([{}, { tasks: [] }, { tasks: [], agents: [agent] }])(
    "VD12: a crew without tasks: %j",
    (options) => {
      expect(making(options)).toThrow(/^missing_keys: crew "crew" has no tasks/);
    },
  );

  it("VD13: a custom id", () => {
    expect(making({ id: "mine", tasks: [task("a")] })).toThrow(/^may_not_set_field: /);
  });

  it.each([
    ["maxRpm", 0.5, "an integer >= 1"],
    ["maxRpm", 0, "an integer >= 1"],
    ["maxTokens", Number.NaN, "an integer >= 1"],
    ["maxCostUsd", 0, "a number > 0"],
    ["maxCostUsd", Number.POSITIVE_INFINITY, "a number > 0"],
  ])("an invalid limit: %s %s", (field, value, expected) => {
    expect(making({ name: "mine", tasks: [task("a")], [field]: value })).toThrow(
      `crew "mine": ${field} must be ${expected}, got `,
    );
  });

  it("PR1: unknown prompts", () => {
    expect(making({ tasks: [task("a")], prompts: { slices: { nope: "x" } } })).toThrow(
      'prompts have no key "nope"',
    );
  });

  it.each([
    [{ description: " " }, "task.description must be a text that is not empty"],
    [{ expectedOutput: undefined }, "task.expectedOutput must be a text, got undefined"],
    [{ id: "x" }, 'may_not_set_field: task "t": a task\'s id is generated and cannot be set'],
    [{ tools: ["search"] }, 'task "t": tools[0] must be made with tool(), got "search"'],
    [{ output: z.object({ at: z.date() }) }, "has no JSON Schema"],
  ])("a task with %j", (options, message) => {
    expect(
      () => new Task({ name: "t", description: "d", expectedOutput: "e", ...options } as never),
    ).toThrow(message);
  });

  it("has the agents in `agents` and those of its tasks, each once", () => {
    const other = scriptedAgent([], { role: "Other" }).agent;
    expect(new Crew({ agents: [other, agent], tasks: [task("a"), taskFor(other)] }).agents).toEqual(
      [other, agent],
    );
    expect(new Crew({ tasks: [task("a"), taskFor(other)] }).agents).toEqual([agent, other]);
  });

  it("fetchInputs() returns the placeholders of all texts, file names and the manager's included", () => {
    const managerAgent = scriptedAgent([], { role: "Chief of {house}" }).agent;
    const crew = new Crew({
      process: "hierarchical",
      managerAgent,
      tasks: [task("a", { description: 'Do {x}, not {"y": 1}', outputFile: "{day}/a.txt" })],
    });
    expect(crew.fetchInputs()).toEqual(new Set(["x", "day", "house"]));
  });

  it("DC10: task keys come from names or descriptions, and equal ones are numbered", () => {
    const keys = new Crew({
      tasks: [
        task("Find it"),
        task("Find it"),
        taskFor(agent, { description: "Write the report, in short words please" }),
        task("a/b"),
      ],
    }).taskKeys;
    expect(keys).toEqual([
      "task:Find-it",
      "task:Find-it~2",
      "task:write-the-report-in-short",
      "task:a%2Fb",
    ]);
  });
});
