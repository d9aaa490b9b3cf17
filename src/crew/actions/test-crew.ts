// Testing: a crew runs several times, and a model scores the output of each task.
//
//   EV1. A finished iteration, with the crew's run and the scores of its tasks, is one row.
//   EV2. Only tests measure the time of tasks, with steps that read the run's clock.
//   - Callbacks of tasks are not called; `beforeKickoff` and `afterKickoff` are.
import * as z from "zod";
import { checkJudges } from "../../model-calls/judgement.ts";
import { fill } from "../../agent/prompts/prompts.ts";
import { askStructured, outputShape } from "../../agent/loop/structured-output.ts";
import { errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { LanguageModel } from "../../llm/language-model.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { hooksBeside } from "../crew-hooks.ts";
import type { DoneTask, CrewIteration } from "./crew-iteration.ts";
import { runCrew } from "../run-crew.ts";
import type { RunnableCrew } from "../runnable-crew.ts";
import { testReport, type TaskScore, type TestReport } from "./test-report.ts";
import type { EvaluationStore } from "./evaluation-store.ts";

export type TestPlan = {
  readonly iterations: number;
  /** Judging model. @default the environment's model */
  readonly evalModel?: ModelSpec | undefined;
  readonly inputs: JsonObject;
  /** The name of the crew in the stored result. @default the crew's name */
  readonly foundAs?: string;
};

const SCORE = outputShape(z.object({ quality: z.number().min(1).max(10) }));

/** Tests a crew at `scope`, returns the report, and stores it if the run has an evaluation store. */
export async function testCrew(
  scope: RunScope,
  crew: RunnableCrew,
  { iterations, evalModel, inputs, foundAs = crew.name }: TestPlan,
): Promise<TestReport> {
  const model = scope.model(evalModel);
  const crewName = crew.name;
  const inner = scope.open("crew_test_started", {
    crewName,
    nIterations: iterations,
    evalLlm: model.id,
    inputs,
  });
  try {
    checkJudges(model, "score answers");
    const runs: TaskScore[][] = [];
    for (let iteration = 1; iteration <= iterations; iteration++) {
      const { scores } = await inner.at(`iteration:${iteration}`).group("group", async (place) => ({
        scores: await scored(place, { crew, model, inputs, iteration }),
      }));
      runs.push(scores);
    }
    const report = testReport(model.id, runs);
    await keep(inner, foundAs, report);
    scope.emit("crew_test_completed", { crewName });
    return report;
  } catch (error) {
    scope.emit("crew_test_failed", { crewName, error: errorMessage(error) });
    throw error;
  }
}

async function keep(scope: RunScope, crew: string, report: TestReport): Promise<void> {
  const evaluations: EvaluationStore | undefined = scope.services.evaluations;
  if (evaluations === undefined) return;
  await scope.at("save").step({
    kind: "effect",
    run: async () => {
      await evaluations.put({
        runId: scope.runId,
        crew,
        evalModel: report.evalModel,
        report,
        createdAtMs: scope.clock.now(),
      });
      return null;
    },
  });
}

/** Collects the completed tasks of one iteration. */
class TestIteration implements CrewIteration {
  readonly kind = "test";
  readonly done = new Map<string, DoneTask>();

  taskCompleted(done: DoneTask): void {
    this.done.set(done.key, done);
  }
}

type TestedRun = {
  readonly crew: RunnableCrew;
  readonly model: LanguageModel;
  readonly inputs: JsonObject;
  readonly iteration: number;
};

async function scored(scope: RunScope, run: TestedRun): Promise<TaskScore[]> {
  const { crew, inputs } = run;
  const tested = new TestIteration();
  await runCrew(scope, { ...crew, iteration: tested }, inputs);
  const scores: TaskScore[] = [];
  for (const key of crew.taskKeys) {
    const done = tested.done.get(key);
    if (done !== undefined) scores.push(await scoreOf(scope.at(`evaluate/${key}`), run, done));
  }
  return scores;
}

async function scoreOf(
  scope: RunScope,
  { crew, model, iteration }: TestedRun,
  { output }: DoneTask,
): Promise<TaskScore> {
  const { name, description, expectedOutput, raw, durationMs = 0 } = output;
  const agents = output.processedByAgents;
  const seconds = durationMs / 1000;
  if (raw === "") return { name, agents: [], score: null, seconds };
  const { prompts, options } = crew;
  const { evaluator, question } = prompts.testing;
  scope.emit("task_evaluation", { evaluationType: "test_evaluation", taskName: name });
  const user = fill(question, { description, expected_output: expectedOutput, output: raw });
  const { maxCostUsd, maxTokens } = options;
  const work = {
    model,
    prompts,
    budget: { maxCostUsd, maxTokens },
    meter: new UsageMeter(),
    hooks: hooksBeside(scope, crew),
  };
  const judged = await askStructured(scope, { system: evaluator, user }, { shape: SCORE, work });
  const { quality } = judged as { quality: number };
  scope.emit("crew_test_result", {
    crewName: crew.name,
    taskName: name,
    iteration,
    quality,
    executionDuration: seconds,
    model: model.id,
  });
  return { name, agents, score: quality, seconds };
}
