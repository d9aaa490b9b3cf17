// Answer settings of third-party callers, limited to those permitted by the app's exposure and supported by the
// subject.
import type { SettledSettings } from "../parts/ignored-header.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../base/json.ts";
import { ANSWER_SETTINGS, type AnswerSetting } from "../llm/answer-settings.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import {
  askedSettings,
  settle,
  type AskedSettings,
  type SettingField,
} from "../parts/answer-settings.ts";
import type { ExposedOptions, ExposedSubject } from "./exposed-subject.ts";

/** Names of settings in messages of protocols without settings of their own: OpenAI's, and those of JavaScript SDKs. */
const COMMON_FIELDS: readonly SettingField[] = [
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["topP", "topP"],
  ["max_tokens", "maxTokens"],
  ["maxTokens", "maxTokens"],
  ["max_completion_tokens", "maxTokens"],
  ["max_output_tokens", "maxTokens"],
  ["maxOutputTokens", "maxTokens"],
  ["stop", "stop"],
  ["stopSequences", "stop"],
  ["seed", "seed"],
  ["frequency_penalty", "frequencyPenalty"],
  ["frequencyPenalty", "frequencyPenalty"],
  ["presence_penalty", "presencePenalty"],
  ["presencePenalty", "presencePenalty"],
  ["reasoning_effort", "reasoningEffort"],
  ["reasoningEffort", "reasoningEffort"],
  ["parallel_tool_calls", "parallelToolCalls"],
  ["parallelToolCalls", "parallelToolCalls"],
];

const COMMON_NAMES: ReadonlySet<string> = new Set(COMMON_FIELDS.map(([field]) => field));

/**
 * Reads the object `settings` of a protocol without settings of its own. Its other fields are reported as ignored.
 * Fails with `invalid_input`, with the field's name below `where`.
 */
export function commonSettings(
  value: unknown,
  exposed: Pick<ExposedSubject, "options" | "subject">,
  { where, models }: { readonly where: string; readonly models: ModelCatalog },
): SettledSettings {
  const json = (value ?? {}) as JsonValue;
  if (!isJsonObject(json)) return { used: {}, ignored: ["settings"] };
  const { used, ignored } = settledFor(exposed, askedSettings(json, COMMON_FIELDS, where), models);
  const others = Object.keys(json).filter((name) => !COMMON_NAMES.has(name));
  return { used, ignored: [...ignored, ...others] };
}

/** Returns the settings in effect for a run of this subject, and the fields of the others. */
export function settledFor(
  { options, subject }: Pick<ExposedSubject, "options" | "subject">,
  asked: AskedSettings,
  models: ModelCatalog,
): SettledSettings {
  const honoured = allowed(options, subject.answerSettings?.(models) ?? []);
  return settle(asked, (setting) => honoured.includes(setting));
}

function allowed(
  { settings = true }: ExposedOptions,
  honoured: readonly AnswerSetting[],
): readonly AnswerSetting[] {
  if (settings === true) return honoured;
  return settings === false ? [] : honoured.filter((name) => settings.includes(name));
}

/** Fails with `invalid_definition` for an invalid `settings` of an exposed subject. */
export function checkSettingsOption(key: string, { settings }: ExposedOptions): void {
  if (settings === undefined || typeof settings === "boolean") return;
  const isList =
    Array.isArray(settings) && settings.every((name) => ANSWER_SETTINGS.includes(name));
  if (isList) return;
  throw new EngineError(
    "invalid_definition",
    `expose ["${key}"].settings must be true, false or a list of ${ANSWER_SETTINGS.join(", ")}, got ${preview(settings)}`,
  );
}
