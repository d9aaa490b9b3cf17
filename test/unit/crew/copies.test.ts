// Copies of agents and tasks, and outputs as texts.
import { expect, it } from "vitest";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";

it("copies an agent and a task with some options changed", () => {
  const { agent } = scriptedAgent(() => "done", { role: "Writer", maxIter: 3 });
  const other = agent.copy({ role: "Editor" });
  expect([other.role, other.maxIter, other.llm, agent.role]).toEqual([
    "Editor",
    3,
    agent.llm,
    "Writer",
  ]);
  const task = taskFor(agent, { name: "write", description: "Write" });
  const copy = task.copy({ name: "edit", agent: other });
  expect([copy.name, copy.description, copy.agent, task.name]).toEqual([
    "edit",
    "Write",
    other,
    "write",
  ]);
  expect(() => task.copy({ expectedOutput: 1 as never })).toThrow(/expectedOutput must be a text/);
});

it("copies a conditional task with its condition", () => {
  const condition = (): boolean => true;
  const task = new ConditionalTask({ description: "d", expectedOutput: "e", condition });
  const copy = task.copy({ description: "other" });
  expect(copy).toBeInstanceOf(ConditionalTask);
  expect([copy.description, copy.condition]).toEqual(["other", condition]);
});

it("shows the text of a crew's output and of its tasks' outputs as a text", async () => {
  const { agent } = scriptedAgent(() => "done");
  const output = await new Crew({ tasks: [taskFor(agent)] }).kickoff();
  const texts = [output, ...output.tasks].map((each: { toString(): string }) => each.toString());
  expect(texts).toEqual(["done", "done"]);
  expect(Object.keys(output)).not.toContain("toString");
});
