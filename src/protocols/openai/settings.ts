// Settings of OpenAI's requests: the fields that hold them, and those that nothing is done about.
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

/** Fields of chat completions that are settings, and those that are read for something else. */
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

/** Values that change nothing. */
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
  /** Fields that nothing is done about. */
  readonly unread: readonly string[];
};

/** Reads the settings of a body. `toolChoice` is what `tool_choice` holds the model to. Throws `invalid_input`. */
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

/** Settings inside of fields that are read. */
function unreadWithin(api: "chat" | "responses", body: Body): readonly string[] {
  if (api === "chat") return [];
  const within = (field: string, read: string): readonly string[] =>
    Object.entries((body[field] as Body | null | undefined) ?? {}).flatMap(([name, value]) =>
      name === read || value == null ? [] : [`${field}.${name}`],
    );
  return [...within("reasoning", "effort"), ...within("text", "format")];
}

/**
 * What became of the settings of a request that goes on with a run: the run keeps those that it was started with. One call at a time
 * is handed out whatever the model does.
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
