// Model settings recorded with its calls, for later inspection of a run.
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { LanguageModel } from "./language-model.ts";
import type { NormalSettings } from "./model-settings.ts";

/** Settings with an effect on the answer. Keys, addresses, headers and local settings are left out. */
const SHOWN = [
  "temperature",
  "topP",
  "maxTokens",
  "seed",
  "stop",
  "frequencyPenalty",
  "presencePenalty",
  "n",
  "logitBias",
  "logprobs",
  "topLogprobs",
  "reasoningEffort",
  "thinking",
  "toolSearch",
  "toolCalling",
  "api",
  "instructions",
  "store",
  "builtinTools",
  "autoChain",
  "hideTools",
  "cacheSeed",
  "timeoutMs",
] as const satisfies readonly (keyof NormalSettings)[];

/** Undefined where everything is left to the provider. */
export function callSettings(settings: NormalSettings): JsonObject | undefined {
  const shown: Record<string, JsonValue> = {};
  for (const name of SHOWN) {
    const value = settings[name] as JsonValue | undefined;
    if (value === undefined || (name === "stop" && settings.stop.length === 0)) continue;
    shown[name] = value;
  }
  if (settings.answersJson) shown["responseFormat"] = { type: "json_object" };
  else if (settings.responseSchema) shown["responseFormat"] = settings.responseSchema;
  // Fields known only to the provider: nested ones are left out, because their content is unknown.
  const params = Object.entries(settings.params).filter(([, value]) => typeof value !== "object");
  if (params.length > 0) shown["params"] = Object.fromEntries(params);
  return Object.keys(shown).length === 0 ? undefined : shown;
}

/** Returns the answering model: for a list, the entry named by the answer. */
export function modelThatAnswered(
  model: LanguageModel,
  answer: { readonly model?: string; readonly configIndex?: number } = {},
): LanguageModel {
  const { entries } = model;
  if (entries === undefined) return model;
  const { configIndex, model: id } = answer;
  const entry =
    configIndex === undefined ? entries.find((each) => each.id === id) : entries[configIndex];
  return entry === undefined
    ? model
    : modelThatAnswered(entry, id === undefined ? {} : { model: id });
}
