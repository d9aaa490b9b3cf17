// Settings of a single answer, over those of its model.
import type { LanguageModel, ModelRequest } from "./language-model.ts";
import type { NormalSettings } from "./model-settings.ts";

/** Sampling of one request. */
export type RequestSettings = {
  readonly temperature?: number;
  readonly topP?: number;
  /** Upper bound of the answer, in tokens. */
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly reasoningEffort?: string;
  /** False: one call of a tool an answer, where the provider can hold the model to that. */
  readonly parallelToolCalls?: boolean;
};

/** Everything that whoever wants an answer may set for it. The type is closed: it is data of a run. */
export type AnswerSettings = RequestSettings & {
  /** The model stops before any of these texts. */
  readonly stop?: readonly string[];
  /** The model calls one of the caller's tools, or the named one, before it answers. */
  readonly toolChoice?: "required" | { readonly tool: string };
};

export type AnswerSetting = keyof AnswerSettings;

/** Settings that a model needs to know; the others are ours to keep. */
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

/** What APIs take that know no seed and no penalties: Anthropic's, and OpenAI's Responses. */
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

/** The settings that a model honours. A class of one's own that says nothing promises none. */
export function honouredBy({
  capabilities: { settings = [], tools },
}: Pick<LanguageModel, "capabilities">): readonly AnswerSetting[] {
  return ANSWER_SETTINGS.filter((name) => {
    // Stop words are cut by adapters where a provider has none, and one call at a time is handed out whatever the model does.
    if (name === "stop" || name === "parallelToolCalls") return true;
    return name === "toolChoice" ? tools : settings.includes(name);
  });
}
