// Lists of models in the role of one, like AG2's config lists.
//
//   MLS1. Settings of the list apply to each entry that does not set them itself.
//   MLS2. `where` keeps the entries that fit every criterion. A list fits if it shares an item with the criterion, a
//         single value if it is equal or among the criterion's; a missing field does not fit. With `exclude` an entry
//         is dropped if one criterion fits. An empty result is an error.
//   MLS3. One function reads all data: a list, one entry, or an object with `configList`, in camelCase or snake_case,
//         as JSON text too. An unknown setting is an error.
//   MLS4. The text form of a list shows no secrets.
import { camelCase } from "../base/camel-case.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, typeName } from "../base/json.ts";
import { isSecretName } from "../base/secret-name.ts";
import { isFromData, markAsData } from "./definition-rules.ts";
import type { FallbackRules, Routing } from "./fallback-model.ts";
import type { LanguageModel } from "./language-model.ts";
import { readModelSettings, type ModelSettings } from "./model-settings.ts";

/** One model of a list. Objects may have AG2's names too: `api_type`, `base_url`, `api_key`. */
export type ModelListEntry =
  | string
  | LanguageModel
  | ModelSettings
  | Readonly<Record<string, unknown>>;

/** Options of a list, and settings for entries without their own. */
export type ModelListOptions = FallbackRules &
  Pick<
    ModelSettings,
    | "temperature"
    | "topP"
    | "maxTokens"
    | "seed"
    | "timeoutMs"
    | "responseFormat"
    | "stream"
    | "price"
    | "hideTools"
    | "cacheSeed"
    | "cacheTtlSeconds"
    | "cache"
  >;

/** A list as data. */
export type ModelListSettings = ModelListOptions & {
  readonly configList: readonly ModelListEntry[];
};

/** Required values of an entry, by field. */
export type ModelCriteria = Readonly<Record<string, unknown>>;

/** Several models in the role of one, for any `llm` option. */
export class ModelList {
  /** The list as data. */
  readonly spec: ModelListSettings;

  /** Throws `invalid_definition` for a list without entries. */
  constructor(spec: ModelListSettings) {
    if (spec.configList.length === 0) throw invalid("at least one entry is needed, got none");
    this.spec = spec;
  }

  get configList(): readonly ModelListEntry[] {
    return this.spec.configList;
  }

  /**
   * Returns the list with only the fitting entries, or with `exclude` only the others. Throws `invalid_definition` for
   * an empty result.
   */
  where(
    criteria: ModelCriteria,
    { exclude = false }: { readonly exclude?: boolean } = {},
  ): ModelList {
    const kept = this.configList.filter((entry) => {
      const fields = fieldsOf(entry);
      return Object.entries(criteria).every(
        ([name, wanted]) => fits(fields.get(camelCase(name)), wanted) !== exclude,
      );
    });
    if (kept.length > 0) return new ModelList({ ...this.spec, configList: kept });
    const how = exclude ? "is left without" : "has";
    throw invalid(`none of the ${this.configList.length} entries ${how} ${preview(criteria)}`);
  }

  toString(): string {
    return JSON.stringify(this, (name, value: unknown) =>
      isSecretName(name) || /(?:key|token)$/i.test(name) ? "**********" : value,
    );
  }

  toJSON(): ModelListSettings {
    return this.spec;
  }
}

/**
 * Creates a list of models. The first answer counts; see `FallbackRules` for the order and the handling of failures.
 */
export function modelList(
  entries: readonly ModelListEntry[],
  options: ModelListOptions = {},
): ModelList {
  return readList({ ...options, configList: entries });
}

const ROUTINGS = ["fixed_order", "round_robin", "spread"] as const satisfies readonly Routing[];

/** Settings of the list itself, not of its entries. */
const OWN: Readonly<
  Record<string, { readonly expected: string; holds: (value: unknown) => boolean }>
> = {
  configList: { expected: "a list", holds: Array.isArray },
  routing: {
    expected: ROUTINGS.join(", "),
    holds: (value) => ROUTINGS.some((each) => each === value),
  },
  fallbackOnClientError: {
    expected: "true or false",
    holds: (value) => typeof value === "boolean",
  },
  filter: { expected: "a function", holds: (value) => typeof value === "function" },
};

/** Settings for entries without them, checked together with the entry's own. */
const SHARED = [
  "temperature",
  "topP",
  "maxTokens",
  "seed",
  "timeout",
  "timeoutMs",
  "responseFormat",
  "parallelToolCalls",
  "stream",
  "price",
  "hideTools",
  "cacheSeed",
  "cacheTtlSeconds",
  "cache",
];
/** AG2's fields without a meaning here. */
const IGNORED = ["checkEveryMs", "allowFormatStrTemplate"];
const ALIASES: Readonly<Record<string, string>> = { routingMethod: "routing" };

/**
 * Reads a list from data: a list of entries, one entry, or `{ config_list, ... }`; as a value, or as JSON text like
 * AG2's `OAI_CONFIG_LIST`. Throws `invalid_definition`.
 */
export function modelListFrom(data: unknown): ModelList {
  const value = typeof data === "string" ? parsed(data) : data;
  if (value instanceof ModelList) return value;
  if (Array.isArray(value)) return readList({ configList: value });
  if (!isJsonObject(value)) throw invalid(`expected a list of models, got ${typeName(value)}`);
  return readList(isListSettings(value) ? value : { configList: [value] });
}

function readList(input: object): ModelList {
  const settings: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(input)) {
    const name = ALIASES[camelCase(key)] ?? camelCase(key);
    if (each === undefined || each === null || IGNORED.includes(name)) continue;
    const check = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
    if (check === undefined && !SHARED.includes(name))
      throw invalid(
        `${key} is not a setting of a list; known: ${[...Object.keys(OWN), ...SHARED].join(", ")}`,
      );
    if (check?.holds(each) === false)
      throw invalid(`${key} must be ${check.expected}, got ${preview(each)}`);
    settings[name] = each;
  }
  const spec = settings as ModelListSettings;
  readModelSettings({ ...sharedOf(spec), model: "any" });
  for (const [index, entry] of spec.configList.entries()) checkEntry(entry, index);
  return new ModelList(spec);
}

/** True if a spec describes a list. */
export function isListSettings(spec: object): spec is ModelListSettings {
  return "configList" in spec || "config_list" in spec;
}

/**
 * Returns the entries of a list with its settings filled in (MLS1). The settings are returned too, for models that have
 * none.
 */
export function filledEntries(spec: ModelListSettings): ReadonlyArray<{
  readonly entry: ModelListEntry;
  readonly shared: Readonly<Record<string, unknown>>;
}> {
  const shared = sharedOf(spec);
  return spec.configList.map((entry) => ({ entry: filled(entry, shared), shared }));
}

function sharedOf(spec: ModelListSettings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !Object.hasOwn(OWN, name)));
}

function filled(entry: ModelListEntry, shared: Readonly<Record<string, unknown>>): ModelListEntry {
  if (typeof entry === "string") return { ...shared, model: entry };
  if (isOwnModel(entry)) return entry;
  const own = new Set(
    Object.entries(entry)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name]) => sameName(name)),
  );
  const missing = Object.entries(shared).filter(([name]) => !own.has(sameName(name)));
  const whole = { ...Object.fromEntries(missing), ...entry };
  // A copy of data needs the mark again.
  return isFromData(entry) ? markAsData(whole) : whole;
}

/** Returns the one name of a setting with several. */
function sameName(name: string): string {
  const camel = camelCase(name);
  if (camel === "timeout") return "timeoutMs";
  return camel === "maxCompletionTokens" || camel === "maxOutputTokens" ? "maxTokens" : camel;
}

function checkEntry(entry: unknown, index: number): void {
  if (typeof entry === "string" && entry !== "") return;
  if (!isJsonObject(entry))
    throw invalid(`entry ${index} must be a model's name or an object, got ${preview(entry)}`);
  if (isOwnModel(entry)) return;
  try {
    readModelSettings(entry);
  } catch (error) {
    throw invalid(`entry ${index}: ${errorMessage(error)}`);
  }
}

/** True if an entry is or represents a model, and takes no settings. */
export function isOwnModel(entry: object): boolean {
  return "generate" in entry || "spec" in entry;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own words quote the text, keys and all.
    const [where = "it does not parse"] = /position \d+/.exec(errorMessage(error)) ?? [];
    throw invalid(`expected JSON, got a text that is not (${where})`);
  }
}

function fieldsOf(entry: ModelListEntry): ReadonlyMap<string, unknown> {
  if (typeof entry === "string") return new Map([["model", entry]]);
  if (isOwnModel(entry)) return new Map([["model", (entry as Partial<LanguageModel>).id]]);
  return new Map(Object.entries(entry).map(([name, value]) => [camelCase(name), value]));
}

function fits(value: unknown, wanted: unknown): boolean {
  if (value === undefined || value === null) return false;
  const [values, all] = [[value].flat(), [wanted].flat()];
  return values.some((each) => all.includes(each));
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `model list: ${what}`);
}
