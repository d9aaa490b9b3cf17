import { EngineError } from "../base/error.ts";
import type { Clock } from "../base/clock.ts";
import { preview } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import { checkScopePath } from "./memory-path.ts";
import { DEFAULT_MEMORY_PROMPTS, type MemoryPrompts } from "./memory-prompts.ts";
import type { MemoryMatch } from "./memory-record.ts";
import type { MemoryStorage } from "./memory-records.ts";

/** Options for saving, ranking and forgetting. */
export type MemoryOptions = {
  /** Model that analyses texts and questions. @default the deployment's model */
  readonly llm?: ModelSpec;
  /** @default the deployment's, else `EMBEDDER`, OpenAI's where there is a key, the offline one */
  readonly embedder?: EmbedderSpec;
  /**
   * Storage in a process without a deployment. In a deployment with memory, its runs use the deployment's storage.
   * @default this object's own, in memory
   */
  readonly storage?: MemoryStorage;
  /** Share of similarity in a score, 0 to 1; the three should add up to 1. @default 0.5 */
  readonly semanticWeight?: number;
  /** @default 0.3 */
  readonly recencyWeight?: number;
  /** @default 0.2 */
  readonly importanceWeight?: number;
  /** Age in days at which recency counts half. At least 1. @default 30 */
  readonly recencyHalfLifeDays?: number;
  /**
   * Similarity from which a model decides about the old and the new record; 1 practically disables this. @default the
   * embedder's, else 0.85
   */
  readonly consolidationThreshold?: number;
  /** Number of similar records the model sees. @default 5 */
  readonly consolidationLimit?: number;
  /** Minimum similarity of recalled matches, 0 to 1; 0 leaves out no match. @default the embedder's, else 0 */
  readonly minScore?: number;
  /** Importance of records saved without a model and without their own value. @default 0.5 */
  readonly defaultImportance?: number;
  /** Score from which a recall asks no further questions. @default 0.8 */
  readonly confidenceThresholdHigh?: number;
  /** Score below which a model looks at the matches and names missing information. @default 0.5 */
  readonly confidenceThresholdLow?: number;
  /** The same limit for questions a model classifies as complex. @default 0.7 */
  readonly complexQueryThreshold?: number;
  /** Maximum number of such looks by a model. @default 1 */
  readonly explorationBudget?: number;
  /** Length in characters from which a model analyses the question. @default 200 */
  readonly queryAnalysisThreshold?: number;
  /** Similarity from which the later of two texts of one save is dropped. @default 0.98 */
  readonly batchDedupThreshold?: number;
  /** Factor by which a search exceeds the limit before recency and importance are applied. @default 2 */
  readonly recallOversampleFactor?: number;
  /** Makes writes have no effect. @default false */
  readonly readOnly?: boolean;
  /** Path this memory never leaves. @default none: everything */
  readonly rootScope?: string;
  /** Ranks by words and their context in addition to vectors. @default true */
  readonly hybrid?: boolean;
  /** Decides the final order of recalled matches. */
  readonly reranker?: MemoryReranker;
  /** Replacements for single model prompts. */
  readonly prompts?: Partial<MemoryPrompts>;
  /** @default the machine's; in a run it is the run's */
  readonly clock?: Clock;
};

/** Orders matches, best first, and may leave some out. In a run it is called once and its order is recorded. */
export type MemoryReranker = (
  query: string,
  matches: readonly MemoryMatch[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly MemoryMatch[]> | readonly MemoryMatch[];

/** Options with their defaults, for the memory's own code. */
export type MemorySettings = {
  readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends number
    ? number
    : boolean;
} & Pick<MemoryOptions, "llm" | "embedder" | "reranker" | (typeof THRESHOLDS)[number]> & {
    readonly rootScope: string | undefined;
    readonly prompts: MemoryPrompts;
    readonly clock: Clock;
  };

/** Settings for a known embedder. */
export type FittedSettings = MemorySettings & {
  readonly [Name in (typeof THRESHOLDS)[number]]: number;
};

const DEFAULTS = {
  semanticWeight: 0.5,
  recencyWeight: 0.3,
  importanceWeight: 0.2,
  recencyHalfLifeDays: 30,
  consolidationLimit: 5,
  defaultImportance: 0.5,
  confidenceThresholdHigh: 0.8,
  confidenceThresholdLow: 0.5,
  complexQueryThreshold: 0.7,
  explorationBudget: 1,
  queryAnalysisThreshold: 200,
  batchDedupThreshold: 0.98,
  recallOversampleFactor: 2,
  readOnly: false,
  hybrid: true,
};

/** Thresholds with defaults by embedder. */
const THRESHOLDS = ["consolidationThreshold", "minScore"] as const;

type CheckedOption = keyof typeof DEFAULTS | (typeof THRESHOLDS)[number];

/** Lowest and highest value; `whole` for integers. */
const RANGES: Partial<Record<CheckedOption, { min: number; max: number; whole?: boolean }>> = {
  semanticWeight: { min: 0, max: 1 },
  recencyWeight: { min: 0, max: 1 },
  importanceWeight: { min: 0, max: 1 },
  recencyHalfLifeDays: { min: 1, max: 36_500 },
  consolidationThreshold: { min: 0, max: 1 },
  minScore: { min: 0, max: 1 },
  consolidationLimit: { min: 1, max: 20, whole: true },
  defaultImportance: { min: 0, max: 1 },
  confidenceThresholdHigh: { min: 0, max: 1 },
  confidenceThresholdLow: { min: 0, max: 1 },
  complexQueryThreshold: { min: 0, max: 1 },
  explorationBudget: { min: 0, max: 5, whole: true },
  queryAnalysisThreshold: { min: 0, max: 100_000, whole: true },
  batchDedupThreshold: { min: 0, max: 1 },
  recallOversampleFactor: { min: 1, max: 10, whole: true },
};

const OTHERS: ReadonlySet<string> = new Set<keyof MemoryOptions>([
  "llm",
  "embedder",
  "storage",
  "rootScope",
  "reranker",
  "prompts",
  "clock",
]);

/** Returns the options with their defaults. Fails with `invalid_definition` for invalid options. */
export function memorySettings(options: MemoryOptions): MemorySettings {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (isChecked(name)) checkOption(name, value);
    else if (!OTHERS.has(name))
      throw invalid(`memory has no option "${name}": give one of ${known().join(", ")}`);
  }
  const { rootScope, embedder, prompts, clock = systemClock, llm, reranker } = options;
  if (embedder !== undefined && !["string", "object", "function"].includes(typeof embedder))
    throw invalid(
      `memory.embedder must be a name, an embedder, a function or settings, got ${preview(embedder)}`,
    );
  if (reranker !== undefined && typeof reranker !== "function")
    throw invalid(`memory.reranker must be a function, got ${preview(reranker)}`);
  const chosen = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && isChecked(name)),
  );
  return {
    ...DEFAULTS,
    ...(chosen as Partial<typeof DEFAULTS>),
    llm,
    embedder,
    reranker,
    clock,
    rootScope: rootScope === undefined ? undefined : rootOf(rootScope),
    prompts: { ...DEFAULT_MEMORY_PROMPTS, ...checkPrompts(prompts) },
  } as MemorySettings;
}

/** Fills in unset thresholds with values fitting an embedder. */
export function fittedSettings(
  settings: MemorySettings,
  { similarity = {} }: Pick<Embedder, "similarity">,
): FittedSettings {
  const { consolidationThreshold = similarity.alike ?? 0.85 } = settings;
  const { minScore = similarity.unrelated ?? 0 } = settings;
  return { ...settings, consolidationThreshold, minScore };
}

function isChecked(name: string): name is CheckedOption {
  return Object.hasOwn(DEFAULTS, name) || THRESHOLDS.some((threshold) => threshold === name);
}

function checkOption(name: CheckedOption, value: unknown): void {
  const range = RANGES[name];
  if (range === undefined) {
    if (typeof value !== "boolean")
      throw invalid(`memory.${name} must be true or false, got ${preview(value)}`);
    return;
  }
  const { min, max, whole = false } = range;
  const fits = typeof value === "number" && value >= min && value <= max;
  if (!fits || (whole && !Number.isInteger(value)))
    throw invalid(
      `memory.${name} must be ${whole ? "an integer" : "a number"} from ${min} to ${max}, got ${preview(value)}`,
    );
}

function rootOf(rootScope: unknown): string {
  try {
    return checkScopePath(rootScope, "memory.rootScope");
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function checkPrompts(prompts: Partial<MemoryPrompts> = {}): Partial<MemoryPrompts> {
  for (const [name, text] of Object.entries(prompts)) {
    if (!Object.hasOwn(DEFAULT_MEMORY_PROMPTS, name))
      throw invalid(
        `memory.prompts has no text "${name}": give one of ${Object.keys(DEFAULT_MEMORY_PROMPTS).join(", ")}`,
      );
    if (typeof text !== "string")
      throw invalid(`memory.prompts.${name} must be a text, got ${preview(text)}`);
  }
  return prompts;
}

function known(): readonly string[] {
  return [...Object.keys(DEFAULTS), ...THRESHOLDS, ...OTHERS];
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
