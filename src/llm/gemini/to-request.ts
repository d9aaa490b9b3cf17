// A conversation in the form of Gemini's own API, which alone takes PDFs, sound and video.
import type { JsonObject } from "../../base/json.ts";
import { sendableParts, type SendablePart } from "../content.ts";
import type { Message, ModelCapabilities, ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { fieldsOf, parseObject, textOf } from "../wire.ts";

/** A conversation converted so far. The system prompt is kept apart. */
export type Conversation = {
  readonly system: string[];
  readonly contents: Content[];
  /** Names of tools by the ids of their calls: results name the tool, not the call. */
  readonly toolNames: Map<string, string>;
};

type Content = { readonly role: "user" | "model"; readonly parts: JsonObject[] };
type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };

export function startConversation(): Conversation {
  return { system: [], contents: [], toolNames: new Map() };
}

/** Adds a message. What the user's side says between two answers is one content. */
export function appendMessage(conversation: Conversation, message: Message, reader: Reader): void {
  const { system, contents, toolNames } = conversation;
  switch (message.role) {
    case "system":
      system.push(message.content);
      return;
    case "user": {
      const { content } = message;
      const parts: JsonObject[] =
        typeof content === "string"
          ? [{ text: content }]
          : sendableParts(content, reader).map(toPart);
      addParts(contents, "user", parts);
      return;
    }
    case "assistant":
      for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
      addParts(contents, "model", modelParts(message));
      return;
    case "tool": {
      const name = toolNames.get(message.toolCallId) ?? message.toolName;
      const response = { name, response: { result: message.content } };
      addParts(contents, "user", [{ functionResponse: response }]);
    }
  }
}

function addParts(contents: Content[], role: Content["role"], parts: readonly JsonObject[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

function toPart(part: SendablePart): JsonObject {
  if (part.type === "text") return { text: part.text };
  if ("data" in part) return { inlineData: { mimeType: part.mediaType, data: part.data } };
  const fileUri = "fileId" in part ? part.fileId : part.url;
  const { mediaType } = part;
  return {
    fileData: { fileUri, ...(mediaType === undefined ? undefined : { mimeType: mediaType }) },
  };
}

function modelParts(message: Message & { readonly role: "assistant" }): readonly JsonObject[] {
  const { content, toolCalls = [], providerParts = [] } = message;
  return [
    ...(content === "" ? [] : [{ text: content }]),
    ...toolCalls.map(({ id, name, arguments: text }) => ({
      functionCall: { name, args: parseObject(text) ?? {} },
      ...signatureOf(providerParts, id),
    })),
  ];
}

/** The signature that Gemini wants back with a call: kept in the form of its compatible endpoint, which made it or will read it. */
function signatureOf(parts: readonly JsonObject[], id: string): JsonObject {
  const kept = parts.find((part) => part["type"] === "openai.tool_call" && part["id"] === id);
  const google = fieldsOf(fieldsOf(fieldsOf(kept?.["fields"])["extra_content"])["google"]);
  const signature = textOf(google["thought_signature"]);
  return signature === "" ? {} : { thoughtSignature: signature };
}

export type Body = {
  readonly conversation: Conversation;
  readonly settings: NormalSettings;
  readonly tools: readonly ToolSpec[];
  readonly stop: readonly string[];
  readonly responseSchema: ModelRequest["responseSchema"];
  readonly toolChoice: ModelRequest["toolChoice"];
};

export function toRequest(body: Body): JsonObject {
  const { conversation, tools, toolChoice } = body;
  const { system, contents } = conversation;
  const instructions = system.filter((text) => text.trim() !== "").join("\n\n");
  const mode = toolChoice === undefined ? undefined : toolChoice === "none" ? "NONE" : "ANY";
  const allowed =
    typeof toolChoice === "object" ? { allowedFunctionNames: [toolChoice.tool] } : undefined;
  return {
    // A copy: the remembered contents may grow while this request is on its way.
    contents: contents.map(({ role, parts }) => ({ role, parts: [...parts] })),
    ...(instructions === "" ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    ...(mode === undefined || tools.length === 0
      ? {}
      : { toolConfig: { functionCallingConfig: { mode, ...allowed } } }),
    generationConfig: generationConfig(body),
  };
}

function toDeclaration({ name, description, parameters }: ToolSpec): JsonObject {
  return { name, description, parametersJsonSchema: parameters };
}

function generationConfig({ settings, stop, responseSchema }: Body): JsonObject {
  const { temperature, topP, maxTokens, seed, frequencyPenalty, presencePenalty } = settings;
  const schema = responseSchema?.schema;
  const thinkingConfig = thinkingOf(settings);
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    // Five are what it takes.
    ...(stop.length === 0 ? {} : { stopSequences: stop.slice(0, 5) }),
    ...(schema === undefined && settings.answersJson !== true
      ? {}
      : { responseMimeType: "application/json" }),
    ...(schema === undefined ? {} : { responseJsonSchema: schema }),
    ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
  };
}

/** How many tokens its compatible endpoint takes an effort for. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

function thinkingOf({ thinking, reasoningEffort }: NormalSettings): JsonObject | undefined {
  const budget = thinking?.["budgetTokens"] ?? thinking?.["budget_tokens"];
  if (thinking !== undefined && thinking["type"] !== "disabled")
    return {
      includeThoughts: true,
      ...(typeof budget === "number" ? { thinkingBudget: budget } : {}),
    };
  const ofEffort = reasoningEffort === undefined ? undefined : BUDGETS[reasoningEffort];
  return ofEffort === undefined ? undefined : { thinkingBudget: ofEffort };
}
