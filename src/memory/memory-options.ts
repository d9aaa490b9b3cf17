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

/** How a memory saves, ranks and forgets. */
export type MemoryOptions = {
  /** Analyses what is saved and asked. @default the deployment's model */
  readonly llm?: ModelSpec;
  /** @default the deployment's, else `EMBEDDER`, OpenAI's where there is a key, the offline one */
  readonly embedder?: EmbedderSpec;
  /** Where a process without a deployment keeps it. In a deployment that keeps memories, those of its runs are there. @default this object's own, in memory */
  readonly storage?: MemoryStorage;
  /** Share of similarity in a score, 0 to 1; the three should add up to 1. @default 0.5 */
  readonly semanticWeight?: number;
  /** @default 0.3 */
  readonly recencyWeight?: number;
  /** @default 0.2 */
  readonly importanceWeight?: number;
  /** After how many days a record's age counts half. At least 1. @default 30 */
  readonly recencyHalfLifeDays?: number;
  /** From this similarity on a model decides what becomes of the old and the new; 1 is as good as never. @default what the embedder says, else 0.85 */
  readonly consolidationThreshold?: number;
  /** How many similar records it is shown. @default 5 */
  readonly consolidationLimit?: number;
  /** Recalls leave out matches of a lower similarity, 0 to 1; 0 leaves out none. @default what the embedder says, else 0 */
  readonly minScore?: number;
  /** Importance of what is saved without a model and without one of its own. @default 0.5 */
  readonly defaultImportance?: number;
  /** From this score on nothing more is asked. @default 0.8 */
  readonly confidenceThresholdHigh?: number;
  /** Below it a model looks at what was found, and says what is missing. @default 0.5 */
  readonly confidenceThresholdLow?: number;
  /** The same for questions that a model finds complex. @default 0.7 */
  readonly complexQueryThreshold?: number;
  /** How often it may look. @default 1 */
  readonly explorationBudget?: number;
  /** From how many characters on a model analyses the question. @default 200 */
  readonly queryAnalysisThreshold?: number;
  /** From this similarity on, the later of two texts of one save is dropped. @default 0.98 */
  readonly batchDedupThreshold?: number;
  /** How many times the limit is searched for, before age and importance count. @default 2 */
  readonly recallOversampleFactor?: number;
  /** Writes do nothing. @default false */
  readonly readOnly?: boolean;
  /** The path that this memory never leaves. @default none: everything */
  readonly rootScope?: string;
  /** Recall by full text too, and not by vectors alone. @default false */
  readonly hybrid?: boolean;
  /** Has the last word on the order of what was recalled. */
  readonly reranker?: MemoryReranker;
  /** Texts said to models, to be replaced one by one. */
  readonly prompts?: Partial<MemoryPrompts>;
  /** @default the machine's; in a run it is the run's */
  readonly clock?: Clock;
};

/** Puts matches in order, best first, and may leave some out. In a run it is called once and its order recorded. */
export type MemoryReranker = (
  query: string,
  matches: readonly MemoryMatch[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly MemoryMatch[]> | readonly MemoryMatch[];

/** The options with their defaults. Only memories themselves work with it. */
export type MemorySettings = {
  readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends number
    ? number
    : boolean;
} & Pick<MemoryOptions, "llm" | "embedder" | "reranker" | (typeof THRESHOLDS)[number]> & {
    readonly rootScope: string | undefined;
    readonly prompts: MemoryPrompts;
    readonly clock: Clock;
  };

/** The same once the embedder is known. */
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
  hybrid: false,
};

/** Thresholds whose defaults depend on the embedder. */
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

/** Throws `invalid_definition` for options that cannot work. */
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

/** The settings with the thresholds that fit an embedder where they have none. */
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
