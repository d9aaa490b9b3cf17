import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { preview } from "../../../base/json.ts";

/** Settings of a `ReasoningAgent`'s thinking. */
export type ReasonConfig = {
  /**
   * `beam_search` continues the best thoughts of each depth, `dfs` the best one. `mcts` and `lats` try complete ways
   * and return to the most promising ones; `lats` also shows the model the ratings of earlier tries.
   *
   * @default "beam_search"
   */
  readonly method?: "beam_search" | "mcts" | "lats" | "dfs";
  /** Maximum number of consecutive thoughts, 1 to 10. @default 4 */
  readonly maxDepth?: number;
  /** Number of thoughts continued at each depth, 1 to 10; always one with `dfs`. @default 3 */
  readonly beamSize?: number;
  /** Source of the answer: all ways found, or the best one. @default "pool" */
  readonly answerApproach?: "pool" | "best";
  /** Number of ways tried by `mcts` and `lats`, 1 to 100. @default 3 */
  readonly nsim?: number;
  /** Weight of less visited thoughts, 0 or more. @default 1.41 */
  readonly explorationConstant?: number;
  /** Number of trees, 1 to 5; their answers are merged into one. @default 1 */
  readonly forestSize?: number;
  /** Upper end of the rating scale, which begins at 1; 2 to 100. @default 10 */
  readonly ratingScale?: number;
  /** Rates all successors of a thought in one call. @default false */
  readonly batchGrading?: boolean;
  /** Carries each thought out, with the agent's tools, before it is continued. @default false */
  readonly interimExecution?: boolean;
};

/** The config with its defaults. */
export type CheckedReasonConfig = Required<ReasonConfig>;

const METHODS: readonly string[] = ["beam_search", "mcts", "lats", "dfs"];

/** Throws `invalid_definition`, naming the invalid field. */
export function checkedReasonConfig(config: ReasonConfig, name: string): CheckedReasonConfig {
  const { method = "beam_search", answerApproach = "pool", explorationConstant = 1.41 } = config;
  const wrong = (field: string, expected: string, value: unknown): Error =>
    invalidDefinition(
      `agent "${name}": reasonConfig.${field} must be ${expected}, got ${preview(value)}`,
    );
  const count = (
    field: keyof ReasonConfig,
    usual: number,
    [least, most]: readonly [number, number],
  ) => {
    const value = config[field] ?? usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most)
      return value;
    throw wrong(field, `an integer from ${least} to ${most}`, value);
  };
  if (!METHODS.includes(method)) throw wrong("method", `one of ${METHODS.join(", ")}`, method);
  if (answerApproach !== "pool" && answerApproach !== "best")
    throw wrong("answerApproach", '"pool" or "best"', answerApproach);
  if (!(explorationConstant >= 0))
    throw wrong("explorationConstant", "a number >= 0", explorationConstant);
  const beamSize = count("beamSize", 3, [1, 10]);
  return {
    method,
    answerApproach,
    explorationConstant,
    maxDepth: count("maxDepth", 4, [1, 10]),
    beamSize: method === "dfs" ? 1 : beamSize,
    nsim: count("nsim", 3, [1, 100]),
    forestSize: count("forestSize", 1, [1, 5]),
    ratingScale: count("ratingScale", 10, [2, 100]),
    batchGrading: config.batchGrading ?? false,
    interimExecution: config.interimExecution ?? false,
  };
}
