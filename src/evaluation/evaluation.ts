// The result of an evaluation, and how scores are aggregated.
import { unreachable } from "../base/error.ts";
import { mean } from "../base/mean.ts";
import type { MetricScore } from "./metric.ts";

/**
 * Aggregations of an agent's scores: their mean, their mean weighted by work (1 + model calls + tool calls), the best
 * of them, or the worst.
 */
export const AGGREGATIONS = [
  "simple_average",
  "weighted_by_complexity",
  "best_performance",
  "worst_performance",
] as const;
/** Aggregation of the scores of several tasks. */
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Evaluation of an agent at one task. Scores are 0 to 10; null if no metric applied. */
export type TaskEvaluation = {
  readonly agentRole: string;
  readonly taskName?: string;
  /** The task's step key. */
  readonly taskId?: string;
  readonly iteration: number;
  readonly metrics: Readonly<Record<string, MetricScore>>;
  /** Mean of its metrics. */
  readonly score: number | null;
  /** 1, plus 1 for each model call and tool call. */
  readonly complexity: number;
};

/** Evaluation of an agent over all its tasks. */
export type AgentEvaluation = {
  readonly agentRole: string;
  readonly tasks: number;
  readonly metrics: Readonly<
    Record<string, { readonly score: number | null; readonly feedback: string }>
  >;
  /** Mean of its metrics. */
  readonly score: number | null;
};

/** Result of an evaluation: scores by agent, task and metric. */
export type Evaluation = {
  /** The evaluated run. */
  readonly runId: string;
  /** The judging model. */
  readonly evalModel: string;
  readonly aggregation: Aggregation;
  readonly agents: readonly AgentEvaluation[];
  readonly tasks: readonly TaskEvaluation[];
  /** Mean over the agents. */
  readonly score: number | null;
};

/** Sums up the task evaluations. */
export function summed(
  judged: Pick<Evaluation, "runId" | "evalModel" | "aggregation" | "tasks">,
): Evaluation {
  const { runId, evalModel, aggregation, tasks } = judged;
  const roles = [...new Set(tasks.map(({ agentRole }) => agentRole))];
  const agents = roles.map((role) => ofAgent(role, tasks, aggregation));
  const score = mean(agents.map((agent) => agent.score));
  return { runId, evalModel, aggregation, agents, tasks, score };
}

function ofAgent(
  agentRole: string,
  tasks: readonly TaskEvaluation[],
  aggregation: Aggregation,
): AgentEvaluation {
  const own = tasks.filter((task) => task.agentRole === agentRole);
  const names = [...new Set(own.flatMap(({ metrics }) => Object.keys(metrics)))];
  const metrics = Object.fromEntries(
    names.map((name) => {
      const scored = own.flatMap(({ metrics: { [name]: metric }, complexity }) =>
        metric === undefined || metric.score === null
          ? []
          : [{ score: metric.score, weight: complexity }],
      );
      const feedback = own
        .flatMap(({ taskName, metrics: { [name]: metric } }) => {
          const text = metric?.feedback ?? "";
          if (text === "") return [];
          return own.length === 1 ? [text] : [`${taskName ?? "task"}: ${text}`];
        })
        .join("\n");
      return [name, { score: aggregated(scored, aggregation), feedback }];
    }),
  );
  const score = mean(Object.values(metrics).map((metric) => metric.score));
  return { agentRole, tasks: own.length, metrics, score };
}

function aggregated(
  scored: ReadonlyArray<{ readonly score: number; readonly weight: number }>,
  aggregation: Aggregation,
): number | null {
  const scores = scored.map(({ score }) => score);
  if (scores.length === 0) return null;
  switch (aggregation) {
    case "best_performance":
      return Math.max(...scores);
    case "worst_performance":
      return Math.min(...scores);
    case "weighted_by_complexity": {
      const weight = scored.reduce((sum, each) => sum + each.weight, 0);
      return scored.reduce((sum, each) => sum + each.score * each.weight, 0) / weight;
    }
    case "simple_average":
      return mean(scores);
    default:
      return unreachable(aggregation);
  }
}

/** Returns the evaluation as plain text: a row for each agent and metric, with the feedback. */
export function formatEvaluation({ agents, score }: Evaluation): string {
  const lines = agents.flatMap((agent) => [
    `${agent.agentRole}: ${shown(agent.score)} (${agent.tasks} ${agent.tasks === 1 ? "task" : "tasks"})`,
    ...Object.entries(agent.metrics).map(([name, metric]) => {
      const feedback = metric.feedback.replaceAll("\n", "\n    ");
      return `  ${name}: ${shown(metric.score)}${feedback === "" ? "" : `\n    ${feedback}`}`;
    }),
  ]);
  return [...lines, `All: ${shown(score)}`].join("\n");
}

function shown(value: number | null): string {
  return value === null ? "-" : value.toFixed(1);
}
