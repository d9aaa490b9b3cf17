import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";

export type ReasoningEffort = "low" | "medium" | "high";

/** Planning of an agent's work. `true` in its place takes all defaults. */
export type PlanningOptions = {
  /** Effort in steering a plan while it runs; see docs/agents.md. @default "medium" */
  readonly reasoningEffort?: ReasoningEffort;
  /** Lets a model judge each step. @default true for medium and high effort */
  readonly observeSteps?: boolean;
  /**
   * Maximum number of drafts; then the plan is used unchanged. An integer >= 1. @default until the plan is ready, at
   * most 20
   */
  readonly maxAttempts?: number;
  /** The number of steps in one plan; further ones are dropped. An integer >= 1. @default 20 */
  readonly maxSteps?: number;
  /** Maximum number of new plans for the remaining steps. An integer >= 0. @default 3 */
  readonly maxReplans?: number;
  /** The number of model calls for one step. An integer >= 1. @default 15 */
  readonly maxStepIterations?: number;
  /** The time limit of one step, in seconds; then the step ends with its results so far. @default no limit */
  readonly stepTimeout?: number;
  /** Model for planning and judging steps. @default the agent's */
  readonly llm?: ModelSpec;
  /** The system message of the planner. `{role} {goal} {backstory} {description} {expected_output} {tools} {max_steps}` are filled in. @default from `prompts` */
  readonly systemPrompt?: string;
  /** The user message of the planner, with the same placeholders. @default from `prompts` */
  readonly planPrompt?: string;
  /** Like `planPrompt`, for a plan that is not ready yet; `{current_plan}` is filled in too. @default from `prompts` */
  readonly refinePrompt?: string;
};

/** Options with their defaults. */
export type PlanningConfig = {
  readonly reasoningEffort: ReasoningEffort;
  readonly observeSteps: boolean;
  readonly maxAttempts: number;
  readonly maxSteps: number;
  readonly maxReplans: number;
  readonly maxStepIterations: number;
  readonly stepTimeout: number | undefined;
  readonly llm: ModelSpec | undefined;
  readonly systemPrompt: string | undefined;
  readonly planPrompt: string | undefined;
  readonly refinePrompt: string | undefined;
};

/** Planning options of an agent. */
export type PlanningFields = {
  /** Makes a plan first and executes it step by step. Any value, even `{}`, turns planning on. @default none */
  readonly planningConfig?: PlanningOptions;
  /** Short for `planningConfig: { reasoningEffort: "low", maxAttempts: 1 }`. @default false */
  readonly planning?: boolean;
  /** The older name: `planningConfig` with its defaults. @default false */
  readonly reasoning?: boolean;
  /** `maxAttempts` for `reasoning`. An integer >= 1. @default as for `maxAttempts` */
  readonly maxReasoningAttempts?: number;
};

/** The default limit on drafts, in case a model never calls its plan ready. */
const MAX_ATTEMPTS = 20;

const EFFORTS: readonly string[] = ["low", "medium", "high"] satisfies ReasoningEffort[];

const FIELDS: ReadonlySet<string> = new Set<keyof PlanningConfig>([
  "reasoningEffort",
  "observeSteps",
  "maxAttempts",
  "maxSteps",
  "maxReplans",
  "maxStepIterations",
  "stepTimeout",
  "llm",
  "systemPrompt",
  "planPrompt",
  "refinePrompt",
]);

/**
 * Reads the planning options of an agent; undefined without planning. Throws `invalid_definition` and names the field.
 */
export function readPlanning(fields: PlanningFields, role: string): PlanningConfig | undefined {
  const { planningConfig, planning = false, reasoning = false, maxReasoningAttempts } = fields;
  const where = `agent "${role}": `;
  checkFlag(`${where}planning`, planning);
  checkFlag(`${where}reasoning`, reasoning);
  checkInteger(`${where}maxReasoningAttempts`, maxReasoningAttempts, 1);
  if (planningConfig !== undefined) return readConfig(planningConfig, `${where}planningConfig`);
  if (planning) return readConfig({ reasoningEffort: "low", maxAttempts: 1 }, where);
  if (!reasoning) return undefined;
  const attempts =
    maxReasoningAttempts === undefined ? undefined : { maxAttempts: maxReasoningAttempts };
  return readConfig({ ...attempts }, where);
}

function readConfig(options: PlanningOptions, where: string): PlanningConfig {
  const input: unknown = options;
  if (typeof input !== "object" || input === null)
    throw invalidDefinition(`${where} must be an object of options, got ${preview(input)}`);
  for (const name of Object.keys(input)) {
    if (!FIELDS.has(name))
      throw invalidDefinition(`${where} has no field "${name}"; known: ${[...FIELDS].join(", ")}`);
  }
  const { reasoningEffort = "medium", observeSteps, stepTimeout } = options;
  if (!EFFORTS.includes(reasoningEffort))
    throw invalidDefinition(
      `${where}.reasoningEffort must be one of ${EFFORTS.join(", ")}, got ${preview(reasoningEffort)}`,
    );
  if (observeSteps !== undefined) checkFlag(`${where}.observeSteps`, observeSteps);
  for (const name of ["maxAttempts", "maxSteps", "maxStepIterations"] as const)
    checkInteger(`${where}.${name}`, options[name], 1);
  checkInteger(`${where}.maxReplans`, options.maxReplans, 0);
  if (stepTimeout !== undefined && !(Number.isFinite(stepTimeout) && stepTimeout > 0))
    throw invalidDefinition(
      `${where}.stepTimeout must be a number of seconds > 0, got ${preview(stepTimeout)}`,
    );
  for (const name of ["systemPrompt", "planPrompt", "refinePrompt"] as const) {
    const text: unknown = options[name];
    if (text !== undefined && typeof text !== "string")
      throw invalidDefinition(`${where}.${name} must be a text, got ${preview(text)}`);
  }
  return {
    reasoningEffort,
    observeSteps: observeSteps ?? reasoningEffort !== "low",
    maxAttempts: options.maxAttempts ?? MAX_ATTEMPTS,
    maxSteps: options.maxSteps ?? 20,
    maxReplans: options.maxReplans ?? 3,
    maxStepIterations: options.maxStepIterations ?? 15,
    stepTimeout,
    llm: options.llm,
    systemPrompt: options.systemPrompt,
    planPrompt: options.planPrompt,
    refinePrompt: options.refinePrompt,
  };
}

function checkFlag(name: string, value: unknown): void {
  if (typeof value !== "boolean")
    throw invalidDefinition(`${name} must be true or false, got ${preview(value)}`);
}

function checkInteger(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min)) return;
  throw invalidDefinition(`${name} must be an integer >= ${min}, got ${preview(value)}`);
}
