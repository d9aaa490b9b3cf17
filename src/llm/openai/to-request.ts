import { isReasoningModel } from "./capabilities.ts";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CallIds, callIdForm } from "../call-ids.ts";
import { sendableParts, sentName, toUrl, type SendablePart } from "../content.ts";
import type { Message, ModelCapabilities, ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { behaves } from "../providers/model-rows.ts";
import { isStrictAlready, strictSchema } from "../strict-schema.ts";
import { textOf } from "../wire.ts";

/** Differences of a model or its endpoint from the standard. */
export type Dialect = {
  /** OpenAI's own endpoint: takes `max_completion_tokens` and strict tools. */
  readonly isOpenAI: boolean;
  readonly sendsStreamOptions: boolean;
  /** Closing user message if the last turn may not be the assistant's; undefined if it may. */
  readonly closing?: string | undefined;
  /** User and assistant must take turns. */
  readonly alternates?: boolean | undefined;
  /** Takes `thinking` as Gemini does: a budget inside of `extra_body`. */
  readonly isGemini?: boolean | undefined;
};

/** Returns the request fields shared by every call of a model. */
export function requestBase(
  model: string,
  settings: NormalSettings,
  dialect: Dialect,
): JsonObject & { readonly model: string } {
  const { temperature, topP, seed, frequencyPenalty, presencePenalty, reasoningEffort } = settings;
  const { n, logitBias, logprobs, topLogprobs, store } = settings;
  return {
    ...settings.params,
    model,
    ...(n === undefined ? {} : { n }),
    ...(logitBias === undefined ? {} : { logit_bias: logitBias }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(topLogprobs === undefined ? {} : { top_logprobs: topLogprobs }),
    ...(store === undefined ? {} : { store }),
    ...(settings.answersJson ? { response_format: { type: "json_object" } } : {}),
    ...(dialect.isGemini ? geminiThinking(settings.thinking) : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...maxTokens(model, settings.maxTokens, dialect),
  };
}

function geminiThinking(thinking: JsonObject | undefined): JsonObject {
  if (thinking === undefined || thinking["type"] === "disabled") return {};
  const budget = thinking["budgetTokens"] ?? thinking["budget_tokens"];
  const config = {
    include_thoughts: true,
    ...(budget === undefined ? {} : { thinking_budget: budget }),
  };
  return { extra_body: { google: { thinking_config: config } } };
}

type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };

/** A conversation converted so far. */
export type Conversation = {
  readonly messages: ChatCompletionMessageParam[];
  readonly ids: CallIds;
};

export function startConversation({ id }: Pick<Reader, "id">): Conversation {
  return { messages: [], ids: new CallIds(callIdForm(id)) };
}

export function appendMessage(
  { messages: wire, ids }: Conversation,
  message: Message,
  reader: Reader,
): void {
  switch (message.role) {
    case "system":
      wire.push({ role: systemRole(reader.id), content: message.content });
      return;
    case "user": {
      const { content } = message;
      wire.push({
        role: "user",
        content: typeof content === "string" ? content : toParts(content, reader),
      });
      return;
    }
    case "assistant":
      // Some servers refuse an empty answer.
      if (message.content !== "" || message.toolCalls?.length)
        wire.push(assistantMessage(message, ids));
      return;
    case "tool":
      wire.push({
        role: "tool",
        tool_call_id: ids.ofResult(message.toolCallId),
        content: message.content,
      });
  }
}

type UserParts = Exclude<(Message & { readonly role: "user" })["content"], string>;

export function toParts(parts: UserParts, reader: Reader): ChatCompletionContentPart[] {
  return sendableParts(parts, reader).map((part) => toPart(part, reader.id));
}

function toPart(part: SendablePart, modelId: string): ChatCompletionContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image" && !("fileId" in part)) {
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return { type: "image_url", image_url: { url: toUrl(part), ...detail } };
  }
  if ("fileId" in part) return { type: "file", file: { file_id: part.fileId } };
  if (part.type === "video") {
    // No model of OpenAI itself accepts video; others with its dialect use this form.
    const video = { type: "video_url", video_url: { url: toUrl(part) } };
    return video as unknown as ChatCompletionContentPart;
  }
  if ("url" in part) {
    const what = part.type === "audio" ? "sound" : "files";
    throw new EngineError(
      "model_rejected",
      `${modelId} accepts ${what} in chat completions only as base64: set data instead of url, or set api: "responses"`,
    );
  }
  if (part.type === "audio") return { type: "input_audio", input_audio: inputAudio(part, modelId) };
  const filename = sentName(part.name ?? "file");
  return { type: "file", file: { filename, file_data: toUrl(part) } };
}

/** Sound as OpenAI's models take it: in one of two formats. */
export function inputAudio(
  { data, mediaType }: { readonly data: string; readonly mediaType: string },
  modelId: string,
): { readonly data: string; readonly format: "wav" | "mp3" } {
  const format = /^audio\/(?:x-)?(?:wav|wave)\b/.test(mediaType)
    ? "wav"
    : /^audio\/(?:mpeg|mp3)\b/.test(mediaType)
      ? "mp3"
      : undefined;
  if (format !== undefined) return { data, format };
  throw new EngineError(
    "model_rejected",
    `${modelId} takes sound as wav or mp3, not as ${mediaType}`,
  );
}

/** The first of OpenAI's thinking models know no system role: `o1` has the developer's, those before it have neither. */
function systemRole(modelId: string): "system" | "developer" | "assistant" {
  if (behaves(modelId, "no_system_role")) return "assistant";
  return behaves(modelId, "developer_role") ? "developer" : "system";
}

/** Returns the messages for an endpoint with rules about roles. Never changes its input list. */
export function fitRoles(
  messages: readonly ChatCompletionMessageParam[],
  { closing, alternates }: Pick<Dialect, "closing" | "alternates">,
): ChatCompletionMessageParam[] {
  const fitting = alternates ? takingTurns(messages) : messages.slice();
  const last = fitting.at(-1);
  if (closing !== undefined && last?.role === "assistant" && !last.tool_calls?.length)
    fitting.push({ role: "user", content: closing });
  return fitting;
}

/** Merges neighbours of one role into one message, and begins with a user's message after the system prompt. */
function takingTurns(
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  const turns: ChatCompletionMessageParam[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === "assistant" && (last === undefined || last.role === "system"))
      turns.push({ role: "user", content: "Hello." });
    if (
      (last?.role === "user" && message.role === "user") ||
      (last?.role === "system" && message.role === "system")
    ) {
      turns[turns.length - 1] = {
        ...last,
        content: joined(last.content, message.content),
      } as typeof last;
    } else if (
      last?.role === "assistant" &&
      message.role === "assistant" &&
      !last.tool_calls &&
      !message.tool_calls
    ) {
      turns[turns.length - 1] = {
        ...last,
        content: `${textOf(last.content)}\n\n${textOf(message.content)}`,
      };
    } else turns.push(message);
  }
  return turns;
}

type UserContent = string | ChatCompletionContentPart[];

function joined(first: UserContent, second: UserContent): UserContent {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...asParts(first), ...asParts(second)];
}

function asParts(content: UserContent): ChatCompletionContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function toTools(tools: readonly ToolSpec[], dialect: Dialect): ChatCompletionTool[] {
  return tools.map(({ name, description, parameters }) => {
    // Strict only if it changes no meaning: it would turn optional arguments into required ones.
    const strict =
      dialect.isOpenAI && isStrictAlready(parameters) ? strictSchema(parameters) : undefined;
    return {
      type: "function",
      function: strict
        ? { name, description, parameters: strict, strict: true }
        : { name, description, parameters: withProperties(parameters) },
    };
  });
}

export function toToolChoice(
  choice: Exclude<NonNullable<ModelRequest["toolChoice"]>, "none">,
): ChatCompletionToolChoiceOption {
  return choice === "required" ? choice : { type: "function", function: { name: choice.tool } };
}

/** Groq refuses an object without `properties`. */
function withProperties(parameters: JsonObject): JsonObject {
  return "properties" in parameters ? parameters : { ...parameters, properties: {} };
}

export function toResponseFormat({ name, schema }: NonNullable<ModelRequest["responseSchema"]>) {
  const strict = strictSchema(schema);
  return {
    type: "json_schema" as const,
    json_schema: { name: formatName(name), strict: strict !== undefined, schema: strict ?? schema },
  };
}

function assistantMessage(
  message: Message & { readonly role: "assistant" },
  ids: CallIds,
): ChatCompletionAssistantMessageParam {
  const { content, toolCalls = [] } = message;
  if (toolCalls.length === 0) return { role: "assistant", content };
  const parts = message.providerParts ?? [];
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id: ids.ofCall(id),
      type: "function",
      function: { name, arguments: text },
      ...keptFields(parts, "openai.tool_call", id),
    })),
    ...keptFields(parts, "openai.message"),
  };
}

/** Returns the fields `from-response.ts` kept of a message or of one of its tool calls. */
function keptFields(parts: readonly JsonObject[], type: string, id?: string): JsonObject {
  const part = parts.find((candidate) => candidate["type"] === type && candidate["id"] === id);
  return isJsonObject(part?.["fields"]) ? part["fields"] : {};
}

function maxTokens(model: string, limit: number | undefined, dialect: Dialect): JsonObject {
  if (limit === undefined) return {};
  return dialect.isOpenAI || isReasoningModel(model)
    ? { max_completion_tokens: limit }
    : { max_tokens: limit };
}

function formatName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "answer";
}
