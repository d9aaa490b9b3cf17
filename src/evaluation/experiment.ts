// Experiments: repeated runs of the same cases, each judged and compared with an earlier result.
//
//   EX1. A case is identified by its id, or else by its inputs. Two experiments with the same cases can be compared.
//   EX2. A case whose run fails has not passed and carries the error. The other cases continue.
//   EX3. Inside a run, an experiment is made of its steps: finished cases do not run again. Every call of `start` for a
//        case has the same id, so runs that outlive this process are not started twice.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { isoTime } from "../base/clock.ts";
import { errorMessage } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
import type { JsonObject } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import { NO_RETRY } from "../base/retry.ts";
import { readRun, type AgentEvaluator, type RunReading } from "./agent-evaluator.ts";
import type { Evaluation } from "./evaluation.ts";
import { identified } from "../wire/experiment-cases.ts";

/** One case of an experiment: inputs and expected scores. */
export type ExperimentCase = {
  /** Identifies the case. @default derived from the inputs */
  readonly id?: string;
  readonly inputs: JsonObject;
  /** The lowest passing score, 0 to 10: overall, or per metric for every agent. @default none */
  readonly expectedScore?: number | Readonly<Record<string, number>>;
};

/** Cases of an experiment, and the settings for running and judging them. */
export type ExperimentOptions = {
  readonly cases: readonly ExperimentCase[];
  readonly evaluator: AgentEvaluator;
  /**
   * Starts a case: `({ inputs, id }) => crew.start({ inputs, id })`, or a kickoff over HTTP. Returns the existing run
   * if the id is in use.
   */
  readonly start: (caseStart: {
    readonly inputs: JsonObject;
    readonly id: string;
  }) => RunHandle | Promise<RunHandle>;
};

/** Result of one case of an experiment. */
export type CaseResult = {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly expectedScore?: number | Readonly<Record<string, number>>;
  readonly score: number | null;
  readonly passed: boolean;
  readonly runId?: string;
  readonly evaluation?: Evaluation;
  /** Reason for a missing evaluation. */
  readonly error?: string;
};

/** Result as JSON, for a later `compareWithBaseline`. */
export type ExperimentResult = {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly cases: readonly CaseResult[];
};

const OPTIONS = definitionOptions<ExperimentOptions>("runExperiment()", {
  cases: true,
  evaluator: true,
  start: true,
});

/** Runs and judges every case. Inside a run it joins that run. Throws `invalid_input` for cases with the same id. */
export async function runExperiment(
  options: ExperimentOptions,
  local: LocalRunOptions = {},
): Promise<ExperimentResult> {
  refuseUnknownOptions(options, OPTIONS);
  const cases = identified(options.cases);
  const scope = RunScope.current();
  if (scope !== undefined) return experiment(scope.atNext("experiment"), options, cases);
  const program = {
    run: async (root: RunScope) => experiment(root, options, cases),
    tasks: [],
  };
  const begin = { kind: "agent", name: "experiment", inputs: {} } as const;
  return new LocalRun(begin, program, local).output();
}

type IdentifiedCase = ExperimentCase & { readonly id: string };

async function experiment(
  scope: RunScope,
  options: ExperimentOptions,
  cases: readonly IdentifiedCase[],
): Promise<ExperimentResult> {
  const results: CaseResult[] = [];
  for (const each of cases) {
    const place = scope.at(`case:${keySegment(each.id)}`);
    results.push(await place.group("group", (inside) => resultOf(inside, options, each)));
  }
  return { at: isoTime(scope.now()), cases: results };
}

async function resultOf(
  scope: RunScope,
  { start, evaluator }: ExperimentOptions,
  { id, inputs, expectedScore }: IdentifiedCase,
): Promise<CaseResult> {
  const common = { id, inputs, ...(expectedScore === undefined ? undefined : { expectedScore }) };
  const failed = { ...common, score: null, passed: false };
  const runId = fingerprint(scope.runId, scope.path);
  try {
    const reading = await scope.at("run").step<RunReading>({
      kind: "effect",
      retry: NO_RETRY,
      run: async ({ signal }) => {
        const run = await RunScope.outside(() => start({ inputs, id: runId }));
        await run.output().catch(() => undefined);
        return readRun(run, signal);
      },
    });
    if (reading.error !== undefined)
      return { ...failed, runId: reading.runId, error: reading.error };
    const evaluation = await evaluator.judge(scope.at("evaluate"), reading);
    const { score } = evaluation;
    const passed = passes(evaluation, expectedScore);
    return { ...common, score, passed, runId: reading.runId, evaluation };
  } catch (error) {
    return { ...failed, error: errorMessage(error) };
  }
}

function passes({ score, agents }: Evaluation, expected: ExperimentCase["expectedScore"]): boolean {
  if (expected === undefined) return true;
  if (typeof expected === "number") return score !== null && score >= expected;
  return Object.entries(expected).every(([metric, least]) => {
    const scores = agents.flatMap(({ metrics }) => metrics[metric]?.score ?? []);
    return scores.length > 0 && scores.every((each) => each >= least);
  });
}
