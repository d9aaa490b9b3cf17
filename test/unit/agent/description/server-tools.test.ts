import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../../src/crew/definition/crew-definition.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import type { ScriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import type { ToolSource } from "../../../../src/tools/tool-source.ts";
import { tool, type Tool } from "../../../../src/tools/tool.ts";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { calling, scriptedAgent, soloCrew, taskFor } from "../../../support/crew-harness.ts";

const named = (name: string, said = name): Tool =>
  tool({ name, description: `Does ${name}.`, input: z.object({}), run: () => said });

/** A server with tools, which notes for whom it was opened. */
function server(
  name: string,
  tools: readonly Tool[] = [named(`${name}_look`)],
): ToolSource & { readonly openedFor: string[] } {
  const openedFor: string[] = [];
  return {
    name,
    openedFor,
    open: async (place, { agentRole }) => {
      openedFor.push(agentRole);
      return place.callOnce(async () => null).then(() => tools);
    },
  };
}

const offered = ({ calls }: ScriptedModel): (readonly string[])[] =>
  calls.map(({ request }) => (request.tools ?? []).map(({ name }) => name));

describe("servers of agents, crews and tasks", () => {
  it("SVT1: an agent has the tools of its own, its crew's, and for one task the task's", async () => {
    const [own, ofCrew, ofTask] = [server("own"), server("crew"), server("task")];
    const first = scriptedAgent(() => "one", { role: "First", mcps: [own, ofCrew] });
    const second = scriptedAgent(() => "two", { role: "Second" });
    const crew = new Crew({
      mcps: [ofCrew],
      tasks: [
        taskFor(first.agent, { mcps: [ofTask, own] }),
        taskFor(second.agent),
        taskFor(first.agent),
      ],
    });
    await crew.kickoff();
    expect(offered(first.model)).toEqual([
      ["own_look", "crew_look", "task_look"],
      ["own_look", "crew_look"],
    ]);
    expect(offered(second.model)).toEqual([["crew_look"]]);
    expect([own.openedFor, ofCrew.openedFor, ofTask.openedFor]).toEqual([
      ["First"],
      ["First", "Second"],
      ["First"],
    ]);
  });

  it("SVT1: a required server that is down ends the run before a model call", async () => {
    const down: ToolSource = { name: "down", open: () => Promise.reject(new Error("is down")) };
    for (const place of ["agent", "crew", "task"]) {
      const mcps = [down];
      const { agent, model } = scriptedAgent(() => "x", place === "agent" ? { mcps } : {});
      const crew = new Crew({
        ...(place === "crew" ? { mcps } : undefined),
        tasks: [taskFor(agent), taskFor(agent, place === "task" ? { mcps } : {})],
      });
      await expect(crew.kickoff()).rejects.toThrow("is down");
      expect(model.calls).toEqual([]);
    }
  });

  it("gives a crew's servers to its agents, and not to the manager, who gets the task's servers", async () => {
    const [ofCrew, ofTask] = [server("crew"), server("task")];
    const manager = scriptedAgent(() => "done", { role: "Boss", allowDelegation: true });
    const worker = scriptedAgent(() => "work", { role: "Worker" });
    const crew = new Crew({
      process: "hierarchical",
      managerAgent: manager.agent,
      agents: [worker.agent],
      mcps: [ofCrew],
      tasks: [taskFor(undefined, { mcps: [ofTask] })],
    });
    await crew.kickoff();
    expect(ofCrew.openedFor).toEqual(["Worker"]);
    expect(ofTask.openedFor).toEqual(["Boss"]);
    expect(offered(manager.model)[0]).toContain("task_look");
    expect(offered(manager.model)[0]).not.toContain("crew_look");
  });

  it("does not give a task's servers to a coworker with a delegated task", async () => {
    const ofTask = server("task");
    const coworker = scriptedAgent(() => "helped", { role: "Helper" });
    const boss = scriptedAgent(
      ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? "done"
          : calling("ask_question_to_coworker", {
              coworker: "Helper",
              question: "What?",
              context: "None",
            }),
      { role: "Asker", allowDelegation: true },
    );
    const crew = new Crew({
      agents: [boss.agent, coworker.agent],
      tasks: [taskFor(boss.agent, { mcps: [ofTask] })],
    });
    await crew.kickoff();
    expect(offered(boss.model)[0]).toContain("task_look");
    expect(offered(coworker.model)).toEqual([[]]);
  });

  it("SVT2: offers two tools of one name, and runs the later one as `_2`", async () => {
    const mcps = [server("a", [named("look", "a's")]), server("b", [named("look", "b's")])];
    const { agent, model } = scriptedAgent(
      ({ messages }) => {
        const results = messages.filter(({ role }) => role === "tool");
        const names = ["look", "look_2", "look_3"];
        const next = names[results.length];
        return next === undefined ? results.map(({ content }) => content).join() : calling(next);
      },
      { tools: [named("look", "mine")], mcps },
    );
    const { raw } = await soloCrew(agent).kickoff();
    expect(offered(model)[0]).toEqual(["look", "look_2", "look_3"]);
    expect(raw).toBe("mine,a's,b's");
  });

  it.each([[{ agent: 100, crew: 29, task: 0 }], [{ agent: 60, crew: 60, task: 9 }]])(
    "SVT3: more tools than models take are refused before one is asked: %j",
    async (counts) => {
      const many = (name: string, count: number): ToolSource =>
        server(
          name,
          Array.from({ length: count }, (_, index) => named(`${name}_${index}`)),
        );
      const { agent, model } = scriptedAgent(() => "x", { mcps: [many("a", counts.agent)] });
      const crew = new Crew({
        mcps: [many("c", counts.crew)],
        tasks: [taskFor(agent, { mcps: [many("t", counts.task)] })],
      });
      await expect(crew.kickoff()).rejects.toMatchObject({
        code: "invalid_definition",
        message: expect.stringMatching(/129 tools of servers.*128.*tool_filter/),
      });
      expect(model.calls).toEqual([]);
    },
  );
});

describe("servers among tools", () => {
  it("are allowed in `tools` of agents, tasks and members of conversations", async () => {
    const [ofAgent, ofTask] = [server("agent"), server("task")];
    const { agent, model } = scriptedAgent(() => "x", { tools: [named("mine"), ofAgent] });
    expect(agent.tools.map(({ name }) => name)).toEqual(["mine"]);
    const crew = new Crew({
      tasks: [taskFor(agent), taskFor(agent, { tools: [named("theirs"), ofTask] })],
    });
    await crew.kickoff();
    expect(offered(model)).toEqual([
      ["mine", "agent_look"],
      ["theirs", "agent_look", "task_look"],
    ]);
    const member = new ConversableAgent({ name: "clerk", tools: [named("mine"), ofAgent] });
    expect(member.offeredTools.map(({ name }) => name)).toEqual(["mine"]);
    expect(member.inner.mcps).toEqual([ofAgent]);
  });

  it("replace the agent's tools when a task has only a server", async () => {
    const { agent, model } = scriptedAgent(() => "x", { tools: [named("mine")] });
    await soloCrew(agent, { tools: [server("task")] }).kickoff();
    expect(offered(model)).toEqual([["task_look"]]);
  });
});

describe("servers in definitions", () => {
  const agents = {
    clerk: {
      role: "Clerk",
      goal: "Help",
      backstory: "Calm",
      llm: "offline/demo",
      mcps: ["https://a.example.com/mcp"],
    },
  };

  it("are read at crews, agents and tasks, in snake_case", () => {
    const crew = crewFromDefinition(
      readCrewDefinition({
        mcps: ["notion"],
        agents,
        tasks: [
          {
            description: "Do",
            expected_output: "It",
            agent: "clerk",
            mcps: [{ url: "https://b.example.com/mcp", tool_filter: ["x"], connect_timeout: 5 }],
          },
        ],
      }),
    );
    expect(crew.options.mcps).toEqual(["notion"]);
    expect(crew.tasks[0]?.mcps).toEqual([
      { url: "https://b.example.com/mcp", tool_filter: ["x"], connect_timeout: 5 },
    ]);
    expect(crew.agents[0]?.mcps).toEqual(["https://a.example.com/mcp"]);
  });

  it("are refused everywhere as local processes (MC7)", () => {
    const stdio = { command: "npx", args: ["-y", "server"] };
    const refusal = /mcps\[0\].*"MCPServerStdio" is not available here: a Worker starts no proc/;
    const role = { role: "Clerk", goal: "Help", backstory: "Calm" };
    expect(() => new Agent({ ...role, mcps: [stdio] })).toThrow(refusal);
    const agent = new Agent(role);
    const task = { description: "Do", expectedOutput: "It", agent };
    expect(() => new Task({ ...task, mcps: [stdio] })).toThrow(refusal);
    expect(() => new Crew({ mcps: [stdio], tasks: [new Task(task)] })).toThrow(refusal);
    expect(() => new Agent({ ...role, mcps: "https://a.example.com" as never })).toThrow(
      "must be a list of servers",
    );
  });
});
