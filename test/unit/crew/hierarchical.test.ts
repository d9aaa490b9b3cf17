import { describe, expect, it } from "vitest";
import type { AgentOptions } from "../../../src/agent/description/agent.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { TaskOutput } from "../../../src/crew/tasks/task-output.ts";
import type { ToolSpec } from "../../../src/llm/language-model.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import * as z from "zod";
import {
  acting,
  calling,
  keysOf,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  startCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
  type Output,
} from "../../support/crew-harness.ts";

const DELEGATE = "delegate_work_to_coworker";
const ASK = "ask_question_to_coworker";

const delegating = (args: JsonObject | string): ScriptedReply => calling(DELEGATE, args);
const toThe = (coworker: string): JsonObject => ({ task: "dig", context: "all of it", coworker });

/** A hierarchical crew of a researcher and a writer, with one task without an agent. */
function managed(script: readonly ScriptedReply[], options: Partial<CrewOptions> = {}) {
  const manager = scriptedModel(script);
  const researcher = scriptedAgent(() => "facts", { role: "Senior Researcher" });
  const writer = scriptedAgent(() => "prose", { role: "Writer" });
  const crew = new Crew({
    process: "hierarchical",
    managerLlm: manager,
    agents: [researcher.agent, writer.agent],
    tasks: [taskFor(undefined, { name: "work" })],
    ...options,
  });
  return { crew, manager, researcher, writer };
}

const offered = (model: ScriptedModel, call = 0) => model.calls[call]?.request.tools ?? [];
/** The roles in a delegation tool's schema. */
const rolesOf = (spec: ToolSpec | undefined): readonly string[] => {
  const { properties } = (spec?.parameters ?? {}) as {
    properties?: { coworker: { enum: string[] } };
  };
  return properties?.coworker.enum ?? [];
};
const coworkersIn = (model: ScriptedModel): readonly string[] => rolesOf(offered(model)[0]);
const outputOf = (result: Output): TaskOutput => result.tasks[0] as unknown as TaskOutput;

describe("a hierarchical crew", () => {
  it("CR5: lets a manager do its tasks, with work for agents and their answers", async () => {
    const { crew, manager, researcher } = managed([delegating(toThe("Senior Researcher")), "done"]);
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("done");
    expect(lastTold(manager, 1)).toBe("facts");
    const asked = lastTold(researcher.model, 0);
    expect(asked).toMatch(/^dig\n/);
    expect(asked).toContain("<context>\nall of it\n</context>");
    expect(asked).toContain("Your complete answer to what your coworker asks");
    expect(toldTo(manager, 0)[0]?.content).toContain("You are Crew Manager.");
  });

  it("reports the output as the manager's, with its agents and its usage", async () => {
    const { crew } = managed([
      delegating(toThe("Writer")),
      calling(ASK, { question: "why?", context: "", coworker: "Senior Researcher" }),
      calling("nothing_of_the_kind"),
      "done",
    ]);
    const { result, handle } = await runCrewToEnd(crew);
    expect(outputOf(result)).toMatchObject({
      agent: "Crew Manager",
      processedByAgents: ["Crew Manager", "Writer", "Senior Researcher"],
      delegations: 2,
      usedTools: 2,
      toolsErrors: 0,
    });
    const { usage } = await handle.status();
    expect(usage.requests).toBe(6);
    expect(outputOf(result).usage).toEqual(usage);
  });

  it("ends with the manager's own answer without delegation", async () => {
    const { crew, writer } = managed(["I did it myself"]);
    expect((await runCrewToEnd(crew)).result.raw).toBe("I did it myself");
    expect(writer.model.calls).toEqual([]);
  });

  it("names the coworkers in the tools' schema and descriptions", async () => {
    const { crew, manager } = managed(["done"]);
    await runCrewToEnd(crew);
    expect(offered(manager).map(({ name }) => name)).toEqual([DELEGATE, ASK]);
    expect(coworkersIn(manager)).toEqual(["Senior Researcher", "Writer"]);
    expect(offered(manager)[1]?.description).toContain("Senior Researcher, Writer");
  });

  it("CW5: limits the manager to a task's agent for delegation", async () => {
    const { agent } = scriptedAgent(() => "prose", { role: "Writer" });
    const { crew, manager } = managed(["done"], {
      tasks: [taskFor(agent, { name: "work" })],
    });
    await runCrewToEnd(crew);
    expect(coworkersIn(manager)).toEqual(["Writer"]);
  });

  it("gives the manager the tools of a task, and not those of the task's agent", async () => {
    const named = (name: string) =>
      tool({ name, description: "D.", input: z.object({}), run: () => name });
    const { agent } = scriptedAgent(() => "x", { role: "Writer", tools: [named("pen")] });
    const { crew, manager } = managed(["one", "two"], {
      tasks: [
        taskFor(agent, { name: "plain" }),
        taskFor(agent, { name: "tooled", tools: [named("search"), named(DELEGATE)] }),
      ],
    });
    await runCrewToEnd(crew);
    expect(offered(manager, 0).map(({ name }) => name)).toEqual([DELEGATE, ASK]);
    expect(offered(manager, 1).map(({ name }) => name)).toEqual(["search", DELEGATE, ASK]);
    expect(offered(manager, 1)[1]?.description).toContain("Give a piece of work");
  });

  it("accepts a custom manager, filled from the inputs like all agents", async () => {
    const { agent, model } = scriptedAgent(["done"], { role: "Chief of {topic}" });
    const { crew } = managed([], { managerAgent: agent });
    const { result } = await runCrewToEnd(crew, { topic: "tea" });
    expect(result.tasks[0]?.agent).toBe("Chief of tea");
    expect(toldTo(model, 0)[0]?.content).toContain("You are Chief of tea.");
    expect(coworkersIn(model)).toEqual(["Senior Researcher", "Writer"]);
    expect(crew.placeholders).toEqual(["topic"]);
    expect(crew.tasks[0]?.agent).toBeUndefined();
  });

  it("takes the manager's texts from the prompts", async () => {
    const { crew, manager } = managed(["done"], {
      prompts: { hierarchicalManagerAgent: { role: "Boss", backstory: "Born to lead." } },
    });
    const { result } = await runCrewToEnd(crew);
    expect(result.tasks[0]?.agent).toBe("Boss");
    expect(toldTo(manager, 0)[0]?.content).toContain("Born to lead.");
  });

  it("shows delegated work as agents within the tool call, without tasks of its own", async () => {
    const { crew } = managed([delegating(toThe("Writer")), "done"]);
    const { kept } = await runCrewToEnd(crew);
    const place = `task:work/turn:1/tool:${DELEGATE}#0`;
    const [, inner] = kept("agent_execution_started");
    expect(inner).toMatchObject({
      agentRole: "Writer",
      taskName: "work",
      path: `${place}/agent:Writer`,
      parentId: `${place}:tool_usage_started`,
    });
    expect(kept("task_started")).toHaveLength(1);
    expect(kept("agent_execution_completed")).toMatchObject([
      { agentRole: "Writer" },
      { agentRole: "Crew Manager" },
    ]);
  });

  it("gathers asynchronous tasks and passes context on as a sequential one does", async () => {
    const { crew, manager } = managed([], {
      managerLlm: scriptedModel(({ messages }) => `did ${messages.at(-1)?.content.split("\n")[0]}`),
      tasks: ["one", "two", "three"].map((name) =>
        taskFor(undefined, { name, description: name, asyncExecution: name === "two" }),
      ),
    });
    const { result } = await runCrewToEnd(crew);
    expect(result.tasks.map(({ raw }) => raw)).toEqual(["did one", "did two", "did three"]);
    expect(manager.calls).toEqual([]);
  });

  it("serves any number of runs at once, with roles of their own", async () => {
    const { agent } = scriptedAgent(() => "ok", { role: "Expert on {topic}" });
    const crew = new Crew({
      process: "hierarchical",
      managerLlm: scriptedModel(({ messages, tools = [] }) => {
        const [role = ""] = rolesOf(tools[0]);
        return messages.at(-1)?.role === "tool" ? "done" : delegating(toThe(role));
      }),
      agents: [agent],
      tasks: [taskFor(undefined, { name: "work" })],
    });
    const topics = ["tea", "bees", "stars"];
    const outputs = await Promise.all(topics.map((topic) => crew.kickoff({ inputs: { topic } })));
    expect(outputs.map(({ tasks }) => tasks[0]?.processedByAgents[1])).toEqual(
      topics.map((topic) => `Expert on ${topic}`),
    );
  });
});

describe("delegation", () => {
  it.each<[string, JsonObject | string]>([
    ['DE1: case, quotes and spaces: " "Senior  RESEARCHER" "', toThe(' "Senior  RESEARCHER" ')],
    ["a slug", toThe("senior_researcher")],
    ["a slug in camel case", toThe("SeniorResearcher")],
    ["the first word of one role alone", toThe("senior")],
    ["a list", { ...toThe(""), coworker: ["Senior Researcher", "Writer"] }],
    ["DE1: a list as text", toThe("[Senior Researcher, Writer]")],
    ["a list as JSON text", toThe('["senior researcher", "Writer"]')],
    ["an object", { ...toThe(""), coworker: { role: "Senior Researcher" } }],
    ["an object as JSON text", toThe('{"role": "Senior Researcher"}')],
    ["co_worker", { task: "dig", context: "all of it", co_worker: "Senior Researcher" }],
    [
      "names in other spellings",
      { Task: "dig", Context: "all of it", CoWorker: "senior researcher" },
    ],
    ["JSON in a string", JSON.stringify(JSON.stringify(toThe("Senior Researcher")))],
    ["JSON in an argument", { input: JSON.stringify(toThe("Senior Researcher")) }],
    ["JSON in the argument itself", { task: JSON.stringify(toThe("Senior Researcher")) }],
    [
      "Python's JSON in an argument",
      { arguments: "{'task': 'dig', 'context': 'all of it', 'coworker': 'Senior Researcher'}" },
    ],
    ["an object in an argument", { arguments: toThe("Senior Researcher") }],
    [
      "the other tool's name for the work",
      { question: "dig", context: "all of it", coworker: "Senior Researcher" },
    ],
  ])("finds the coworker and the work in unclean model output: %s", async (_, args) => {
    const { crew, manager, researcher } = managed([delegating(args), "done"]);
    await runCrewToEnd(crew);
    expect(lastTold(manager, 1)).toBe("facts");
    expect(lastTold(researcher.model, 0)).toMatch(/^dig\n[^]*all of it/);
  });

  it("works in the text form of tool use, with unclean calls of weak models", async () => {
    const manager = scriptedModel(
      [
        acting(
          "Delegate work to coworker",
          "{'task': 'dig', 'context': 'all', 'coworker': 'researcher'}",
        ),
        acting(
          "delegate_work",
          "{'task': 'dig', 'context': 'all', 'coworker': '\"SENIOR RESEARCHER\"'}",
        ),
        acting(
          "Delegate work to co-worker",
          '{"task": "dig", "context": "all", "coworker": "senior researcher"}',
        ),
        "Final Answer: done",
      ],
      TEXT_ONLY,
    );
    const { crew, researcher } = managed([], { managerLlm: manager });
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("done");
    expect(researcher.model.calls).toHaveLength(1);
    expect(
      toldTo(manager, 3)
        .map(({ content }) => content)
        .join(),
    ).toContain("Observation: facts");
  });

  it("DE2: an unknown coworker is answered with the names of the coworkers, also a second time", async () => {
    const { crew, manager } = managed([
      delegating(toThe("Researcher")),
      delegating(toThe("Senior Research")),
      delegating({ task: "dig", context: "" }),
      "done",
    ]);
    const { result, kept } = await runCrewToEnd(crew);
    for (const call of [1, 2, 3])
      expect(lastTold(manager, call)).toBe(
        "Error: there is no such coworker. Choose one of: Senior Researcher, Writer",
      );
    expect(result.raw).toBe("done");
    expect(kept("tool_usage_error")).toEqual([]);
    expect(outputOf(result).delegations).toBe(0);
  });

  it("DE2: a prefix of two roles, or one within a word, matches no coworker", async () => {
    const roles = ["Senior Researcher", "Senior Writer", "Reviewer"];
    const manager = scriptedModel(
      ["Senior", "Review"].map((name) => delegating(toThe(name))).concat("done"),
    );
    const crew = new Crew({
      process: "hierarchical",
      managerLlm: manager,
      agents: roles.map((role) => scriptedAgent([], { role }).agent),
      tasks: [taskFor(undefined)],
    });
    await runCrewToEnd(crew);
    expect(lastTold(manager, 1)).toContain(roles.join(", "));
    expect(lastTold(manager, 2)).toContain(roles.join(", "));
  });

  it("the only coworker need not be named", async () => {
    const { agent } = scriptedAgent(["prose"], { role: "Writer" });
    const { crew, manager } = managed([delegating({ task: "dig" }), "done"], {
      agents: [agent],
    });
    await runCrewToEnd(crew);
    expect(lastTold(manager, 1)).toBe("prose");
  });

  it("without a task is refused with the required arguments", async () => {
    const { crew, manager } = managed([delegating({ coworker: "Writer", task: " " }), "done"]);
    await runCrewToEnd(crew);
    expect(lastTold(manager, 1)).toContain("task must be a text that is not empty");
  });

  it("DE2: with an error is a text for the manager, and its usage is counted", async () => {
    const { agent } = scriptedAgent(
      [
        { toolCalls: [{ name: "x", arguments: {} }] },
        { error: new EngineError("model_rejected", "no credit") },
      ],
      { role: "Writer" },
    );
    const { crew, manager } = managed([delegating(toThe("Writer")), "done"], { agents: [agent] });
    const { result, kept } = await runCrewToEnd(crew);
    expect(lastTold(manager, 1)).toBe('Error: the coworker "Writer" could not do this: no credit');
    expect(kept("agent_execution_error")).toMatchObject([{ agentRole: "Writer" }]);
    expect(outputOf(result).usage.requests).toBe(3);
  });

  it("takes no longer than the manager may", async () => {
    const slow = tool({
      name: "slow",
      description: "Slow.",
      input: z.object({}),
      run: async (_, { sleep }) => sleep("a", 61_000),
    });
    const writer = scriptedAgent([calling("slow"), "late"], { role: "Writer", tools: [slow] });
    const chief = scriptedAgent([delegating(toThe("Writer"))], {
      role: "Chief",
      maxExecutionTime: 60,
    });
    const { crew } = managed([], { managerAgent: chief.agent, agents: [writer.agent] });
    const run = startCrew(crew);
    expect(await run.settle()).toMatchObject({
      status: "failed",
      error: { code: "timeout", message: expect.stringContaining('"Chief"') },
    });
    expect(writer.model.calls).toHaveLength(1);
  });

  it("takes no longer than the coworker's time limit, and the limit is a text for the manager", async () => {
    const slow = tool({
      name: "slow",
      description: "Slow.",
      input: z.object({}),
      run: async (_, { sleep }) => sleep("a", 61_000),
    });
    const { agent } = scriptedAgent([calling("slow"), "late"], {
      role: "Writer",
      tools: [slow],
      maxExecutionTime: 60,
    });
    const { crew, manager } = managed([delegating(toThe("Writer")), "done"], { agents: [agent] });
    expect((await runCrewToEnd(crew)).result.raw).toBe("done");
    expect(lastTold(manager, 1)).toContain('agent "Writer" did not finish');
  });

  it("stays within the run's budget", async () => {
    const { crew } = managed([delegating(toThe("Writer")), "done"], { maxTokens: 1 });
    expect(await startCrew(crew).settle()).toMatchObject({ error: { code: "budget_exceeded" } });
  });

  it.each([
    ["tool cache", { cache: true }, { looks: 1, last: "seen 1", waitedMs: 0 }],
    ["rate limit", { maxRpm: 4 }, { looks: 2, last: "seen 2", waitedMs: 60_000 }],
  ])("shares the crew's %s", async (_, options, expected) => {
    let looks = 0;
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => `seen ${++looks}`,
    });
    const { agent, model } = scriptedAgent(
      ({ messages }) => (messages.at(-1)?.role === "tool" ? "ok" : calling("look")),
      { role: "Writer", tools: [look] },
    );
    const script = [delegating(toThe("Writer")), delegating(toThe("Writer")), "done"];
    const { crew } = managed(script, { agents: [agent], ...options });
    const run = await runCrewToEnd(crew);
    const waitedMs = run.clock.now() - Date.UTC(2026, 0, 1);
    expect({ looks, last: lastTold(model, 3), waitedMs }).toEqual(expected);
  });

  it("eight at once are executed, although only five calls may run at once", async () => {
    const { agent, model } = scriptedAgent(
      ({ messages }) => (messages.at(-1)?.role === "tool" ? "ok" : calling("look")),
      {
        role: "Writer",
        tools: [tool({ name: "look", description: "L.", input: z.object({}), run: () => "seen" })],
      },
    );
    const eight = {
      toolCalls: Array.from({ length: 8 }, () => ({ name: DELEGATE, arguments: toThe("Writer") })),
    };
    const { crew, manager } = managed([eight, "done"], { agents: [agent] });
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("done");
    expect(model.calls).toHaveLength(16);
    expect(new Set(keysOf(model)).size).toBe(16);
    expect(
      toldTo(manager, 1).filter(({ role, content }) => role === "tool" && content === "ok"),
    ).toHaveLength(8);
  });

  it("lets a coworker wait for a person, and continues with the answer", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      effect: "once",
      run: async (_, { wait }) =>
        (await wait<{ feedback: string }>("person", { kind: "human", prompt: "Well?" })).feedback,
    });
    const writer = scriptedAgent([calling("ask"), "answered"], { role: "Writer", tools: [ask] });
    const { crew, manager } = managed([delegating(toThe("Writer")), "done"], {
      agents: [writer.agent],
    });
    const run = startCrew(crew);
    expect((await run.settle()).status).toBe("waiting");
    await run.handle.resume({ feedback: "yes" });
    const result = await run.output();
    expect(lastTold(writer.model, 1)).toBe("yes");
    expect(lastTold(manager, 1)).toBe("answered");
    expect(writer.model.calls).toHaveLength(2);
    expect(outputOf(result).usage.requests).toBe(4);
  });
});

describe("delegating agents in a sequential crew", () => {
  const named = (role: string, options: Partial<AgentOptions> = {}) =>
    scriptedAgent(["done"], { role, ...options });

  it("get the tools for all others, beside their own", async () => {
    const own = tool({ name: "own", description: "O.", input: z.object({}), run: () => "" });
    const a = named("A", { allowDelegation: true, tools: [own] });
    const b = named("B");
    const crew = new Crew({
      agents: [b.agent, named("C").agent],
      tasks: [taskFor(a.agent), taskFor(b.agent)],
    });
    await runCrewToEnd(crew);
    expect(offered(a.model).map(({ name }) => name)).toEqual(["own", DELEGATE, ASK]);
    expect(offered(a.model)[1]?.description).toContain(
      "B (goal: Find facts); C (goal: Find facts)",
    );
    expect(offered(b.model)).toEqual([]);
    expect(a.agent.tools).toEqual([own]);
  });

  it("CW6: get none without a coworker", async () => {
    const { agent, model } = named("A", { allowDelegation: true });
    await runCrewToEnd(new Crew({ tasks: [taskFor(agent)] }));
    expect(offered(model)).toEqual([]);
  });

  it("DE4: hand work on three deep and no deeper", async () => {
    const tools: string[][] = [];
    const handsOn = (role: string, to: string) =>
      scriptedAgent(
        ({ messages, tools: offers = [] }) => {
          if (messages.at(-1)?.role === "tool") return `${role} heard ${messages.at(-1)?.content}`;
          tools.push(offers.map(({ name }) => name));
          return offers.length > 0 ? delegating(toThe(to)) : `${role} did it`;
        },
        { role, allowDelegation: true },
      ).agent;
    const crew = new Crew({
      agents: [handsOn("B", "A")],
      tasks: [taskFor(handsOn("A", "B"), { name: "work" })],
    });
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("A heard B heard A heard B did it");
    expect(tools.map(({ length }) => length)).toEqual([2, 2, 2, 0]);
    expect(outputOf(result)).toMatchObject({
      processedByAgents: ["A", "B"],
      delegations: 3,
      usage: { requests: 7 },
    });
  });
});
