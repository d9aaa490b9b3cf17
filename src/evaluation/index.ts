/** Evaluation of agents: metrics, evaluations of runs, and experiments against a baseline. */

export { AgentEvaluator, type AgentEvaluatorOptions } from "./agent-evaluator.ts";
export { agentTraces, type AgentTrace, type TracedTool } from "./agent-trace.ts";
export {
  formatEvaluation,
  type AgentEvaluation,
  type Aggregation,
  type Evaluation,
  type TaskEvaluation,
} from "./evaluation.ts";
export { compareWithBaseline, type CaseChange, type Comparison } from "../wire/experiment-cases.ts";
export {
  runExperiment,
  type CaseResult,
  type ExperimentCase,
  type ExperimentOptions,
  type ExperimentResult,
} from "./experiment.ts";
export {
  METRICS,
  type Metric,
  type MetricName,
  type MetricScore,
  type MetricSubject,
} from "./metric.ts";
/** Storage for the results of tests. */
export {
  InMemoryEvaluationStore,
  type EvaluationStore,
  type StoredEvaluation,
} from "../crew/actions/evaluation-store.ts";
