// Evaluates the work of agents in a finished run.
//
//   EVE1. An evaluation is a run of its own or joins the current run. The reading and each judgement are recorded once.
//   EVE2. The evaluated run is only read. It may live in this process, in this Worker, or behind HTTP.
//   EVE3. An unreadable judgement is a null with an error and does not affect the others. An unreachable model fails
//         the evaluation.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { checkJudges } from "../model-calls/judgement.ts";
import { DEFAULT_PROMPTS } from "../agent/prompts/prompts.ts";
import { askStructured, outputShape } from "../agent/loop/structured-output.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { mean } from "../base/mean.ts";
import { replacePlaceholders } from "../base/template.ts";
import type { RunEvent } from "../events/run-event.ts";
import { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import { isTerminal } from "../runtime/run.ts";
import { agentTraces, type AgentTrace } from "./agent-trace.ts";
import {
  AGGREGATIONS,
  summed,
  type Aggregation,
  type Evaluation,
  type TaskEvaluation,
} from "./evaluation.ts";
import {
  JUDGE_INSTRUCTIONS,
  JUDGEMENT,
  METRICS,
  wholeRecord,
  type Metric,
  type MetricName,
  type MetricScore,
  type MetricSubject,
} from "./metric.ts";

/** Metrics, judging model and aggregation of an evaluator. */
export type AgentEvaluatorOptions = {
  /** Metrics to judge. @default all six of `METRICS` */
  readonly metrics?: ReadonlyArray<MetricName | Metric>;
  /** The judging model. @default the environment's model */
  readonly evalModel?: ModelSpec;
  /** Aggregation of the scores of several tasks. @default "simple_average" */
  readonly aggregation?: Aggregation;
  /** The agents to judge; the judging model sees their goals. `Agent` values fit. @default all agents of the run, without goals */
  readonly agents?: ReadonlyArray<{ readonly role: string; readonly goal: string }>;
};

/** Data of a finished run that an evaluation needs. */
export type RunReading = {
  readonly runId: string;
  readonly inputs: JsonObject;
  readonly traces: readonly AgentTrace[];
  /** Error of a run that did not complete. */
  readonly error?: string;
};

const shape = outputShape(JUDGEMENT);

const OPTIONS = definitionOptions<AgentEvaluatorOptions>(
  "new AgentEvaluator()",
  {
    metrics: true,
    evalModel: true,
    aggregation: true,
    agents: true,
  },
  {
    evalLlm: "write evalModel",
    llm: "write evalModel",
  },
);

/** Judges agents by the events of a run. One evaluator can judge any number of runs. */
export class AgentEvaluator {
  readonly metrics: readonly Metric[];
  readonly aggregation: Aggregation;
  readonly evalModel: ModelSpec | undefined;
  readonly agents: AgentEvaluatorOptions["agents"];

  /** Throws `invalid_definition`, naming the field. */
  constructor(options: AgentEvaluatorOptions = {}) {
    refuseUnknownOptions(options, OPTIONS, new.target !== AgentEvaluator);
    const { metrics = Object.keys(METRICS) as MetricName[], aggregation = "simple_average" } =
      options;
    this.metrics = metricsOf(metrics);
    if (!AGGREGATIONS.includes(aggregation))
      throw invalid(
        `aggregation must be one of ${AGGREGATIONS.join(", ")}, got ${preview(aggregation)}`,
      );
    this.aggregation = aggregation;
    this.evalModel = options.evalModel;
    this.agents = options.agents;
  }

  /** Judges a finished run. Fails with `conflict` if the run has not ended. Inside a run it joins that run. */
  async evaluate(run: RunHandle): Promise<Evaluation> {
    const scope = RunScope.current();
    return scope === undefined
      ? this.start(run).output()
      : this.#evaluate(scope.atNext("evaluate"), run);
  }

  /** Same as `evaluate`, as a run in this process. Its output is the `Evaluation`. */
  start(run: RunHandle, options?: LocalRunOptions): RunHandle<Evaluation> {
    const begin = { kind: "agent", name: "evaluator", inputs: { runId: run.id } } as const;
    const program = { run: (scope: RunScope) => this.#evaluate(scope, run), tasks: [] };
    return new LocalRun(begin, program, options);
  }

  /** Judges the reading of another run, at a place in this run. */
  async judge(scope: RunScope, { runId, inputs, traces }: RunReading): Promise<Evaluation> {
    const model = this.#judgingModel(scope);
    const tasks: TaskEvaluation[] = [];
    for (const [index, trace] of traces.entries()) {
      const subject = this.#subject(trace, inputs);
      if (subject === undefined) continue;
      const place = scope.at(`trace:${index}`);
      tasks.push(await place.group("group", (inside) => this.#judgeTrace(inside, subject, model)));
    }
    const { aggregation } = this;
    return summed({ runId, evalModel: model.id, aggregation, tasks });
  }

  async #evaluate(scope: RunScope, run: RunHandle): Promise<Evaluation> {
    this.#judgingModel(scope); // an unknown or unfit model fails before the run is read
    const reading = await scope.at("record").step<RunReading>({
      kind: "effect",
      run: ({ signal }) => readRun(run, signal),
    });
    return this.judge(scope, reading);
  }

  #judgingModel(scope: RunScope): LanguageModel {
    const model = scope.model(this.evalModel);
    if (this.metrics.some((metric) => !("score" in metric))) checkJudges(model, "score answers");
    return model;
  }

  /** Undefined for an agent outside the evaluation. */
  #subject(trace: AgentTrace, inputs: JsonObject): MetricSubject | undefined {
    if (this.agents === undefined) return { trace };
    const filled = (text: string): string =>
      replacePlaceholders(text, (name) => {
        const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
        return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
      });
    const agent = this.agents.find(({ role }) => filled(role) === trace.agentRole);
    return agent === undefined ? undefined : { trace, goal: filled(agent.goal) };
  }

  async #judgeTrace(
    scope: RunScope,
    subject: MetricSubject,
    model: LanguageModel,
  ): Promise<TaskEvaluation> {
    const { agentRole, taskName, taskId, iteration, modelCalls, toolCalls } = subject.trace;
    const about = { agentRole, iteration, ...(taskId === undefined ? undefined : { taskId }) };
    const judged = await Promise.all(
      this.metrics.map(async (metric) => {
        const place = scope.at(metric.name);
        const inner = place.open("agent_evaluation_started", about);
        const payload = { ...about, metricCategory: metric.name };
        try {
          const scored = await scoreWork(inner, { metric, subject, model });
          place.emit("agent_evaluation_completed", { ...payload, score: scored.score });
          return [metric.name, scored] as const;
        } catch (error) {
          place.emit("agent_evaluation_failed", { ...payload, error: errorMessage(error) });
          throw error;
        }
      }),
    );
    return {
      agentRole,
      ...(taskName === undefined ? undefined : { taskName }),
      ...(taskId === undefined ? undefined : { taskId }),
      iteration,
      metrics: Object.fromEntries(judged),
      score: mean(judged.map(([, { score }]) => score)),
      complexity: 1 + modelCalls.length + toolCalls.length,
    };
  }
}

/** Reads the agents' work from the events of a run. Throws `conflict` if the run has not ended. */
export async function readRun(run: RunHandle, signal: AbortSignal): Promise<RunReading> {
  const { status, inputs, error } = await run.status();
  if (!isTerminal(status))
    throw new EngineError(
      "conflict",
      `run ${run.id} is ${status}: only a run that has ended can be evaluated`,
    );
  const events: RunEvent[] = [];
  for await (const event of run.events({ signal })) if ("seq" in event) events.push(event);
  return {
    runId: run.id,
    inputs,
    traces: agentTraces(events),
    ...(error == null ? undefined : { error: error.message }),
  };
}

/** Scores an agent's work by one metric. */
export async function scoreWork(
  scope: RunScope,
  { metric, subject, model }: { metric: Metric; subject: MetricSubject; model: LanguageModel },
): Promise<MetricScore> {
  const reason = metric.skip?.(subject);
  if (reason !== undefined) return { score: null, feedback: reason };
  if ("score" in metric)
    return checkedScore(metric, await scope.callOnce(() => metric.score(subject)));
  const { criteria, show = wholeRecord } = metric;
  const question = { system: JUDGE_INSTRUCTIONS + criteria, user: show(subject) };
  const work = { model, prompts: DEFAULT_PROMPTS, budget: {}, meter: new UsageMeter() };
  try {
    return JUDGEMENT.parse(await askStructured(scope, question, { shape, work }));
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "output_invalid") throw error;
    return { score: null, feedback: "", error: error.message };
  }
}

function checkedScore({ name }: Metric, score: MetricScore): MetricScore {
  const read = JUDGEMENT.safeParse(score);
  if (read.success) return read.data;
  throw new EngineError(
    "invalid_input",
    `metric ${name} must give { score: 0 to 10 or null, feedback }, got ${preview(score)}`,
  );
}

function metricsOf(configured: NonNullable<AgentEvaluatorOptions["metrics"]>): readonly Metric[] {
  const metrics = configured.map((each): Metric => {
    if (typeof each !== "string") return each;
    if (Object.hasOwn(METRICS, each)) return METRICS[each];
    throw invalid(
      `metrics must be metrics, or among ${Object.keys(METRICS).join(", ")}; got ${preview(each)}`,
    );
  });
  if (metrics.length === 0) throw invalid("metrics must name at least one metric, got none");
  const names = metrics.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string" || !/^[\w-]+$/.test(name))
      throw invalid(`metrics/${index}/name must be letters, digits, _ and -, got ${preview(name)}`);
    if (names.indexOf(name) !== index) throw invalid(`metrics has "${name}" twice`);
  }
  return metrics;
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", `AgentEvaluator: ${message}`);
}
