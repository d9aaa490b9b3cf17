import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsNonStreaming,
  TextBlockParam,
  Tool,
  ToolChoice,
  ToolUnion,
} from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ANTHROPIC_IDS } from "../call-ids.ts";
import { sentName, type SendableMedia } from "../content.ts";
import type {
  MediaSource,
  Message,
  ModelCapabilities,
  ModelRequest,
  ToolSpec,
} from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { behaves } from "../providers/model-rows.ts";
import { strictSchema } from "../strict-schema.ts";
import {
  appendTurn,
  sentTurns,
  startTurns,
  systemText,
  type Conversation as TurnsSoFar,
  type TurnForm,
} from "../turns.ts";
import { answerLimitOf } from "./answer-limit.ts";
import { builtinTools, mcpServers } from "./builtin-tools.ts";
import { BLOCKS } from "./kept-blocks.ts";

/** Tool whose input is the answer, for models without native structured output. */
export const STRUCTURED_OUTPUT = "structured_output";

const EPHEMERAL = { type: "ephemeral" } as const;

type Base = JsonObject & { readonly model: string; readonly max_tokens: number };

/** Returns the request fields shared by every call of a model. */
export function requestBase(model: string, settings: NormalSettings): Base {
  const { temperature, topP, reasoningEffort } = settings;
  const thinking = thinkingOf(settings);
  return {
    ...settings.params,
    model,
    max_tokens: maxTokens(settings.maxTokens, thinking, model),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(thinking === undefined ? {} : { thinking }),
    ...outputEffort(reasoningEffort),
  };
}

/** `none` and `minimal` are values of other providers: `none` adds no field, `minimal` becomes the lowest effort. */
function outputEffort(effort: string | undefined): JsonObject {
  if (effort === undefined || effort === "none") return {};
  return { output_config: { effort: effort === "minimal" ? "low" : effort } };
}

/** False for the models from before structured outputs: Claude 2, 3 and the first of Claude 4. */
export function hasStructuredOutput(model: string): boolean {
  return !behaves(model, "answers_by_tool");
}

/** A conversation converted so far. */
export type Conversation = TurnsSoFar<ContentBlockParam>;

export function startConversation(): Conversation {
  return startTurns(ANTHROPIC_IDS);
}

export function appendMessage(conversation: Conversation, message: Message, reader: Reader): void {
  appendTurn(conversation, message, { form: FORM, reader });
}

const FORM: TurnForm<ContentBlockParam> = {
  ...BLOCKS,
  media: mediaBlock,
  result: (id, content) => ({ type: "tool_result", tool_use_id: id, content }),
  cached: (blocks) => [...blocks.slice(0, -1), withBreakpoint(blocks.at(-1))],
};

type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };

function mediaBlock(part: SendableMedia): ContentBlockParam {
  // The API checks media types itself, and knows new ones before the SDK's types do.
  const source = sourceOf(part);
  if (part.type === "image") return { type: "image", source } as ImageBlockParam;
  const title = part.name === undefined ? {} : { title: sentName(part.name) };
  return { type: "document", source, ...title } as DocumentBlockParam;
}

function sourceOf(source: MediaSource): object {
  if ("fileId" in source) return { type: "file", file_id: source.fileId };
  if ("url" in source) return { type: "url", url: source.url };
  return { type: "base64", media_type: source.mediaType, data: source.data };
}

export function toTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
  }));
}

/**
 * Puts tools behind the model's search: a tool's description is loaded only when a search returns it. A single tool
 * needs no search.
 */
export function behindSearch(
  tools: readonly Tool[],
  search: NormalSettings["toolSearch"],
): ToolUnion[] {
  if (search === undefined || search === false || tools.length < 2) return [...tools];
  const searchTool: ToolUnion =
    search === "regex"
      ? { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }
      : { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };
  return [searchTool, ...tools.map((tool) => ({ ...tool, defer_loading: true }))];
}

export type Body = {
  readonly base: Base;
  readonly conversation: Conversation;
  readonly tools: readonly ToolUnion[];
  readonly stop: readonly string[];
  readonly responseSchema: ModelRequest["responseSchema"];
  readonly toolChoice?: ModelRequest["toolChoice"];
  /** One call of a tool an answer. @default as many as the model makes */
  readonly isSerial?: boolean;
  readonly builtinTools?: ModelRequest["builtinTools"];
};

/** Builds one request. `answersByTool` is true if the answer is the input of the structured output tool. */
export function toRequest({
  base,
  conversation,
  tools: own,
  stop,
  responseSchema,
  toolChoice,
  isSerial = false,
  builtinTools: builtin = [],
}: Body): {
  readonly body: MessageCreateParamsNonStreaming;
  readonly answersByTool: boolean;
} {
  const stops = stop.filter((text) => text.trim() !== "");
  const tools = builtin.length === 0 ? own : [...builtinTools(builtin), ...own];
  const format = responseSchema && nativeFormat(base.model, responseSchema.schema);
  const answerTool = responseSchema && !format ? answerToolFor(responseSchema.schema) : undefined;
  const allTools = answerTool ? [...tools, answerTool] : tools;
  const pastTools = allTools.length === 0 ? toolsOf(conversation) : [];
  return {
    answersByTool: answerTool !== undefined,
    body: {
      ...(mayThink(base, conversation.turns) ? base : withoutThinking(base)),
      messages: sentTurns(conversation, BLOCKS.text),
      ...systemOf(conversation),
      ...(allTools.length > 0 ? { tools: [...allTools] } : {}),
      ...(pastTools.length > 0 ? { tools: pastTools, tool_choice: { type: "none" } } : {}),
      ...(toolChoice === "none" && !answerTool && tools.length > 0
        ? { tool_choice: { type: "none" } }
        : {}),
      ...(toolChoice !== "none" && !answerTool && tools.length > 0
        ? ownChoice(base, toolChoice, isSerial)
        : {}),
      ...(answerTool
        ? { tool_choice: answerChoice(base, tools.length > 0 && toolChoice !== "none") }
        : {}),
      ...(format ? { output_config: { ...outputConfig(base), format } } : {}),
      ...(stops.length > 0 ? { stop_sequences: stops } : {}),
      ...mcpServers(builtin),
      stream: false,
    },
  };
}

/** False after results of calls made without thinking, such as another model's: the API then refuses thinking. */
function mayThink({ thinking }: Base, turns: Conversation["turns"]): boolean {
  if (!isObject(thinking) || thinking["type"] !== "enabled") return true;
  if (turns.at(-1)?.content.some(({ type }) => type === "tool_result") !== true) return true;
  const type = turns.at(-2)?.content[0]?.type;
  return type === "thinking" || type === "redacted_thinking";
}

function withoutThinking(base: Base): Base {
  const rest = { ...base };
  delete rest.thinking;
  return rest;
}

function withBreakpoint<Block extends object>(block: Block | undefined): Block {
  return { ...block, cache_control: EPHEMERAL } as unknown as Block;
}

function systemOf(conversation: Conversation): { system?: TextBlockParam[] } {
  const text = systemText(conversation);
  if (text === undefined) return {};
  const block: TextBlockParam = { type: "text", text };
  return { system: [conversation.cachesSystem ? withBreakpoint(block) : block] };
}

/**
 * A request with calls in it must define tools, even if no tool may be called, as for a summary or an agent without
 * tools.
 */
function toolsOf({ called }: Conversation): Tool[] {
  return Array.from(called, (name) => ({ name, input_schema: { type: "object" } }));
}

function nativeFormat(model: string, schema: JsonObject) {
  const strict = hasStructuredOutput(model) ? strictSchema(schema, "optional") : undefined;
  return strict && { type: "json_schema" as const, schema: strict };
}

function answerToolFor(schema: JsonObject): Tool {
  return {
    name: STRUCTURED_OUTPUT,
    description: "Gives the final answer. Call it once, with the whole answer as its input.",
    input_schema: { ...schema, type: "object" },
  };
}

/** A thinking model must not be forced to call a tool; one with other tools may need them first. */
function answerChoice(base: Base, hasOtherTools: boolean) {
  const { thinking } = base;
  const thinks = isObject(thinking) && thinking["type"] !== "disabled";
  if (thinks) return { type: "auto" as const };
  return hasOtherTools
    ? { type: "any" as const }
    : { type: "tool" as const, name: STRUCTURED_OUTPUT };
}

/** Returns the choice among the request's tools. A thinking model must not be forced. */
function ownChoice(
  base: Base,
  toolChoice: Exclude<ModelRequest["toolChoice"], "none">,
  isSerial: boolean,
): { readonly tool_choice?: ToolChoice } {
  if (toolChoice === undefined && !isSerial) return {};
  const wanted = toolChoice === undefined ? ({ type: "auto" } as const) : answerChoice(base, true);
  const named =
    typeof toolChoice === "object" && wanted.type === "any"
      ? ({ type: "tool", name: toolChoice.tool } as const)
      : wanted;
  return { tool_choice: isSerial ? { ...named, disable_parallel_tool_use: true } : named };
}

function outputConfig(base: Base): JsonObject {
  return isObject(base["output_config"]) ? base["output_config"] : {};
}

function thinkingOf({ thinking }: NormalSettings): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const { budgetTokens, ...rest } = thinking;
  return budgetTokens === undefined ? rest : { ...rest, budget_tokens: budgetTokens };
}

/**
 * Returns the token limit. It includes thinking, so the thinking budget is added if it would leave no room for the
 * answer.
 */
function maxTokens(
  limit: number | undefined,
  thinking: JsonObject | undefined,
  model: string,
): number {
  const answer = limit ?? answerLimitOf(model);
  const budget = thinking?.["budget_tokens"];
  return typeof budget === "number" && budget >= answer ? budget + answer : answer;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
