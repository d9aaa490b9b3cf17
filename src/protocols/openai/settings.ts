// Settings in OpenAI's requests: supported fields, and fields without effect.
import type { SettledSettings } from "../../parts/ignored-header.ts";
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import {
  askedSettings,
  isSameSetting,
  type AskedSettings,
  type SettingField,
} from "../../parts/answer-settings.ts";

type Body = Readonly<Record<string, unknown>>;

const SHARED: readonly string[] = [
  "model",
  "stream",
  "stream_options",
  "metadata",
  "user",
  "inputs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
];

/** Fields of chat completions with settings, and fields read for other purposes. */
const CHAT = {
  settings: [
    ["temperature", "temperature"],
    ["top_p", "topP"],
    ["max_completion_tokens", "maxTokens"],
    ["max_tokens", "maxTokens"],
    ["stop", "stop"],
    ["seed", "seed"],
    ["frequency_penalty", "frequencyPenalty"],
    ["presence_penalty", "presencePenalty"],
    ["reasoning_effort", "reasoningEffort"],
    ["parallel_tool_calls", "parallelToolCalls"],
  ] as readonly SettingField[],
  read: [...SHARED, "messages", "response_format", "n", "functions"],
};

const RESPONSES = {
  settings: [
    ["temperature", "temperature"],
    ["top_p", "topP"],
    ["max_output_tokens", "maxTokens"],
    ["reasoning", "reasoningEffort"],
    ["parallel_tool_calls", "parallelToolCalls"],
  ] as readonly SettingField[],
  read: [
    ...SHARED,
    "input",
    "instructions",
    "previous_response_id",
    "conversation",
    "background",
    "store",
    "text",
  ],
};

/** Values without effect. */
const HARMLESS: Readonly<Record<string, readonly unknown[]>> = {
  store: [false],
  logprobs: [false],
  top_logprobs: [0],
  logit_bias: [{}],
  modalities: [["text"]],
  service_tier: ["auto", "default"],
  truncation: ["disabled"],
  include: [[]],
};

/** Settings of the answer in a request of either API. */
export type OpenAiSettings = AskedSettings & {
  /** Fields without effect. */
  readonly unread: readonly string[];
};

/** Reads the settings of a body. `toolChoice` is the meaning of `tool_choice`. Fails with `invalid_input`. */
export function openAiSettings(
  api: "chat" | "responses",
  body: Body,
  toolChoice: AnswerSettings["toolChoice"],
): OpenAiSettings {
  const { settings, read } = api === "chat" ? CHAT : RESPONSES;
  const effort = (body["reasoning"] as Body | null | undefined)?.["effort"];
  const own = {
    ...body,
    ...(api === "responses" ? { reasoning: effort } : undefined),
    ...(toolChoice === undefined ? undefined : { tool_choice: toolChoice }),
  };
  const fields: readonly SettingField[] =
    toolChoice === undefined ? settings : [...settings, ["tool_choice", "toolChoice"]];
  const known = new Set([...read, ...settings.map(([name]) => name)]);
  const unread = Object.entries(body).filter(
    ([name, value]) =>
      value != null &&
      !known.has(name) &&
      !(HARMLESS[name] ?? []).some((each) => isSameSetting(each, value)),
  );
  return {
    ...askedSettings(own, fields),
    unread: [...unread.map(([name]) => name), ...unreadWithin(api, body)],
  };
}

/** Returns settings without effect inside of supported fields. */
function unreadWithin(api: "chat" | "responses", body: Body): readonly string[] {
  if (api === "chat") return [];
  const within = (field: string, read: string): readonly string[] =>
    Object.entries((body[field] as Body | null | undefined) ?? {}).flatMap(([name, value]) =>
      name === read || value == null ? [] : [`${field}.${name}`],
    );
  return [...within("reasoning", "effort"), ...within("text", "format")];
}

/**
 * Returns the effect of a request's settings on a continued run, which keeps its original settings. Serial tool calls
 * are always honoured, because calls can be returned one at a time.
 */
export function termsOf(
  { settings, fields, unread }: OpenAiSettings,
  used: AnswerSettings,
): SettledSettings {
  const names = Object.keys(settings) as ReadonlyArray<keyof AnswerSettings>;
  const others = names.filter(
    (name) => name !== "parallelToolCalls" && !isSameSetting(settings[name], used[name]),
  );
  const nothing = others.filter((name) => settings[name] !== 0 || used[name] !== undefined);
  return { used, ignored: [...nothing.map((name) => fields[name] ?? name), ...unread] };
}
