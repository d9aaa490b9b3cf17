// Settings of a request for its answer: `temperature` and such, under the names of its protocol.
//
//   AST1. All of them are checked, as OpenAI does, even if unused: a value out of its range is `invalid_input`.
//   AST2. A setting is used if the app lets callers set it and the subject honours it. Crews, flows, planning agents
//         and agents of other frameworks keep their own settings.
//   AST3. The answer names the unused settings in the header X-Edgecrew-Ignored, as they were sent, and never echoes
//         them as used.
import * as z from "zod";
import { pointerPart } from "../base/json-pointer.ts";
import { toIssues } from "../base/zod-issues.ts";
import {
  ANSWER_SETTINGS,
  REQUEST_SETTINGS,
  type AnswerSetting,
  type AnswerSettings,
} from "../llm/answer-settings.ts";
import type { SettledSettings } from "./ignored-header.ts";
import { invalidInput } from "./problem.ts";

/** Length of an answer as some clients send it for no limit. */
const NO_LIMIT = -1;
const MAX_STOPS = 4;
const MAX_STOP_LENGTH = 1_000;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const stopText = z.string().min(1).max(MAX_STOP_LENGTH);

/** The closed type of settings, with their ranges. */
export const answerSettings = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe("Of each message of the model. An answer that it cuts is the answer."),
  stop: z
    .union([stopText, z.array(stopText).max(MAX_STOPS)])
    .optional()
    .describe("The model stops before any of these texts."),
  seed: z.int().optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  reasoningEffort: z.enum(EFFORTS).optional(),
  parallelToolCalls: z.boolean().optional(),
  toolChoice: z
    .union([z.literal("required"), z.strictObject({ tool: z.string().min(1) })])
    .optional(),
});

/** Settings as a request has them, with the field of each. */
export type AskedSettings = {
  readonly settings: AnswerSettings;
  readonly fields: Readonly<Partial<Record<AnswerSetting, string>>>;
};

/** A field of a request with its setting. Of several fields for one setting the first present one counts. */
export type SettingField = readonly [field: string, setting: AnswerSetting];

/**
 * Reads settings from fields of a request; null counts as absent. Throws `invalid_input`, which names the field below
 * `where`.
 */
export function askedSettings(
  body: Readonly<Record<string, unknown>>,
  fields: readonly SettingField[],
  where = "",
): AskedSettings {
  const raw: Partial<Record<AnswerSetting, unknown>> = {};
  const from: Partial<Record<AnswerSetting, string>> = {};
  for (const [field, setting] of fields) {
    const value = body[field];
    if (value === undefined || value === null || setting in raw) continue;
    if (setting === "maxTokens" && value === NO_LIMIT) continue;
    raw[setting] = value;
    from[setting] = field;
  }
  const parsed = answerSettings.safeParse(raw);
  if (!parsed.success) {
    const issues = toIssues(parsed.error, raw).map(({ path, message }) => {
      const [, setting = "", ...rest] = path.split("/");
      const field = from[setting as AnswerSetting] ?? setting;
      return { path: [where, pointerPart(field), ...rest].join("/"), message };
    });
    throw invalidInput("the settings of the answer do not fit", issues);
  }
  return { settings: plain(parsed.data), fields: from };
}

/** Converts a single text to a list. */
function plain({ stop, ...others }: z.output<typeof answerSettings>): AnswerSettings {
  const texts = typeof stop === "string" ? [stop] : stop;
  return { ...others, ...(texts === undefined ? undefined : { stop: texts }) } as AnswerSettings;
}

/** Settings whose value 0 equals their absence: penalties. */
const NOTHING: readonly AnswerSetting[] = ["frequencyPenalty", "presencePenalty"];

/** Splits settings by a rule (AST2). */
export function settle(
  { settings, fields }: AskedSettings,
  isUsed: (setting: AnswerSetting) => boolean,
): SettledSettings {
  const all = Object.entries(settings) as ReadonlyArray<[AnswerSetting, unknown]>;
  const used = all.filter(([name]) => isUsed(name));
  const ignored = all.filter(
    ([name, value]) => !isUsed(name) && !(value === 0 && NOTHING.includes(name)),
  );
  return {
    used: Object.fromEntries(used),
    ignored: ignored.map(([name]) => fields[name] ?? name),
  };
}

/** The fields of models' refusals, by the names of settings. */
export function fieldsOf(
  { fields }: AskedSettings,
  settings: readonly string[],
): readonly string[] {
  return REQUEST_SETTINGS.filter((name) => settings.includes(name)).flatMap(
    (name) => fields[name] ?? [],
  );
}

/** True if two settings are the same. */
export function isSameSetting(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/**
 * Splits settings under their own names into used and ignored ones, for a subject without callers' tools (no
 * `toolChoice`).
 */
export function settledOwn(
  settings: Readonly<Record<string, unknown>>,
  honoured: readonly AnswerSetting[],
): SettledSettings {
  const unknown = Object.keys(settings).filter((name) => !OWN.some(([field]) => field === name));
  if (unknown.length > 0)
    throw invalidInput(
      "the settings of the answer do not fit",
      unknown.map((name) => ({
        path: `/settings/${pointerPart(name)}`,
        message: "is not a known field",
      })),
    );
  const asked = askedSettings(settings, OWN, "/settings");
  return settle(asked, (setting) => honoured.includes(setting));
}

const OWN = ANSWER_SETTINGS.filter((name) => name !== "toolChoice").map((name): SettingField => [
  name,
  name,
]);
