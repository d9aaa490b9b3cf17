import { describe, expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import * as z from "zod";
import {
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  taskFor,
  toldTo,
} from "../../support/crew-harness.ts";

const plansOf = (...plans: ReadonlyArray<readonly [number, string]>): string =>
  JSON.stringify({
    list_of_plans_per_task: plans.map(([number, plan]) => ({
      task_number: number,
      task: "t",
      plan,
    })),
  });

function planned(script: Script, options: Partial<CrewOptions> = {}) {
  const planner = scriptedModel(script);
  const search = tool({
    name: "Web search",
    description: "S.",
    input: z.object({}),
    run: () => "",
  });
  const a = scriptedAgent(() => "out A", { role: "Scout", goal: "Look", tools: [search] });
  const b = scriptedAgent(() => "out B", { role: "Writer", goal: "Write {topic}" });
  const crew = new Crew({
    name: "mine",
    planning: true,
    planningLlm: planner,
    tasks: [
      taskFor(a.agent, { name: "A", description: "Study {topic}", expectedOutput: "Facts" }),
      taskFor(b.agent, { name: "B", description: "Write it up" }),
    ],
    ...options,
  });
  return { crew, planner, a, b };
}

describe("a crew with planning", () => {
  it("calls its stepCallback for the agents' steps, and not for the plan", async () => {
    const steps: string[] = [];
    const { crew } = planned([plansOf([1, "search"], [2, "write"])], {
      stepCallback: ({ agentRole }) => steps.push(agentRole),
    });
    await runCrewToEnd(crew, { topic: "tea" });
    expect(steps).toEqual(["Scout", "Writer"]);
  });

  it("plans all tasks before the first, and gives each agent its plan", async () => {
    const { crew, planner, a, b } = planned([plansOf([1, "1. search"], [2, "1. write"])]);
    const { result, kept } = await runCrewToEnd(crew, { topic: "tea" });
    const asked = lastTold(planner, 0);
    expect(asked).toContain(
      "Task 1: Study tea\nExpected result: Facts\nAgent: Scout, whose goal is: Look\nTools: \n- web_search: ",
    );
    expect(asked).toContain("Task 2: Write it up");
    expect(asked).toContain("whose goal is: Write tea\nTools: none");
    expect(planner.calls[0]?.request.responseSchema?.schema).toMatchObject({
      required: ["list_of_plans_per_task"],
    });
    expect(lastTold(a.model, 0)).toMatch(
      /^Study tea\n\nA plan for this task:\n<plan>\n1. search\n/,
    );
    expect(lastTold(b.model, 0)).toContain("<plan>\n1. write\n</plan>");
    expect(crew.tasks[0]?.description).toBe("Study {topic}");
    expect(result.tasks[0]).toMatchObject({ name: "A", description: "Study tea" });
    expect(kept("agent_execution_started")[0]).toMatchObject({
      agentRole: "Planner",
      path: "planning",
    });
  });

  it("counts the usage of the plan", async () => {
    const { crew } = planned([plansOf([1, "x"])]);
    const { result, handle } = await runCrewToEnd(crew, { topic: "tea" });
    expect(result.usage).toEqual((await handle.status()).usage);
    expect(result.usage.requests).toBe(3);
  });

  it("continues without plans for some tasks; of two for one the first counts; plans for unknown tasks are ignored", async () => {
    const { crew, a, b } = planned([plansOf([2, "first"], [2, "second"], [9, "nobody's"])]);
    await runCrewToEnd(crew, { topic: "tea" });
    expect(lastTold(a.model, 0)).not.toContain("<plan>");
    expect(lastTold(b.model, 0)).toContain("<plan>\nfirst\n</plan>");
    expect(lastTold(b.model, 0)).not.toContain("second");
  });

  it("begins with its own text at each kickoff: plans do not pile up", async () => {
    const { crew, a } = planned(() => plansOf([1, "the plan"]));
    await runCrewToEnd(crew);
    await runCrewToEnd(crew);
    expect(lastTold(a.model, 1).split("the plan")).toHaveLength(2);
  });

  it("fails with the fault when the planner returns no plans", async () => {
    const { crew, a } = planned(() => "I would rather not");
    const { error, kept } = await runCrewToFailure(crew);
    expect(error).toMatchObject({
      code: "output_invalid",
      message: expect.stringMatching(/^crew "mine" could not be planned: .*does not fit/),
    });
    expect(kept("task_started")).toEqual([]);
    expect(kept("crew_kickoff_failed")).toHaveLength(1);
    expect(a.model.calls).toEqual([]);
  });

  it("takes the planner's texts from the prompts", async () => {
    const { crew, planner } = planned([plansOf([1, "Go."])], {
      prompts: {
        crewPlanner: {
          role: "Strategist",
          request: "PLAN {tasks}",
          task: "T{number}",
          expectedOutput: "PLANS",
        },
        slices: { taskPlan: "never" },
      },
    });
    await runCrewToEnd(crew);
    expect(toldTo(planner, 0)[0]?.content).toContain("You are Strategist.");
    expect(lastTold(planner, 0)).toMatch(/^PLAN T1\n\nT2\n\nExpected result: PLANS\n/);
  });

  it("continues without plans when the planner returns an empty list", async () => {
    const { crew, planner } = planned([plansOf()]);
    await runCrewToEnd(crew, { topic: "tea" });
    expect(planner.calls).toHaveLength(1);
  });
});
