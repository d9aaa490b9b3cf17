import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { AgentEvaluator } from "../../../src/evaluation/agent-evaluator.ts";
import {
  formatEvaluation,
  type Aggregation,
  type Evaluation,
} from "../../../src/evaluation/evaluation.ts";
import { METRICS, type Metric, type MetricName } from "../../../src/evaluation/metric.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  keysOf,
  lastTold,
  scriptedAgent,
  soloCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

/** A model that judges by the criteria that it is given; what it is not told of gets 7. */
const judge = (scores: Partial<Record<MetricName, JsonValue>> = {}) =>
  scriptedModel(
    ({ messages }) => {
      const told = String(messages[0]?.content);
      const name = (Object.keys(METRICS) as MetricName[]).find((each) =>
        told.includes(METRICS[each].criteria),
      );
      const given = name === undefined ? undefined : scores[name];
      return JSON.stringify(given ?? { score: 7, feedback: `on ${name}` });
    },
    { id: "judge" },
  );

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  run: () => "saw",
});

async function ranCrew(crew: Crew) {
  const run = crew.start();
  await run.output();
  return run;
}

const withTool = () =>
  soloCrew(scriptedAgent([calling("look"), "the answer"], { tools: [look] }).agent);

describe("AgentEvaluator", () => {
  it("EVE2: judges by all six metrics, each from 0 to 10 with feedback", async () => {
    const evalModel = judge({ goal_alignment: { score: 10, feedback: "all of it" } });
    const evaluation = await new AgentEvaluator({ evalModel }).evaluate(await ranCrew(withTool()));
    const [task] = evaluation.tasks;
    expect(Object.keys(task?.metrics ?? {})).toEqual([
      "goal_alignment",
      "semantic_quality",
      "reasoning_efficiency",
      "tool_selection",
      "parameter_extraction",
      "tool_invocation",
    ]);
    expect(evaluation).toMatchObject({
      evalModel: "judge",
      aggregation: "simple_average",
      agents: [
        {
          agentRole: "Researcher",
          tasks: 1,
          metrics: {
            goal_alignment: { score: 10, feedback: "all of it" },
            tool_selection: { score: 7, feedback: "on tool_selection" },
          },
          score: 7.5,
        },
      ],
      tasks: [{ taskName: "work", complexity: 4, score: 7.5 }],
      score: 7.5,
    });
  });

  it("scores null without calling the judge when a metric does not apply", async () => {
    const evalModel = judge();
    const evaluation = await new AgentEvaluator({ evalModel }).evaluate(
      await ranCrew(soloCrew(scriptedAgent(["plain"]).agent)),
    );
    expect(evaluation.agents[0]?.metrics).toMatchObject({
      goal_alignment: { score: 7 },
      tool_selection: { score: null, feedback: "the agent had no tools" },
      parameter_extraction: { score: null, feedback: "the agent called no tool" },
      tool_invocation: { score: null },
    });
    expect(keysOf(evalModel)).toHaveLength(3);
    expect(evaluation.score).toBe(7);
  });

  it("takes a missing score as 5 and a withheld one as null", async () => {
    const evalModel = judge({
      goal_alignment: { feedback: "hm" },
      semantic_quality: { score: null, feedback: "not a text" },
    });
    const evaluation = await new AgentEvaluator({
      evalModel,
      metrics: ["goal_alignment", "semantic_quality"],
    }).evaluate(await ranCrew(withTool()));
    expect(evaluation.agents[0]).toMatchObject({
      metrics: {
        goal_alignment: { score: 5, feedback: "hm" },
        semantic_quality: { score: null, feedback: "not a text" },
      },
      score: 5,
    });
  });

  it("EVE3: keeps the others when one judgement cannot be read", async () => {
    const evalModel = judge({ goal_alignment: { score: 11 } });
    const evaluation = await new AgentEvaluator({
      evalModel,
      metrics: ["goal_alignment", "semantic_quality"],
    }).evaluate(await ranCrew(withTool()));
    expect(evaluation.tasks[0]?.metrics).toMatchObject({
      goal_alignment: { score: null, error: expect.stringContaining("score") },
      semantic_quality: { score: 7 },
    });
  });

  it("EVE3: fails when the model cannot be reached", async () => {
    const evalModel = scriptedModel(() => ({ error: new EngineError("model_rejected", "gone") }), {
      id: "judge",
    });
    await expect(
      new AgentEvaluator({ evalModel }).evaluate(await ranCrew(withTool())),
    ).rejects.toThrow("gone");
  });

  it("shows the judge the subject of the metric", async () => {
    const evalModel = judge();
    await new AgentEvaluator({ evalModel, metrics: ["tool_invocation"] }).evaluate(
      await ranCrew(withTool()),
    );
    expect(lastTold(evalModel, 0)).toBe(
      "<tools_at_hand>\nlook\n</tools_at_hand>\n<tool_calls>\n1. look {} gave saw\n</tool_calls>",
    );
  });

  it("judges only the named agents, with their goals, placeholders filled in", async () => {
    const topical = scriptedAgent(["a"], { role: "{topic} Expert", goal: "Know {topic}" }).agent;
    const other = scriptedAgent(["b"], { role: "Other" }).agent;
    const crew = new Crew({
      tasks: [taskFor(topical, { name: "one" }), taskFor(other, { name: "two" })],
    });
    const run = crew.start({ inputs: { topic: "Tea" } });
    await run.output();
    const evalModel = judge();
    const metrics = ["goal_alignment"] as const;
    const evaluation = await new AgentEvaluator({ evalModel, metrics, agents: [topical] }).evaluate(
      run,
    );
    expect(evaluation.agents.map(({ agentRole }) => agentRole)).toEqual(["Tea Expert"]);
    expect(lastTold(evalModel, 0)).toContain("Tea Expert\nGoal: Know Tea");
  });

  it.each<[Aggregation, number]>([
    ["simple_average", 5],
    ["weighted_by_complexity", (2 * 2 + 4 * 8) / 6],
    ["best_performance", 8],
    ["worst_performance", 2],
  ])("aggregates the tasks of an agent by %s", async (aggregation, score) => {
    const agent = scriptedAgent(["quick", calling("look"), "long"], { tools: [look] }).agent;
    const metric: Metric = {
      name: "length",
      score: ({ trace }) => ({ score: trace.output === "quick" ? 2 : 8, feedback: "counted" }),
    };
    const crew = new Crew({
      tasks: [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })],
    });
    const evaluator = new AgentEvaluator({ metrics: [metric], aggregation, evalModel: judge() });
    const evaluation = await evaluator.evaluate(await ranCrew(crew));
    expect(evaluation.tasks.map(({ complexity }) => complexity)).toEqual([2, 4]);
    expect(evaluation.agents).toMatchObject([
      { tasks: 2, metrics: { length: { feedback: "a: counted\nb: counted" } } },
    ]);
    expect(evaluation.score).toBeCloseTo(score, 10);
  });

  it.each<Aggregation>([
    "simple_average",
    "weighted_by_complexity",
    "best_performance",
    "worst_performance",
  ])("leaves a metric without a score out of the mean, with %s", async (aggregation) => {
    const silent: Metric = { name: "silent", score: () => ({ score: null, feedback: "nothing" }) };
    const loud: Metric = { name: "loud", score: () => ({ score: 4, feedback: "four" }) };
    const evaluator = new AgentEvaluator({
      metrics: [silent, loud],
      aggregation,
      evalModel: judge(),
    });
    const evaluation = await evaluator.evaluate(await ranCrew(withTool()));
    expect(evaluation).toMatchObject({
      score: 4,
      agents: [{ score: 4, metrics: { silent: { score: null }, loud: { score: 4 } } }],
    });
  });

  it("formats the evaluation as text", async () => {
    const evaluation = await new AgentEvaluator({
      evalModel: judge(),
      metrics: ["goal_alignment", { name: "none", skip: () => "never", criteria: "-" }],
    }).evaluate(await ranCrew(withTool()));
    expect(formatEvaluation(evaluation)).toBe(
      "Researcher: 7.0 (1 task)\n  goal_alignment: 7.0\n    on goal_alignment\n  none: -\n    never\nAll: 7.0",
    );
  });

  it("refuses an unfinished run", async () => {
    const { agent } = scriptedAgent(["x"]);
    const run = soloCrew(agent, { humanInput: true }).start();
    while ((await run.status()).status !== "waiting")
      await new Promise((done) => setTimeout(done, 1));
    await expect(new AgentEvaluator({ evalModel: judge() }).evaluate(run)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is waiting"),
    });
  });

  it.each([
    [{ metrics: ["speed" as MetricName] }, /metrics must be .* got "speed"/],
    [{ metrics: [] }, /at least one metric/],
    [{ metrics: ["tool_selection", "tool_selection"] as const }, /"tool_selection" twice/],
    [{ metrics: [{ name: "a b", criteria: "" }] }, /metrics\/0\/name .* got "a b"/],
    [{ aggregation: "median" as Aggregation }, /aggregation must be one of .* got "median"/],
  ])("refuses %j", (options, message) => {
    expect(() => new AgentEvaluator(options)).toThrow(message);
  });

  it("EVE1: joins the current run, reports each metric, and repeats no call after a crash", async () => {
    const judged = await ranCrew(withTool());
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const evalModel = judge();
      const evaluator = new AgentEvaluator({ evalModel });
      const run = (scope: RunScope) =>
        scope.run(() => evaluator.evaluate(judged)) as Promise<never>;
      return {
        program: { run, tasks: [] },
        get calls() {
          return keysOf(evalModel);
        },
      };
    });
    const output = whole.run.output as unknown as Evaluation;
    expect(output).toMatchObject({ runId: judged.id, score: 7 });
    const told = whole.events.filter(({ type }) => type.startsWith("agent_evaluation_"));
    expect(told).toHaveLength(12);
    expect(told.find((event) => event.type === "agent_evaluation_completed")).toMatchObject({
      agentRole: "Researcher",
      iteration: 1,
      score: 7,
      startedId: expect.stringContaining("agent_evaluation_started"),
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
