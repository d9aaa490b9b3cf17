import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Message, ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { isStrictAlready, strictSchema } from "../strict-schema.ts";

/** What a model or its endpoint does differently. */
export type Dialect = {
  /** OpenAI's own endpoint: takes `max_completion_tokens` and strict tools. */
  readonly isOpenAI: boolean;
  readonly sendsStreamOptions: boolean;
};

/** The parts of a request that are the same for every call of a model. */
export function requestBase(
  model: string,
  settings: NormalSettings,
  dialect: Dialect,
): JsonObject & { readonly model: string } {
  const { temperature, topP, seed, frequencyPenalty, presencePenalty, reasoningEffort } = settings;
  return {
    ...settings.params,
    model,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...maxTokens(model, settings.maxTokens, dialect),
  };
}

/** Models that think before they answer: no `stop`, and a limit that counts the thinking too. */
export function isReasoningModel(model: string): boolean {
  return /(?:^|\/)(?:o[134](?:-|$)|gpt-[5-9])/.test(model);
}

/** False for models whose API answers a `stop` with an error. */
export function takesStop(model: string): boolean {
  return !isReasoningModel(model);
}

export function takesTools(model: string): boolean {
  return !/(?:^|\/)o1-(?:mini|preview)/.test(model);
}

/** False for the models from before structured outputs. */
export function takesResponseSchema(model: string): boolean {
  return !/(?:^|\/)(?:gpt-3\.5|gpt-4(?:-|$)|o1-(?:mini|preview))/.test(model);
}

export function appendMessage(wire: ChatCompletionMessageParam[], message: Message): void {
  switch (message.role) {
    case "system":
    case "user":
      wire.push({ role: message.role, content: message.content });
      return;
    case "assistant":
      wire.push(assistantMessage(message));
      return;
    case "tool":
      wire.push({ role: "tool", tool_call_id: message.toolCallId, content: message.content });
  }
}

export function toTools(tools: readonly ToolSpec[], dialect: Dialect): ChatCompletionTool[] {
  return tools.map(({ name, description, parameters }) => {
    // Strict only where it changes nothing: it would turn optional arguments into required ones.
    const strict =
      dialect.isOpenAI && isStrictAlready(parameters) ? strictSchema(parameters) : undefined;
    return {
      type: "function",
      function: strict
        ? { name, description, parameters: strict, strict: true }
        : { name, description, parameters },
    };
  });
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
): ChatCompletionAssistantMessageParam {
  const { content, toolCalls = [] } = message;
  if (toolCalls.length === 0) return { role: "assistant", content };
  const parts = message.providerParts ?? [];
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
      ...keptFields(parts, "openai.tool_call", id),
    })),
    ...keptFields(parts, "openai.message"),
  };
}

/** What `from-response.ts` kept of a message or of one of its tool calls. */
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
