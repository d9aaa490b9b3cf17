import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";

export type ReasoningEffort = "low" | "medium" | "high";

export type PlanningOptions = {
  /** How much thought goes into steering a plan while it is carried out; see docs/agents.md. @default "medium" */
  readonly reasoningEffort?: ReasoningEffort;
  /** Whether a model judges each step: true always, false never. @default for medium and high effort */
  readonly observeSteps?: boolean;
  /** Drafts of a plan before it is taken as it is. Integer >= 1. @default until it is ready, at most 20 */
  readonly maxAttempts?: number;
  /** Steps of one plan; further ones are left out. Integer >= 1. @default 20 */
  readonly maxSteps?: number;
  /** How often what is left of a plan may be planned anew. Integer >= 0. @default 3 */
  readonly maxReplans?: number;
  /** Model calls for one step. Integer >= 1. @default 15 */
  readonly maxStepIterations?: number;
  /** Seconds for one step; then it ends with what it has. @default no limit */
  readonly stepTimeout?: number;
  /** The model that plans and judges steps. @default the agent's */
  readonly llm?: ModelSpec;
  /** Replace what the planner is told. `{role} {goal} {backstory} {description} {expected_output} {tools} {max_steps}` are filled in. */
  readonly systemPrompt?: string;
  readonly planPrompt?: string;
  /** As `planPrompt`, for a plan that is not ready yet: `{current_plan}`. */
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

/** What an agent may say of planning. */
export type PlanningFields = {
  /** Plans before it works, and works step by step. Its presence is enough. */
  readonly planningConfig?: PlanningOptions;
  /** Short for `planningConfig: { reasoningEffort: "low", maxAttempts: 1 }`. @default false */
  readonly planning?: boolean;
  /** The older name: `planningConfig` with its defaults. @default false */
  readonly reasoning?: boolean;
  /** `maxAttempts` of `reasoning`. */
  readonly maxReasoningAttempts?: number;
};

/** Where nobody says how many drafts a plan may have: a model that is never content must not draft for ever. */
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

/** The planning that an agent's options ask for, if any. Throws `invalid_definition` naming the field. */
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
