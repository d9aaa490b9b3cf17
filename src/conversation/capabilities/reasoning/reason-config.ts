import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { preview } from "../../../base/json.ts";

/** How a `ReasoningAgent` thinks. */
export type ReasonConfig = {
  /**
   * `beam_search` goes on with the best thoughts of each depth, `dfs` with the best one. `mcts` and `lats` try whole ways, and come
   * back to those that promise most; `lats` also shows the model how earlier tries were rated.
   *
   * @default "beam_search"
   */
  readonly method?: "beam_search" | "mcts" | "lats" | "dfs";
  /** Thoughts after one another at most, 1 to 10. @default 4 */
  readonly maxDepth?: number;
  /** Thoughts that go on at each depth, 1 to 10; with `dfs` always one. @default 3 */
  readonly beamSize?: number;
  /** Whether the answer is made from all ways that were found, or from the best one. @default "pool" */
  readonly answerApproach?: "pool" | "best";
  /** Ways that `mcts` and `lats` try, 1 to 100. @default 3 */
  readonly nsim?: number;
  /** How much they favour what was tried less, 0 or more. @default 1.41 */
  readonly explorationConstant?: number;
  /** Trees that are grown, 1 to 5; their answers are made into one. @default 1 */
  readonly forestSize?: number;
  /** Thoughts are rated from 1 to this, 2 to 100. @default 10 */
  readonly ratingScale?: number;
  /** Rates the thoughts after one thought in one call. @default false */
  readonly batchGrading?: boolean;
  /** Carries each thought out, with the agent's tools, before it is thought on. @default false */
  readonly interimExecution?: boolean;
};

/** The config with its defaults. */
export type CheckedReasonConfig = Required<ReasonConfig>;

const METHODS: readonly string[] = ["beam_search", "mcts", "lats", "dfs"];

/** Throws `invalid_definition` that names the field that is wrong. */
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
