// Requests in the form of Bedrock's Converse: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, looked up
// in November 2026.
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { STRUCTURED_OUTPUT } from "../anthropic/to-request.ts";
import { ANTHROPIC_IDS } from "../call-ids.ts";
import { sentName, type SendableMedia } from "../content.ts";
import { inputOf } from "../kept-parts.ts";
import type { Message, ModelCapabilities, ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { behaves } from "../providers/native-rows.ts";
import { strictSchema } from "../strict-schema.ts";
import {
  appendTurn,
  sentTurns,
  startTurns,
  systemText,
  type Conversation,
  type TurnForm,
} from "../turns.ts";

/** Fields of a request; all other settings are the model's own. */
const FIELDS = [
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "guardrailConfig",
  "performanceConfig",
  "projectIdentifier",
  "promptVariables",
  "requestMetadata",
  "serviceTier",
];

const CACHE_POINT: JsonObject = { cachePoint: { type: "default" } };

type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };

export function startConversation(): Conversation<JsonObject> {
  return startTurns(ANTHROPIC_IDS);
}

export function appendMessage(
  conversation: Conversation<JsonObject>,
  message: Message,
  reader: Reader,
): void {
  const isCached = "cacheBreakpoint" in message && !behaves(reader.id, "converse_caches");
  const { cacheBreakpoint: _, ...plain } = message as Message & { readonly role: "user" };
  appendTurn(conversation, isCached ? plain : message, { form: formFor(reader.id), reader });
}

/** Returns the request fields shared by every call of a model. */
export function requestBase({ params, ...settings }: NormalSettings): JsonObject {
  const { temperature, topP, reasoningEffort } = settings;
  const thinking = thinkingOf(settings);
  const budget = thinking?.["budget_tokens"];
  const { maxTokens } = settings;
  // The limit includes thinking, so the thinking budget is added if it would leave no room for the answer.
  const limit =
    typeof budget === "number" && maxTokens !== undefined && budget >= maxTokens
      ? budget + maxTokens
      : maxTokens;
  const inferenceConfig = {
    ...(limit === undefined ? {} : { maxTokens: limit }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  };
  const all = Object.entries(params);
  const own = Object.fromEntries(all.filter(([name]) => FIELDS.includes(name)));
  const more = {
    ...Object.fromEntries(all.filter(([name]) => !FIELDS.includes(name))),
    ...(own["additionalModelRequestFields"] as JsonObject | undefined),
    ...(thinking === undefined ? {} : { thinking }),
  };
  return {
    ...own,
    inferenceConfig,
    ...(Object.keys(more).length === 0 ? {} : { additionalModelRequestFields: more }),
    ...(reasoningEffort === undefined || reasoningEffort === "none"
      ? {}
      : { outputConfig: { effort: reasoningEffort === "minimal" ? "low" : reasoningEffort } }),
  };
}

function thinkingOf({ thinking }: Pick<NormalSettings, "thinking">): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const { budgetTokens, ...rest } = thinking;
  return budgetTokens === undefined ? rest : { ...rest, budget_tokens: budgetTokens };
}

export type Body = {
  readonly base: JsonObject;
  readonly conversation: Conversation<JsonObject>;
  readonly tools: readonly JsonObject[];
  readonly stop: readonly string[];
  readonly responseSchema: ModelRequest["responseSchema"];
  readonly toolChoice: ModelRequest["toolChoice"];
  /** The model has refused a schema: it gets a tool in its place. */
  readonly answersByTool: boolean;
};

export function toRequest(body: Body): JsonObject {
  const { base, conversation, stop, responseSchema } = body;
  const system = systemText(conversation);
  const stopSequences = stop.filter((text) => text.trim() !== "");
  const schema =
    responseSchema === undefined || body.answersByTool ? undefined : responseSchema.schema;
  return {
    ...(mayThink(base, conversation.turns) ? base : withoutThinking(base)),
    messages: sentTurns(conversation, TEXT),
    ...(system === undefined
      ? {}
      : { system: [{ text: system }, ...(conversation.cachesSystem ? [CACHE_POINT] : [])] }),
    inferenceConfig: {
      ...(base["inferenceConfig"] as JsonObject),
      ...(stopSequences.length === 0 ? {} : { stopSequences }),
    },
    ...toolConfig(body),
    ...(schema === undefined
      ? {}
      : {
          outputConfig: {
            ...(base["outputConfig"] as JsonObject | undefined),
            ...textFormat(schema),
          },
        }),
  };
}

function textFormat(schema: JsonObject): JsonObject {
  const jsonSchema = { schema: JSON.stringify(strictSchema(schema, "optional") ?? schema) };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

export function toTools(tools: readonly ToolSpec[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    toolSpec: {
      name,
      ...(description.trim() === "" ? {} : { description }),
      inputSchema: { json: { ...parameters, type: "object" } },
    },
  }));
}

/**
 * Returns tools and the choice among them. A conversation with calls must name tools, and there is no choice to call
 * none. If no tool may be called, the descriptions of the conversation's tools forbid the call.
 */
function toolConfig({
  base,
  conversation,
  tools: own,
  responseSchema,
  toolChoice,
  answersByTool,
}: Body): JsonObject {
  const offered = toolChoice === "none" ? [] : own;
  const answer =
    answersByTool && responseSchema !== undefined ? [answerTool(responseSchema.schema)] : [];
  const past =
    offered.length === 0
      ? Array.from(conversation.called, (name) => ({
          name,
          description: "Not there any more: answer in words.",
          parameters: {},
        }))
      : [];
  const tools = [...offered, ...answer, ...toTools(past)];
  if (tools.length === 0) return {};
  const isHeld = toolChoice !== undefined && toolChoice !== "none" && offered.length > 0;
  const mustCall = answer.length > 0 || isHeld;
  const named = typeof toolChoice === "object" && answer.length === 0 ? toolChoice.tool : undefined;
  const choice =
    named !== undefined
      ? { tool: { name: named } }
      : answer.length > 0 && offered.length === 0
        ? { tool: { name: STRUCTURED_OUTPUT } }
        : { any: {} };
  return {
    toolConfig: { tools, ...(mustCall && !thinks(base) ? { toolChoice: choice } : {}) },
  };
}

/** True for a thinking model, which must not be forced to call a tool. */
function thinks({ additionalModelRequestFields }: JsonObject): boolean {
  const { thinking } = (additionalModelRequestFields ?? {}) as JsonObject;
  return thinking !== undefined && (thinking as JsonObject)["type"] !== "disabled";
}

/** False after results of calls made without thinking, such as another model's: Claude then refuses thinking. */
function mayThink(base: JsonObject, turns: Conversation<JsonObject>["turns"]): boolean {
  if (!thinks(base)) return true;
  if (turns.at(-1)?.content.some((block) => "toolResult" in block) !== true) return true;
  return "reasoningContent" in (turns.at(-2)?.content[0] ?? {});
}

function withoutThinking(base: JsonObject): JsonObject {
  const { thinking: _, ...rest } = base["additionalModelRequestFields"] as JsonObject;
  return { ...base, additionalModelRequestFields: rest };
}

function answerTool(schema: JsonObject): JsonObject {
  return {
    toolSpec: {
      name: STRUCTURED_OUTPUT,
      description: "Gives the final answer. Call it once, with the whole answer as its input.",
      inputSchema: { json: { ...schema, type: "object" } },
    },
  };
}

const TEXT = (text: string): JsonObject => ({ text });

const FORM: Omit<TurnForm<JsonObject>, "media"> = {
  text: TEXT,
  call: (toolUseId, call) => ({ toolUse: { toolUseId, name: call.name, input: inputOf(call) } }),
  result: (toolUseId, content) => ({
    toolResult: { toolUseId, content: [{ text: content.trim() === "" ? "(empty)" : content }] },
  }),
  cached: (blocks) => [...blocks, CACHE_POINT],
  kept: thoughtBlock,
  thought: thoughtBlock,
};

function formFor(modelId: string): TurnForm<JsonObject> {
  return { ...FORM, media: (part) => mediaBlock(part, modelId) };
}

/** Returns thinking only with its signature: models that do not sign it refuse it. */
function thoughtBlock({ type, thinking, signature, data }: JsonObject): JsonObject | undefined {
  if (type === "redacted_thinking" && typeof data === "string")
    return { reasoningContent: { redactedContent: data } };
  return type === "thinking" && typeof thinking === "string" && typeof signature === "string"
    ? { reasoningContent: { reasoningText: { text: thinking, signature } } }
    : undefined;
}

/** Formats named differently from the second half of their media type. */
const FORMATS: Readonly<Record<string, string>> = {
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/plain": "txt",
  "text/markdown": "md",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/x-ms-wmv": "wmv",
  "video/x-flv": "flv",
  "video/3gpp": "three_gp",
  "image/jpg": "jpeg",
  "audio/mpeg": "mp3",
};

/** A file, with its bytes or in S3. */
function mediaBlock(part: SendableMedia, modelId: string): JsonObject {
  const { type, mediaType = "" } = part;
  const kind = type === "file" ? "document" : type;
  const format = FORMATS[mediaType] ?? mediaType.split("/")[1]?.replace(/^x-/, "") ?? "";
  const title = type === "file" ? { name: documentName(part) } : {};
  return { [kind]: { format, ...title, source: sourceOf(part, modelId) } };
}

function sourceOf(part: SendableMedia, modelId: string): JsonObject {
  if ("data" in part) return { bytes: part.data };
  if ("url" in part && part.url.startsWith("s3://")) return { s3Location: { uri: part.url } };
  throw new EngineError(
    "model_rejected",
    `${modelId} takes files as base64 or in S3 only: set data, or a url that begins with s3://`,
  );
}

/** Letters, digits, single blanks, hyphens, parentheses and brackets are allowed. */
function documentName(part: SendableMedia): string {
  const name = "name" in part && part.name !== undefined ? part.name : "document";
  return (
    sentName(name)
      .replaceAll(/[_.\s]+/g, " ")
      .trim() || "document"
  );
}
