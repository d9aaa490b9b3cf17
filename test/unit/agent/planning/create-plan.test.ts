import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import type { PlanningOptions } from "../../../../src/agent/planning/planning-config.ts";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
  keysOf,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
  toldTo,
} from "../../../support/crew-harness.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });
const down = { error: new EngineError("model_failed", "down") };
const textOnlyPlan = (ready: boolean) =>
  calling("create_reasoning_plan", { plan: "think", steps: [], ready });
const handedIn = (args: JsonObject) => calling("create_reasoning_plan", args);

function solo(script: readonly ScriptedReply[], config: PlanningOptions = {}, more = {}) {
  const made = scriptedAgent(script, { planningConfig: config, ...more });
  return { ...made, crew: soloCrew(made.agent) };
}

describe("drafting a plan", () => {
  it("CP1: requests a call, with agent, task, limit and tools in the prompt", async () => {
    const { crew, model } = solo([textOnlyPlan(true), "x"], { maxSteps: 7 }, { tools: [look] });
    await runCrewToEnd(crew);
    const [system, user] = toldTo(model, 0);
    expect(system?.content).toContain("You are Researcher.");
    expect(user?.content).toContain("Do the work");
    expect(user?.content).toContain("at most 7 steps");
    expect(user?.content).toContain("Tool: look");
    const [spec] = model.calls[0]?.request.tools ?? [];
    expect(spec?.name).toBe("create_reasoning_plan");
    expect(Object.keys(spec?.parameters["properties"] as JsonObject)).toEqual([
      "plan",
      "steps",
      "ready",
    ]);
  });

  it("CP2: drafts again until the plan is ready, showing the current draft", async () => {
    const { crew, model } = solo([
      textOnlyPlan(false),
      textOnlyPlan(false),
      textOnlyPlan(true),
      "x",
    ]);
    const run = await runCrewToEnd(crew);
    expect(keysOf(model).slice(0, 3)).toEqual(
      [1, 2, 3].map((attempt) => `task:work/plan/attempt:${attempt}/llm`),
    );
    expect(lastTold(model, 1)).toContain("This plan is not ready:\n<plan>\nthink\n</plan>");
    expect(run.kept("agent_reasoning_completed")).toMatchObject([
      { attempt: 1, ready: false },
      { attempt: 2, ready: false },
      { attempt: 3, ready: true },
    ]);
  });

  it("takes a plan as it is after maxAttempts, and warns", async () => {
    const steps = [{ step_number: 1, description: "a", tool_to_use: null, depends_on: [] }];
    const draft = handedIn({ plan: "think", steps, ready: false });
    const { crew, model } = solo([draft, draft, "x"], { maxAttempts: 2 });
    const run = await runCrewToEnd(crew);
    expect(run.kept("agent_warning")).toMatchObject([
      { message: expect.stringContaining("not ready after 2 attempts") },
    ]);
    expect(run.kept("plan_step_started")).toHaveLength(0);
    expect(lastTold(model, 2)).toContain("Your plan for it:\n<plan>\nthink\n1. a\n</plan>");
  });

  it("drafts at most 20 times without a configured limit", async () => {
    const { crew, model } = solo([...Array.from({ length: 20 }, () => textOnlyPlan(false)), "x"]);
    await runCrewToEnd(crew);
    expect(model.calls).toHaveLength(21);
  });

  it("CP1: a plan in words goes into the prompt, and the work is done as without one", async () => {
    for (const modelOptions of [{}, TEXT_ONLY]) {
      const { crew, model } = solo(
        ["First look. The plan is ready.", "the answer"],
        {},
        { modelOptions },
      );
      const run = await runCrewToEnd(crew);
      expect(run.result.raw).toBe("the answer");
      expect(lastTold(model, 1)).toContain("Do the work");
      expect(lastTold(model, 1)).toContain("<plan>\nFirst look. The plan is ready.\n</plan>");
      expect(keysOf(model)[1]).toBe("task:work/turn:1/llm");
    }
  });

  it("CP2: words without the ready sentence are not ready", async () => {
    const { crew, model } = solo(["Hm.", "Better. The plan is ready.", "x"]);
    await runCrewToEnd(crew);
    expect(model.calls).toHaveLength(3);
  });

  it("CP1: an unreadable call counts as an empty draft, and odd steps are corrected", async () => {
    const { crew, model } = solo([
      calling("create_reasoning_plan", "{{{"),
      "In words. The plan is ready.",
      "x",
    ]);
    await runCrewToEnd(crew);
    expect(keysOf(model)[1]).toBe("task:work/plan/attempt:1/text/llm");
    const odd = handedIn({
      plan: "p",
      ready: true,
      steps: [
        { step_number: 5, description: "a" },
        { description: "b", tool_to_use: "", depends_on: [5, 99] },
        { step_number: 7, description: "c", depends_on: [5, 7.5] },
      ],
    });
    const run = await runCrewToEnd(
      solo([odd, "A", "B", "C", "end"], { reasoningEffort: "low" }).crew,
    );
    expect(run.kept("plan_step_started")).toMatchObject([
      { stepNumber: 1, stepDescription: "a" },
      { stepNumber: 2, stepDescription: "b" },
      { stepNumber: 3, stepDescription: "c" },
    ]);
    // The second and third both build on the first, so they begin together.
    expect(run.kept("plan_step_started", "plan_step_completed").map(({ type }) => type)).toEqual([
      "plan_step_started",
      "plan_step_completed",
      "plan_step_started",
      "plan_step_started",
      "plan_step_completed",
      "plan_step_completed",
    ]);
  });

  it("CP3: a failing model is asked in plain text; after another failure, there is no plan", async () => {
    const once = solo([down, "In words. The plan is ready.", "x"]);
    const first = await runCrewToEnd(once.crew);
    expect(first.kept("agent_reasoning_completed")).toHaveLength(1);
    expect(once.model.calls[1]?.request.tools).toBeUndefined();
    const twice = solo([down, down, "answered all the same"]);
    const second = await runCrewToEnd(twice.crew);
    expect(second.result.raw).toBe("answered all the same");
    expect(second.kept("agent_reasoning_failed")).toMatchObject([{ attempt: 1, error: "down" }]);
    expect(lastTold(twice.model, 2)).not.toContain("plan");
  });

  it("CP3: a refused key ends the task", async () => {
    const refused = { error: new EngineError("model_unauthorized", "no key") };
    const { error } = await runCrewToFailure(solo([refused]).crew);
    expect(error.code).toBe("model_unauthorized");
  });

  it("a configured planner model plans, and the agent's own works", async () => {
    const planner = scriptedAgent([textOnlyPlan(true)]);
    const { crew, model } = solo(["x"], { llm: planner.model });
    await runCrewToEnd(crew);
    expect(planner.model.calls).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
  });

  it("configured texts replace the prompts of the planner", async () => {
    const { crew, model } = solo(
      [textOnlyPlan(false), textOnlyPlan(true), "x"],
      {
        systemPrompt: "S {role} {goal} {backstory}",
        planPrompt: "P {description} | {expected_output} | {tools} | {max_steps}",
        refinePrompt: "R {current_plan}",
      },
      { tools: [look] },
    );
    await runCrewToEnd(crew);
    expect(toldTo(model, 0)[0]?.content).toBe("S Researcher Find facts You read a lot.");
    expect(lastTold(model, 0)).toMatch(/^P Do the work[^]* \| A result \| Tool: look[^]* \| 20\n/);
    expect(lastTold(model, 1)).toMatch(/^R think\n/);
  });
});

describe("asking for planning", () => {
  const made = (options: object) =>
    new Agent({ role: "R", goal: "g", backstory: "b", ...options }).planningConfig;

  it("is the config, or one of the short forms", () => {
    expect(made({})).toBeUndefined();
    expect(made({ planning: true })).toMatchObject({
      reasoningEffort: "low",
      maxAttempts: 1,
      observeSteps: false,
      maxSteps: 20,
      maxReplans: 3,
      maxStepIterations: 15,
      stepTimeout: undefined,
    });
    expect(made({ reasoning: true })).toMatchObject({ reasoningEffort: "medium", maxAttempts: 20 });
    expect(made({ reasoning: true, maxReasoningAttempts: 4 })).toMatchObject({ maxAttempts: 4 });
    expect(made({ planning: true, planningConfig: {} })).toMatchObject({
      reasoningEffort: "medium",
    });
  });

  it.each([
    [
      { planningConfig: { reasoningEffort: "max" } },
      'reasoningEffort must be one of low, medium, high, got "max"',
    ],
    [{ planningConfig: { maxSteps: 0 } }, "maxSteps must be an integer >= 1, got 0"],
    [{ planningConfig: { maxReplans: -1 } }, "maxReplans must be an integer >= 0, got -1"],
    [{ planningConfig: { stepTimeout: 0 } }, "stepTimeout must be a number of seconds > 0, got 0"],
    [{ planningConfig: { observeSteps: "yes" } }, 'observeSteps must be true or false, got "yes"'],
    [{ planningConfig: { planPrompt: 1 } }, "planPrompt must be a text, got 1"],
    [
      { planningConfig: { steps: 1 } },
      'planningConfig has no field "steps"; known: reasoningEffort',
    ],
    [{ planningConfig: true }, "planningConfig must be an object of options, got true"],
    [{ planning: 1 }, "planning must be true or false, got 1"],
    [
      { reasoning: true, maxReasoningAttempts: 0 },
      "maxReasoningAttempts must be an integer >= 1, got 0",
    ],
  ])("refuses %j", (options, message) => {
    expect(() => made(options)).toThrowError(message);
  });
});
