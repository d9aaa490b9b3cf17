import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { TaskOutput } from "../../../src/crew/tasks/task-output.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { CrewBase } from "../../../src/project/crew-base.ts";
import * as parts from "../../../src/project/crew-parts.ts";
import { tool } from "../../../src/tools/tool.ts";

const agents = `researcher:
  role: "{topic} researcher"
  goal: Find facts
  backstory: Curious
  llm: fast
  tools: [find]
writer:
  role: Writer
  goal: Write
  backstory: Plain
  llm: fast
`;
const tasks = `dig:
  description: Dig into {topic}
  expected_output: Facts
  agent: researcher
report:
  description: Report
  expected_output: A report
  agent: writer
  context: [dig]
  output_json: Article
  callback: heard
`;

class Research extends CrewBase({ agents, tasks }) {
  readonly outputs: unknown[] = [];
  readonly model = scriptedModel(["facts", '{"title":"Tea"}']);

  @parts.llm fast() {
    return this.model;
  }

  @parts.tool find() {
    return tool({ name: "Archive", description: "Finds.", input: z.object({}), run: () => "x" });
  }

  @parts.output Article() {
    return z.object({ title: z.string() });
  }

  @parts.callback heard(output: TaskOutput) {
    this.outputs.push(output.object);
  }

  @parts.agent researcher() {
    return new Agent(this.agentConfig("researcher"));
  }

  @parts.agent writer() {
    return new Agent(this.agentConfig("writer"));
  }

  @parts.task dig() {
    return new Task(this.taskConfig("dig"));
  }

  @parts.task report() {
    return new Task(this.taskConfig("report"));
  }

  @parts.crew crew() {
    return new Crew({ agents: this.agents, tasks: this.tasks });
  }
}

describe("a crew class over its YAML files", () => {
  it("runs with the models, tools, shapes and callbacks of its methods", async () => {
    const research = new Research();
    const crew = research.crew();
    expect(crew.name).toBe("Research");
    expect(research.researcher().tools.map(({ name }) => name)).toEqual(["Archive"]);
    expect(research.report().context).toEqual([research.dig()]);
    const output = await crew.kickoff({ inputs: { topic: "tea" } });
    expect(output.object).toEqual({ title: "Tea" });
    expect(research.outputs).toEqual([{ title: "Tea" }]);
    expect(output.tasks.map(({ name, agent }) => [name, agent])).toEqual([
      ["dig", "tea researcher"],
      ["report", "Writer"],
    ]);
  });

  it("names entries missing from the files or the class", () => {
    class Lacking extends CrewBase({ agents, tasks }) {
      @parts.task report() {
        return new Task(this.taskConfig("report"));
      }
    }
    expect(() => new Lacking().agentConfig("boss")).toThrow(
      'agents.yaml has no "boss"; it has: researcher, writer',
    );
    expect(() => new Lacking().agentConfig("researcher")).toThrow(
      'researcher: unknown tool "find"; registered: none',
    );
    class Shapeless extends CrewBase({ agents, tasks }) {
      @parts.agent writer() {
        return new Agent({ role: "Writer", goal: "Write", backstory: "Plain" });
      }

      @parts.task dig() {
        return new Task({ description: "Dig", expectedOutput: "Facts" });
      }

      @parts.task report() {
        return new Task(this.taskConfig("report"));
      }
    }
    expect(() => new Shapeless().report()).toThrow(
      'report: unknown function "heard"; registered: none',
    );
    class Agentless extends CrewBase({
      agents,
      tasks: tasks.replace("  output_json: Article\n  callback: heard\n", ""),
    }) {
      @parts.task report() {
        return new Task(this.taskConfig("report"));
      }
    }
    expect(() => new Agentless().report()).toThrow("has no method @agent writer(); it has: none");
  });

  it("finds function_calling_llm among its models, and tasks by their key even with another name", () => {
    const calling = agents.replace("tools: [find]", "tools: [find]\n  function_calling_llm: fast");
    const named = tasks.replace("dig:\n", "dig:\n  name: Digging\n");
    class Other extends CrewBase({ agents: calling, tasks: named }) {
      readonly model = scriptedModel([]);

      @parts.llm fast() {
        return this.model;
      }

      @parts.tool find() {
        return new Research().find();
      }

      @parts.output Article() {
        return z.object({ title: z.string() });
      }

      @parts.callback heard() {}

      @parts.agent researcher() {
        return new Agent(this.agentConfig("researcher"));
      }

      @parts.agent writer() {
        return new Agent(this.agentConfig("writer"));
      }

      @parts.task dig() {
        return new Task(this.taskConfig("dig"));
      }

      @parts.task report() {
        return new Task(this.taskConfig("report"));
      }
    }
    const other = new Other();
    expect(other.researcher().functionCallingLlm).toBe(other.model);
    expect(other.dig().name).toBe("Digging");
    expect(other.report().context).toEqual([other.dig()]);
  });

  it("refuses invalid files at the class definition, with line and column", () => {
    expect(() => CrewBase({ agents: agents.replace("goal: Write", "goal: 3"), tasks })).toThrow(
      "agents.yaml:9:3: writer.goal: expected string, got number 3",
    );
  });
});
