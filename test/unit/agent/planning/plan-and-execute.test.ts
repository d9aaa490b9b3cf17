import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { PlanningOptions } from "../../../../src/agent/planning/planning-config.ts";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import {
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import type { TaskOptions } from "../../../../src/crew/tasks/task.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
  keysOf,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
  toldTo,
} from "../../../support/crew-harness.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });

type StepOptions = { readonly on?: readonly number[]; readonly tool?: string };

/** A plan as a model hands it in. */
function plan(
  steps: ReadonlyArray<string | [string, StepOptions]>,
  more: JsonObject = {},
): ScriptedReply {
  return calling("create_reasoning_plan", {
    plan: "the idea",
    ready: true,
    steps: steps.map((step, index) => {
      const [description, { on = [], tool: name = null }] =
        typeof step === "string" ? [step, {}] : step;
      return { step_number: index + 1, description, tool_to_use: name, depends_on: on };
    }),
    ...more,
  });
}

/** A step on the step before it. */
const after = (description: string, ...on: number[]): [string, StepOptions] => [
  description,
  { on },
];

function judged(success: boolean, more: JsonObject = {}): string {
  return JSON.stringify({
    step_completed_successfully: success,
    key_information_learned: "",
    remaining_plan_still_valid: true,
    suggested_refinements: null,
    needs_full_replan: false,
    replan_reason: null,
    goal_already_achieved: false,
    ...more,
  });
}

type Answers = {
  /** One for each time that a plan is asked for, the last one repeated. */
  readonly plans: readonly ScriptedReply[];
  /** By the step's description. */
  readonly steps?: Readonly<Record<string, ScriptedReply | readonly ScriptedReply[]>>;
  readonly judgements?: Readonly<Record<string, ScriptedReply>>;
  readonly synthesis?: ScriptedReply;
};

/** Answers by what is asked and not by when, so that parallel steps and replays get the same answers. */
function answering({ plans, steps = {}, judgements = {}, synthesis = "all together" }: Answers) {
  let asked = 0;
  return (request: ScriptedRequest): ScriptedReply => {
    const last = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
    const system = request.messages[0]?.content ?? "";
    if (request.tools?.[0]?.name === "create_reasoning_plan")
      return plans[Math.min(asked++, plans.length - 1)] ?? "";
    if (system.startsWith("You watch over")) {
      const step = /just ended:\n\d+\. (.*)/.exec(last)?.[1] ?? "";
      return judgements[step] ?? judged(true);
    }
    if (last.includes("What the steps brought")) return synthesis;
    const step = /^Step \d+: (.*)$/m.exec(request.messages[1]?.content ?? "")?.[1];
    if (step === undefined) return `plain: ${last}`;
    const told = steps[step] ?? `did ${step}`;
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    return Array.isArray(told)
      ? ((told as readonly ScriptedReply[])[turn] ?? "")
      : (told as ScriptedReply);
  };
}

function planned(
  answers: Answers,
  config: PlanningOptions,
  more: {
    tools?: readonly (typeof look)[];
    modelOptions?: ScriptedModelOptions;
    task?: Partial<TaskOptions>;
  } = {},
) {
  const { task, ...rest } = more;
  const made = scriptedAgent(answering(answers), { planningConfig: config, ...rest });
  return { ...made, crew: soloCrew(made.agent, task) };
}

describe("carrying a plan out", () => {
  it("TV1: accepts text for the types in plans and judgements", async () => {
    const step = (number: string) => ({
      step_number: number,
      description: `do ${number}`,
      tool_to_use: null,
      depends_on: "[]",
    });
    const steps = JSON.stringify([step("1"), step("2")]);
    const yes = judged(true, { step_completed_successfully: "true", needs_full_replan: "False" });
    const { crew, model } = planned(
      {
        plans: [calling("create_reasoning_plan", { plan: "the idea", ready: "true", steps })],
        judgements: { "do 1": yes, "do 2": yes },
      },
      { reasoningEffort: "medium" },
    );
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("all together");
    expect(model.calls).toHaveLength(6);
  });

  it("PE1, RS1: does the steps in the order of their dependencies, independent ones at once, under stable keys", async () => {
    const { crew, model } = planned(
      { plans: [plan(["a", "b", after("c", 1, 2)])] },
      { reasoningEffort: "low" },
    );
    const run = await runCrewToEnd(crew);
    expect(run.result.raw).toBe("all together");
    const work = "task:work/plan";
    expect(keysOf(model)).toEqual([
      `${work}/attempt:1/llm`,
      `${work}/step:1/turn:1/llm`,
      `${work}/step:2/turn:1/llm`,
      `${work}/step:3/turn:1/llm`,
      `${work}/synthesis/llm`,
    ]);
    const third = toldTo(model, 3).at(-1)?.content;
    expect(third).toContain('<result step="1">\ndid a\n</result>\n<result step="2">\ndid b');
    expect(toldTo(model, 1)).toHaveLength(2);
    const types = run
      .kept(
        "agent_reasoning_started",
        "agent_reasoning_completed",
        "plan_step_started",
        "plan_step_completed",
      )
      .map((event) => ("stepNumber" in event ? `${event.type} ${event.stepNumber}` : event.type));
    expect(types).toEqual([
      "agent_reasoning_started",
      "agent_reasoning_completed",
      "plan_step_started 1",
      "plan_step_started 2",
      "plan_step_completed 1",
      "plan_step_completed 2",
      "plan_step_started 3",
      "plan_step_completed 3",
    ]);
    expect(run.kept("agent_reasoning_completed")).toMatchObject([
      { attempt: 1, ready: true, plan: "the idea", taskId: "work", agentRole: "Researcher" },
    ]);
    expect(run.kept("plan_step_completed")[2]).toMatchObject({
      stepDescription: "c",
      success: true,
      result: "did c",
      startedId: "task:work/plan/step:3:plan_step_started",
    });
  });

  it("RS2: a step uses tools, and fails without a call of its required tool", async () => {
    const { crew } = planned(
      {
        plans: [
          plan([
            ["a", { tool: "look" }],
            ["b", { tool: "look", on: [1] }],
            ["c", { tool: "gone", on: [2] }],
          ]),
        ],
        steps: { a: [calling("look"), "I have seen"] },
      },
      { reasoningEffort: "low" },
      { tools: [look] },
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_step_completed")).toMatchObject([
      { success: true, result: "I have seen" },
      { success: false, error: expect.stringContaining("had to use look") },
      { success: true, toolToUse: "gone" },
    ]);
  });

  it("uses of a limited tool count over all steps", async () => {
    let uses = 0;
    const once = tool({
      name: "once",
      description: "Once.",
      input: z.object({}),
      maxUsageCount: 1,
      run: () => ++uses,
    });
    const steps = { a: [calling("once"), "x"], b: [calling("once"), "y"] };
    const { crew } = planned(
      { plans: [plan(["a", after("b", 1)])], steps },
      { reasoningEffort: "low" },
      { tools: [once] },
    );
    await runCrewToEnd(crew);
    expect(uses).toBe(1);
  });

  it("is bounded by maxSteps and by maxStepIterations", async () => {
    const { crew, model } = planned(
      {
        plans: [plan(["a", "b", "c"])],
        steps: { a: [calling("look"), calling("look"), "in the end"], b: "b done" },
      },
      { reasoningEffort: "low", maxSteps: 2, maxStepIterations: 1 },
      { tools: [look] },
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_step_started")).toHaveLength(2);
    expect(keysOf(model)).toContain("task:work/plan/step:1/final-answer/llm");
  });

  it("a step out of time returns its results so far", async () => {
    const slow = { text: "", toolCalls: [{ name: "look", arguments: {} }] };
    const made = planned(
      {
        plans: [plan(["a"])],
        steps: { a: [slow, { text: "late", delayMs: 60_000 }] },
      },
      { reasoningEffort: "low", stepTimeout: 10 },
      { tools: [look] },
    );
    const run = await runCrewToEnd(made.crew);
    expect(run.kept("plan_step_completed")).toMatchObject([{ success: true, result: "seen" }]);
  });

  it("runs also in the text form of tool use, with another model for the plan", async () => {
    const planner = scriptedModel([plan([["a", { tool: "look" }]])]);
    const { agent } = scriptedAgent(
      ["Thought: x\nAction: look\nAction Input: {}", "Thought: x\nFinal Answer: by text", "end"],
      {
        tools: [look],
        modelOptions: TEXT_ONLY,
        planningConfig: { reasoningEffort: "low", llm: planner },
      },
    );
    const run = await runCrewToEnd(soloCrew(agent));
    expect(planner.calls).toHaveLength(1);
    expect(run.kept("plan_step_completed")).toMatchObject([{ success: true, result: "by text" }]);
  });
});

describe("PE2: the decision after a step", () => {
  const two = plan(["a", after("b", 1)]);
  const failsAndAsks = judged(false, { needs_full_replan: true, replan_reason: "wrong way" });

  it.each([
    ["low", "success", ["a", "b"], 0],
    ["low", "failure", ["a", "b"], 0],
    ["low", "failure with a wish", ["a", "x"], 1],
    ["medium", "success", ["a", "b"], 0],
    ["medium", "success with a wish", ["a", "b"], 0],
    ["medium", "failure", ["a", "b"], 0],
    ["medium", "failure with a wish", ["a", "x"], 1],
    ["high", "success", ["a", "b"], 0],
    ["high", "success with a wish", ["a", "x"], 1],
    ["high", "failure", ["a", "x"], 1],
    ["high", "failure with a wish", ["a", "x"], 1],
  ] as const)("%s effort, %s: does %j", async (...[reasoningEffort, what, done, replans]) => {
    const judgement = {
      success: judged(true),
      failure: judged(false),
      "success with a wish": judged(true, { needs_full_replan: true, replan_reason: "wrong way" }),
      "failure with a wish": failsAndAsks,
    }[what];
    const { crew } = planned(
      { plans: [two, plan(["x"])], judgements: { a: judgement } },
      { reasoningEffort, observeSteps: true },
    );
    const run = await runCrewToEnd(crew);
    expect(
      run
        .kept("plan_step_started")
        .map((event) => event.type === "plan_step_started" && event.stepDescription),
    ).toEqual(done);
    expect(run.kept("plan_replan_triggered")).toHaveLength(replans);
  });

  it("a model judges steps for medium and high effort; observeSteps takes precedence", async () => {
    for (const [options, observed] of [
      [{ reasoningEffort: "low" }, 0],
      [{}, 2],
      [{ reasoningEffort: "high" }, 2],
      [{ reasoningEffort: "high", observeSteps: false }, 0],
      [{ reasoningEffort: "low", observeSteps: true }, 2],
    ] as const) {
      const run = await runCrewToEnd(planned({ plans: [two] }, options).crew);
      expect(run.kept("step_observation_completed")).toHaveLength(observed);
    }
  });

  it("reports the observation", async () => {
    const { crew } = planned(
      { plans: [two], judgements: { a: judged(true, { key_information_learned: "news" }) } },
      {},
    );
    expect((await runCrewToEnd(crew)).kept("step_observation_completed")[0]).toMatchObject({
      stepNumber: 1,
      stepDescription: "a",
      stepCompletedSuccessfully: true,
      keyInformationLearned: "news",
      needsFullReplan: false,
      path: "task:work/plan/step:1/observation",
      startedId: "task:work/plan/step:1/observation:step_observation_started",
    });
  });

  it("OB1, OB2: a failing judge counts as success, an unreadable judgement as a failure with a new plan", async () => {
    const broken = await runCrewToEnd(
      planned(
        { plans: [two], judgements: { a: { error: new EngineError("model_failed", "down") } } },
        {},
      ).crew,
    );
    expect(broken.kept("step_observation_failed")).toMatchObject([
      { stepNumber: 1, error: "down" },
    ]);
    expect(broken.kept("plan_replan_triggered")).toHaveLength(0);
    const unreadable = await runCrewToEnd(
      planned({ plans: [two, plan(["x"])], judgements: { a: "well, hm" } }, {}).crew,
    );
    expect(unreadable.kept("plan_replan_triggered")).toMatchObject([
      { replanReason: "step 1 failed", replanCount: 1, completedStepsPreserved: 0 },
    ]);
  });

  it("high effort: a reached goal ends the plan, and pending steps are reworded", async () => {
    const { crew } = planned(
      {
        plans: [plan(["a", after("b", 1), after("c", 2)])],
        judgements: {
          a: judged(true, {
            suggested_refinements: [{ step_number: 2, new_description: "b, better" }],
          }),
          "b, better": judged(true, { goal_already_achieved: true }),
        },
      },
      { reasoningEffort: "high" },
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_refinement")).toMatchObject([
      { refinedStepCount: 1, refinements: [{ stepNumber: 2, newDescription: "b, better" }] },
    ]);
    expect(run.kept("goal_achieved_early")).toMatchObject([
      { stepsRemaining: 1, stepsCompleted: 2 },
    ]);
    expect(run.kept("plan_step_started")).toHaveLength(2);
  });

  it("of several at once: one failure is passed over, two bring a new plan", async () => {
    const three = plan(["a", "b", "c"]);
    const one = await runCrewToEnd(
      planned({ plans: [three, plan(["x"])], judgements: { a: failsAndAsks } }, {}).crew,
    );
    expect(one.kept("plan_replan_triggered")).toHaveLength(0);
    const both = await runCrewToEnd(
      planned(
        { plans: [three, plan(["x"])], judgements: { a: judged(false), c: judged(false) } },
        {},
      ).crew,
    );
    expect(both.kept("plan_replan_triggered")).toMatchObject([
      { replanReason: "several steps failed", completedStepsPreserved: 1 },
    ]);
  });

  it("of several at once: two errors, or a replan request in the last result, bring a new plan", async () => {
    for (const steps of [
      { a: "Error: no", b: "Error: none" },
      { b: "We have to replan this." },
    ] as const) {
      const { crew } = planned(
        { plans: [plan(["a", "b"]), plan(["x"])], steps },
        { reasoningEffort: "low" },
      );
      expect((await runCrewToEnd(crew)).kept("plan_replan_triggered")).toHaveLength(1);
    }
  });

  it("steps in a circle bring a new plan", async () => {
    const { crew, model } = planned(
      { plans: [plan([after("a", 2), after("b", 1)]), plan(["x"])] },
      { reasoningEffort: "low" },
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_replan_triggered")).toMatchObject([
      { replanReason: "the steps that are left wait for each other" },
    ]);
    expect(keysOf(model)).toContain("task:work/plan/replan:1/attempt:1/llm");
  });

  it("PE3: replans at most maxReplans times, and then answers from the results so far", async () => {
    for (const maxReplans of [0, 2]) {
      const { crew } = planned(
        {
          plans: [plan(["a", after("b", 1)])],
          judgements: { a: failsAndAsks },
          synthesis: "from what there is",
        },
        { maxReplans },
      );
      const run = await runCrewToEnd(crew);
      expect(run.kept("plan_replan_triggered")).toHaveLength(maxReplans);
      expect(run.kept("plan_step_started")).toHaveLength(maxReplans + 1);
      expect(run.result.raw).toBe("from what there is");
    }
  });

  it("a new plan continues the numbering, builds on finished steps, and receives the failure", async () => {
    const { crew, model } = planned(
      {
        plans: [
          plan(["a", after("b", 1), after("c", 2)]),
          calling("create_reasoning_plan", {
            plan: "again",
            ready: true,
            steps: [
              { step_number: 3, description: "x", tool_to_use: null, depends_on: [1] },
              { step_number: 4, description: "y", tool_to_use: null, depends_on: [3] },
            ],
          }),
        ],
        judgements: { b: failsAndAsks },
      },
      {},
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_step_started").map(({ path }) => path)).toEqual(
      [1, 2, 3, 4].map((number) => `task:work/plan/step:${number}`),
    );
    const asked = model.calls.filter(
      ({ request }) => request.tools?.[0]?.name === "create_reasoning_plan",
    );
    const again = asked[1]?.request.messages.at(-1)?.content ?? "";
    expect(again).toContain("Steps done:\n1. [completed] a\n   Result: did a");
    expect(again).toContain("Steps that failed:\n2. [failed] b");
    expect(again).toContain("wrong way");
    const x = model.calls.find(({ request }) => request.messages[1]?.content.includes("Step 3: x"));
    expect(x?.request.messages[1]?.content).toContain('<result step="1">\ndid a');
  });

  it("RS3: a failing model fails the step and not the task", async () => {
    const { crew } = planned(
      { plans: [two], steps: { a: { error: new EngineError("model_failed", "down") } } },
      { reasoningEffort: "low" },
    );
    const run = await runCrewToEnd(crew);
    expect(run.kept("plan_step_completed")[0]).toMatchObject({ success: false, error: "down" });
    expect(run.result.raw).toBe("all together");
  });

  it("an exceeded budget ends the task", async () => {
    const made = scriptedAgent(answering({ plans: [plan(["a", "b"])] }), {
      planningConfig: { reasoningEffort: "low" },
    });
    const { error } = await runCrewToFailure(soloCrew(made.agent, { crew: { maxTokens: 1 } }));
    expect(error.code).toBe("budget_exceeded");
  });

  it("AW7: the time for the whole task ends it, also within a step", async () => {
    const made = scriptedAgent(
      answering({ plans: [plan(["a"])], steps: { a: { text: "late", delayMs: 90_000 } } }),
      { planningConfig: { reasoningEffort: "low", stepTimeout: 100 }, maxExecutionTime: 20 },
    );
    const { error, kept } = await runCrewToFailure(soloCrew(made.agent));
    expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("20 s") });
    expect(kept("agent_execution_error")).toHaveLength(1);
  });
});

describe("PE4: the answer", () => {
  const long = `${"word ".repeat(30)}end.`;

  it.each([
    ["prose of 30 words", long, {}, long],
    ["200 characters", `${"x".repeat(200)}.`, {}, `${"x".repeat(200)}.`],
    ["too short", "Done.", {}, "all together"],
    ["no sentence", "word ".repeat(40).trim(), {}, "all together"],
    ["an error", `Error: ${long}`, {}, "all together"],
    ["made with a tool", long, { tool: "look" }, "all together"],
  ] as const)("last result is %s", async (...[, result, options, raw]) => {
    const steps = { b: "tool" in options ? [calling("look"), result] : result };
    const { crew } = planned(
      { plans: [plan(["a", ["b", { on: [1], ...options }]])], steps },
      { reasoningEffort: "low" },
      { tools: [look] },
    );
    expect((await runCrewToEnd(crew)).result.raw).toBe(raw);
  });

  it("with a shape is made by one call with the schema", async () => {
    const { crew, model } = planned(
      { plans: [plan(["a"])], steps: { a: long }, synthesis: '{"n": 1}' },
      { reasoningEffort: "low" },
      { task: { output: z.object({ n: z.number() }) } },
    );
    const { result } = await runCrewToEnd(crew);
    expect(result.tasks[0]).toMatchObject({ object: { n: 1 } });
    expect(model.calls.at(-1)?.request.responseSchema?.name).toBe("answer");
    expect(model.calls.at(-2)?.request.responseSchema).toBeUndefined();
  });

  it("is all results when the call fails", async () => {
    const { crew } = planned(
      {
        plans: [plan(["a", "b"])],
        synthesis: { error: new EngineError("model_rejected", "no") },
      },
      { reasoningEffort: "low" },
    );
    expect((await runCrewToEnd(crew)).result.raw).toBe("did a\n\ndid b");
  });

  it("is a fixed text when no step succeeded", async () => {
    const { crew } = planned(
      { plans: [plan([after("a", 2), after("b", 1)])] },
      { reasoningEffort: "low", maxReplans: 0 },
    );
    expect((await runCrewToEnd(crew)).result.raw).toBe("No step of the plan came to a result.");
  });

  it("the agent's callback is called once", async () => {
    const heard: string[] = [];
    const made = scriptedAgent(answering({ plans: [plan(["a", "b"])] }), {
      planningConfig: { reasoningEffort: "low" },
      stepCallback: (step) => heard.push(step.kind === "finish" ? step.output : step.toolName),
    });
    await runCrewToEnd(soloCrew(made.agent));
    expect(heard).toEqual(["all together"]);
  });

  /** A planned crew whose callback fails once, at the answer. */
  function interrupted(step: ScriptedReply | readonly ScriptedReply[]) {
    const counts = { looks: 0, answers: 0 };
    const run = (): string => `seen ${++counts.looks}`;
    const made = scriptedAgent(answering({ plans: [plan(["a"])], steps: { a: step } }), {
      planningConfig: { reasoningEffort: "low" },
      tools: [tool({ name: "look", description: "Looks.", input: z.object({}), run })],
      stepCallback: ({ kind }) => {
        if (kind === "finish" && counts.answers++ === 0) throw new Error("no disk");
      },
    });
    return { crew: soloCrew(made.agent), counts };
  }

  it("a failure after it ends the task if a tool has run", async () => {
    const { crew, counts } = interrupted([calling("look"), "did a"]);
    expect((await runCrewToFailure(crew)).error.message).toContain("no disk");
    expect(counts).toEqual({ looks: 1, answers: 1 });
  });

  it("a failure after it begins the work again if no tool has run", async () => {
    const { crew, counts } = interrupted("did a");
    expect((await runCrewToEnd(crew)).result.raw).toBe("all together");
    expect(counts).toEqual({ looks: 0, answers: 2 });
  });
});
