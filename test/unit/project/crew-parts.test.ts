import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOutput } from "../../../src/crew/tasks/task-output.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import * as parts from "../../../src/project/crew-parts.ts";
import { calculator } from "../../../src/tools/builtin/builtin-tools.ts";

class Newsroom {
  made = 0;

  @parts.tool sums() {
    return calculator;
  }

  @parts.agent reporter() {
    this.made++;
    return new Agent({ role: "Reporter", goal: "Report", backstory: "Fast", llm: "offline/demo" });
  }

  @parts.agent editor() {
    return new Agent({ role: "Editor", goal: "Edit", backstory: "Slow", llm: "offline/demo" });
  }

  @parts.task report() {
    return new Task({
      description: "Report on {topic}",
      expectedOutput: "Text",
      agent: this.reporter(),
    });
  }

  @parts.output Article() {
    return z.object({ title: z.string() });
  }

  @parts.beforeKickoff shout(inputs: JsonObject): JsonObject {
    return { ...inputs, topic: JSON.stringify(inputs["topic"]).toUpperCase() };
  }

  @parts.afterKickoff sign(output: CrewOutput): CrewOutput {
    return { ...output, raw: `${output.raw} (${this.made})` };
  }

  @parts.crew crew() {
    return new Crew({ tasks: [this.report()] });
  }
}

describe("the parts of a crew class", () => {
  it("PP1: makes each part once per instance", () => {
    const [one, other] = [new Newsroom(), new Newsroom()];
    expect(one.reporter()).toBe(one.reporter());
    expect(one.crew()).toBe(one.crew());
    expect(one.made).toBe(1);
    expect(other.reporter()).not.toBe(one.reporter());
  });

  it("PP2: keeps the order of the class, and finds parts by kind and name", () => {
    const room = new Newsroom();
    expect([...parts.partsOf(room, "agent").keys()]).toEqual(["reporter", "editor"]);
    expect(parts.partsOf(room, "agent").get("reporter")?.()).toBe(room.reporter());
    expect(parts.partsOf(room, "tool").get("sums")?.()).toBe(calculator);
    expect([...parts.partsOf(room, "output").keys()]).toEqual(["Article"]);
    expect(parts.partsOf({}, "agent").size).toBe(0);
  });

  it("names the crew after the class and sets its kickoff methods, bound to the instance", async () => {
    const crew = new Newsroom().crew();
    expect(crew.name).toBe("Newsroom");
    const output = await crew.kickoff({ inputs: { topic: "tea" } });
    expect(output.tasks[0]?.description).toBe('Report on "TEA"');
    expect(output.raw).toMatch(/ \(1\)$/);
  });

  it("keeps the crew's own name", () => {
    class Named {
      @parts.crew crew() {
        const agent = new Agent({ role: "R", goal: "G", backstory: "B" });
        return new Crew({
          name: "mine",
          tasks: [new Task({ description: "D", expectedOutput: "E", agent })],
        });
      }
    }
    expect(new Named().crew().name).toBe("mine");
  });

  it("refuses static methods by name", () => {
    expect(() => {
      class Wrong {
        readonly desk = 1;

        @parts.agent static reporter() {
          return new Agent({ role: "R", goal: "G", backstory: "B" });
        }
      }
      return Wrong;
    }).toThrow("@agent needs a public method of the instance, got static reporter");
  });
});
