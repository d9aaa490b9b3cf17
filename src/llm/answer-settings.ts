// Settings of a single answer, over those of its model.
import type { LanguageModel, ModelRequest } from "./language-model.ts";
import type { NormalSettings } from "./model-settings.ts";
import type { RequestSettings } from "./request-settings.ts";

/** All settings a caller may make for an answer. The type is closed, because its values are data of a run. */
export type AnswerSettings = RequestSettings & {
  /** The model stops before any of these texts. */
  readonly stop?: readonly string[];
  /** The model calls one of the caller's tools, or the named one, before it answers. */
  readonly toolChoice?: "required" | { readonly tool: string };
};

export type AnswerSetting = keyof AnswerSettings;

/** Settings a model must support; Edgecrew applies the others itself. */
export const REQUEST_SETTINGS = [
  "temperature",
  "topP",
  "maxTokens",
  "seed",
  "frequencyPenalty",
  "presencePenalty",
  "reasoningEffort",
  "parallelToolCalls",
] as const satisfies ReadonlyArray<keyof RequestSettings>;

/** Settings without a counterpart in some APIs. */
const OPENAI_ALONE: readonly string[] = ["seed", "frequencyPenalty", "presencePenalty"];

/** Settings of APIs without seed and penalties: Anthropic's, and OpenAI's Responses. */
export const PLAIN_SETTINGS = REQUEST_SETTINGS.filter((name) => !OPENAI_ALONE.includes(name));

/** The settings of a model as they hold for this request. */
export function settingsFor(
  settings: NormalSettings,
  { settings: own }: Pick<ModelRequest, "settings">,
): NormalSettings {
  if (own === undefined) return settings;
  const { parallelToolCalls: _, ...sampling } = own;
  return { ...settings, ...sampling };
}

export const ANSWER_SETTINGS: readonly AnswerSetting[] = [
  ...REQUEST_SETTINGS,
  "stop",
  "toolChoice",
];

/** Returns the settings a model honours. A custom class without declared settings honours only the general ones. */
export function honouredBy({
  capabilities: { settings = [], tools },
}: Pick<LanguageModel, "capabilities">): readonly AnswerSetting[] {
  return ANSWER_SETTINGS.filter((name) => {
    // Adapters cut at stop words if a provider does not support them. Edgecrew executes one call at a time for any
    // model.
    if (name === "stop" || name === "parallelToolCalls") return true;
    return name === "toolChoice" ? tools : settings.includes(name);
  });
}
