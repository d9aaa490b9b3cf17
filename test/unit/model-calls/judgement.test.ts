import { describe, expect, it } from "vitest";
import { llmGuardrail } from "../../../src/agent/description/guardrail.ts";
import { AgentEvaluator } from "../../../src/evaluation/index.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { Agent, Crew, Task } from "../../../src/index.ts";
import { Knowledge } from "../../../src/entry/knowledge.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import { createDemoModel } from "../../../src/llm/offline/demo-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { checkJudges, judges } from "../../../src/model-calls/judgement.ts";
import type { RunHandle } from "../../../src/runtime/handle/run-handle.ts";

const llm = "offline/demo";
const clerk = new Agent({ role: "Clerk", goal: "Answer", backstory: "Open from 9 to 5.", llm });
const task = {
  name: "answer",
  description: "Say when the shop is open.",
  expectedOutput: "A time",
  agent: clerk,
};
const crew = new Crew({ name: "desk", tasks: [new Task(task)] });
const refusal = (decision: string) => ({
  code: "model_rejected",
  message: expect.stringMatching(
    new RegExp(`^offline/demo cannot ${decision}: it is not a language model.*Name a real model`),
  ) as string,
});

async function eventsOf(run: RunHandle): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events()) if ("seq" in event) events.push(event);
  return events;
}

describe("JG1: the embedded model", () => {
  it("scores no answers: a test fails before the crew runs", async () => {
    const run = crew.startTest({ iterations: 1, evalModel: llm });
    await expect(run.output()).rejects.toMatchObject(refusal("score answers"));
    const types = (await eventsOf(run)).map(({ type }) => type);
    expect(types).not.toContain("crew_kickoff_started");
    expect(types).toContain("crew_test_failed");
  });

  it("fails to learn: a training ends before it asks for feedback", async () => {
    const answer = () => expect.unreachable("nobody is asked");
    await expect(crew.train({ iterations: 1, answer })).rejects.toMatchObject(
      refusal("learn from feedback"),
    );
  });

  it("evaluates no run, but code may", async () => {
    const run = crew.start();
    await run.output();
    await expect(new AgentEvaluator({ evalModel: llm }).evaluate(run)).rejects.toMatchObject(
      refusal("score answers"),
    );
    const length = { name: "length", score: () => ({ score: 7, feedback: "" }) };
    const evaluator = new AgentEvaluator({ evalModel: llm, metrics: [length] });
    expect(await evaluator.evaluate(run)).toMatchObject({ score: 7 });
  });

  it("judges no answer by a guardrail in words", async () => {
    const guardrail = llmGuardrail({ description: "be kind" });
    const guarded = new Crew({ tasks: [new Task({ ...task, guardrails: [guardrail] })] });
    await expect(guarded.kickoff()).rejects.toMatchObject(refusal("judge answers"));
  });

  it("fails to plan: the work continues without a plan, with a warning event", async () => {
    const planned = new Crew({ planning: true, planningLlm: llm, tasks: [new Task(task)] });
    const run = planned.start();
    await run.output();
    const warnings = (await eventsOf(run)).filter(({ type }) => type === "agent_warning");
    expect(warnings).toMatchObject([
      { message: expect.stringContaining("offline/demo cannot plan") },
    ]);
    const thinker = new Agent({
      role: "Thinker",
      goal: "Think",
      backstory: "Slow",
      llm,
      planningConfig: {},
    });
    const thought = thinker.start("Say when the shop is open.");
    await thought.output();
    const failed = (await eventsOf(thought)).filter(
      ({ type }) => type === "agent_reasoning_failed",
    );
    expect(failed).toMatchObject([
      { error: expect.stringContaining("offline/demo cannot plan work") },
    ]);
  });

  it("words no search: knowledge is searched with the task itself", async () => {
    const text = "Goods can be sent back within 30 days.";
    const knowledge = new Knowledge({ sources: [{ name: "returns", text }] });
    const informed = new Crew({
      tasks: [new Task({ ...task, description: "How long can goods be sent back?" })],
      knowledge,
      knowledgeConfig: { scoreThreshold: 0.05 },
    });
    const run = informed.start();
    const { raw } = (await run.output()) as { raw: string };
    expect(raw).toContain(text);
    const events = await eventsOf(run);
    expect(events.map(({ type }) => type)).not.toContain("knowledge_query_started");
    expect(events.filter(({ type }) => type === "knowledge_search_query_started")).toMatchObject([
      { query: expect.stringContaining("How long can goods be sent back?") },
    ]);
  });

  it("chooses no label for a person's words", async () => {
    const flow = defineFlow({
      name: "review",
      methods: {
        show: {
          start: true,
          humanFeedback: { message: "May it go out?", emit: ["yes", "no"], llm },
          run: () => "A text",
        },
      },
    });
    const run = flow.start();
    await expect.poll(async () => (await run.status()).status).toBe("waiting");
    await run.resume({ feedback: "rather not today" });
    await expect.poll(async () => (await run.status()).waits[0]?.choices).toEqual(["yes", "no"]);
    await run.resume({ value: "no" });
    expect(await eventsOf(run)).toContainEqual(
      expect.objectContaining({
        type: "human_feedback_undecided",
        error: expect.stringMatching(/^offline\/demo .*language model/),
      }),
    );
  });
});

it("JG1: a chain decides only if each of its models does", () => {
  const real = scriptedModel(["yes"]);
  expect(judges(fallbackModel([real, scriptedModel(["no"])]))).toBe(true);
  expect(judges(fallbackModel([real, createDemoModel()]))).toBe(false);
  expect(() => checkJudges(real, "score answers")).not.toThrow();
});
