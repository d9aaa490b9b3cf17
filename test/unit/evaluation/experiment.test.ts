import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { Crew } from "../../../src/crew/crew.ts";
import { AgentEvaluator } from "../../../src/evaluation/agent-evaluator.ts";
import { compareWithBaseline } from "../../../src/wire/experiment-cases.ts";
import { runExperiment, type CaseResult } from "../../../src/evaluation/experiment.ts";
import type { Metric } from "../../../src/evaluation/metric.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { RunHandle } from "../../../src/runtime/handle/run-handle.ts";
import { scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";

/** Answers with the topic that it is asked about; fails at `nothing`. */
const echo = (): Crew =>
  soloCrew(
    scriptedAgent(({ messages }) => {
      const said = String(messages.at(-1)?.content);
      if (said.includes("nothing")) return { error: new EngineError("model_rejected", "no topic") };
      return said.includes("tea") ? "tea" : "coffee";
    }).agent,
    { description: "Say {topic}" },
  );

const evalModel = scriptedModel([], { id: "judge" });
const likesTea: Metric = {
  name: "taste",
  score: ({ trace }) => ({ score: trace.output === "tea" ? 9 : 4, feedback: "" }),
};
const evaluator = new AgentEvaluator({ metrics: [likesTea], evalModel });
const startOf =
  (crew: Crew) =>
  (given: { readonly inputs: object; readonly id: string }): RunHandle =>
    crew.start({ inputs: { ...given.inputs }, id: given.id });

describe("runExperiment", () => {
  it("runs each case, judges it, and compares with the expected score", async () => {
    const { cases } = await runExperiment({
      cases: [
        { id: "t", inputs: { topic: "tea" }, expectedScore: 9 },
        { id: "c", inputs: { topic: "coffee" }, expectedScore: { taste: 5 } },
        { id: "any", inputs: { topic: "coffee", n: 2 } },
      ],
      evaluator,
      start: startOf(echo()),
    });
    expect(cases).toMatchObject([
      { id: "t", score: 9, passed: true, expectedScore: 9, evaluation: { evalModel: "judge" } },
      { id: "c", score: 4, passed: false },
      { id: "any", score: 4, passed: true },
    ]);
    expect(new Set(cases.map(({ runId }) => runId)).size).toBe(3);
  });

  it("does not pass a case by a metric without a judgement", async () => {
    const { cases } = await runExperiment({
      cases: [{ inputs: { topic: "tea" }, expectedScore: { speed: 0 } }],
      evaluator,
      start: startOf(echo()),
    });
    expect(cases).toMatchObject([{ passed: false, score: 9 }]);
  });

  it("EX1: identifies a case by its inputs, in any order of their fields", async () => {
    const ids = async (inputs: { topic: string }) =>
      (await runExperiment({ cases: [{ inputs }], evaluator, start: startOf(echo()) })).cases[0]
        ?.id;
    const first = await ids({ topic: "tea", a: 1 } as never);
    expect(await ids({ a: 1, topic: "tea" } as never)).toBe(first);
    expect(await ids({ a: 2, topic: "tea" } as never)).not.toBe(first);
  });

  it("EX1: refuses cases with the same id", async () => {
    const twice = { inputs: { topic: "tea" } };
    await expect(
      runExperiment({ cases: [twice, { ...twice }], evaluator, start: startOf(echo()) }),
    ).rejects.toThrow(/cases\/1 is the same as cases\/0/);
  });

  it("EX2: reports why a case failed, and continues", async () => {
    const { cases } = await runExperiment({
      cases: [
        { id: "bad", inputs: { topic: "nothing" } },
        { id: "good", inputs: { topic: "tea" } },
      ],
      evaluator,
      start: startOf(echo()),
    });
    expect(cases).toMatchObject([
      { id: "bad", score: null, passed: false, error: expect.stringContaining("no topic") },
      { id: "good", passed: true },
    ]);
  });

  it("EX3: starts each case under one id, and no finished one again", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const crew = echo();
      const run = (scope: RunScope) =>
        scope.run(() =>
          runExperiment({
            cases: ["tea", "coffee"].map((topic) => ({ id: topic, inputs: { topic } })),
            evaluator,
            start: (given) => {
              calls.push(given.id);
              return startOf(crew)(given);
            },
          }),
        ) as Promise<never>;
      return { program: { run, tasks: [] }, calls };
    });
    expect(whole.calls).toHaveLength(2);
    for (const each of cut) {
      expect(each.calls.toSorted()).toEqual(whole.calls.toSorted());
      expect(each.run.status).toBe("completed");
    }
  });
});

describe("compareWithBaseline", () => {
  const of = (id: string, score: number | null, passed = true): CaseResult => ({
    id,
    inputs: {},
    score,
    passed,
  });
  const at = (...cases: readonly CaseResult[]) => ({ at: "2026-01-01T00:00:00.000Z", cases });

  it("puts each case in one list", () => {
    const baseline = at(of("up", 5), of("down", 5), of("same", 5), of("gone", 5));
    const result = at(of("up", 6), of("down", 4), of("same", 5), of("new", 5));
    expect(compareWithBaseline(result, baseline)).toEqual({
      improved: [{ id: "up", before: 5, after: 6 }],
      regressed: [{ id: "down", before: 5, after: 4 }],
      unchanged: [{ id: "same", before: 5, after: 5 }],
      added: ["new"],
      missing: ["gone"],
    });
  });

  it("lets scores change a little, and looks at passing first", () => {
    const baseline = at(of("little", 5), of("fails", 5), of("passes", 9, false));
    const result = at(of("little", 4.5), of("fails", 6, false), of("passes", 8));
    expect(compareWithBaseline(result, baseline, { tolerance: 0.5 })).toMatchObject({
      improved: [{ id: "passes" }],
      regressed: [{ id: "fails" }],
      unchanged: [{ id: "little" }],
    });
  });
});
