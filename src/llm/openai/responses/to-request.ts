// A conversation as items of the Responses API.
//
//   - Requests do not depend on the provider's storage: without `autoChain` every call carries the whole conversation,
//     including the model's own items (encrypted reasoning, records of built-in tools), and asks to store nothing.
//   - With `autoChain` a call names the last stored response of its conversation and carries only later items. The name
//     is part of the conversation, so a resumed run continues from the same response. A response lost by the provider
//     is replaced by the whole conversation.
import { builtinTool } from "./named-tool.ts";
import type {
  ResponseInputContent,
  ResponseInputItem,
  Tool,
} from "openai/resources/responses/responses";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { CallIds, OPENAI_IDS } from "../../call-ids.ts";
import { sendableParts, sentName, toUrl, type SendablePart } from "../../content.ts";
import type {
  Message,
  ModelCapabilities,
  ModelRequest,
  ToolCall,
  ToolSpec,
} from "../../language-model.ts";
import type { NormalSettings } from "../../model-settings.ts";
import { isStrictAlready, strictSchema } from "../../strict-schema.ts";
import { textOf } from "../../wire.ts";
import { inputAudio, toResponseFormat } from "../to-request.ts";
import { CALL_PART, ITEM_PART, RESPONSE_PART, TEXT_PART } from "./kept-parts.ts";

/** The conversation converted so far, with a separate system prompt. */
export type Conversation = {
  readonly system: string[];
  readonly items: ResponseInputItem[];
  /** Last response stored by the provider, and the number of items up to its end. */
  stored: { readonly id: string; readonly itemCount: number } | undefined;
  /** Calls of the built-in computer: their results go back as screenshots. */
  readonly computerCalls: Set<string>;
  readonly ids: CallIds;
};

/** Tool an agent needs for the built-in computer: it receives the actions and returns a screenshot's URL. */
export const COMPUTER_TOOL = "computer_use";

type Reader = {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly settings: NormalSettings;
};

export function startConversation(): Conversation {
  return {
    system: [],
    items: [],
    stored: undefined,
    computerCalls: new Set(),
    ids: new CallIds(OPENAI_IDS),
  };
}

export function appendMessage(conversation: Conversation, message: Message, reader: Reader): void {
  const { system, items, ids } = conversation;
  switch (message.role) {
    case "system":
      system.push(message.content);
      return;
    case "user": {
      const { content } = message;
      items.push({
        role: "user",
        content:
          typeof content === "string"
            ? content
            : sendableParts(content, reader).map((part) => toContent(part, reader.id)),
      });
      return;
    }
    case "assistant": {
      items.push(...assistantItems(message, conversation, reader));
      const id = message.providerParts?.find((part) => part["type"] === RESPONSE_PART)?.["id"];
      if (typeof id === "string") conversation.stored = { id, itemCount: items.length };
      return;
    }
    case "tool":
      items.push(
        conversation.computerCalls.has(message.toolCallId)
          ? screenshot(message.toolCallId, message.content)
          : {
              type: "function_call_output",
              call_id: ids.ofResult(message.toolCallId),
              output: message.content,
            },
      );
  }
}

/** Returns the request fields shared by every call of a model. Refuses settings that cannot work. */
export function requestBase(
  model: string,
  settings: NormalSettings,
): JsonObject & { model: string } {
  const { temperature, topP, maxTokens, topLogprobs, reasoningEffort } = settings;
  const { reasoning } = settings.params;
  const include = new Set(settings.include);
  if (settings.logprobs === true) include.add("message.output_text.logprobs");
  if (replaysReasoning(settings)) include.add("reasoning.encrypted_content");
  return {
    ...settings.params,
    model,
    store: settings.store ?? settings.autoChain === true,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(topLogprobs === undefined ? {} : { top_logprobs: topLogprobs }),
    ...(include.size > 0 ? { include: [...include] } : {}),
    ...(reasoningEffort === undefined
      ? {}
      : { reasoning: { ...(isJsonObject(reasoning) ? reasoning : {}), effort: reasoningEffort } }),
  };
}

/** True if reasoning is sent with each call: unless the provider stores it or the settings exclude it. */
function replaysReasoning({ autoChain, autoChainReasoning }: NormalSettings): boolean {
  return autoChain !== true && autoChainReasoning !== false;
}

export function toTools(tools: readonly ToolSpec[], settings: NormalSettings): Tool[] {
  const builtin = (settings.builtinTools ?? []).map(builtinTool);
  const hasComputer = builtin.some(({ type }) => type.startsWith("computer"));
  const own = tools
    .filter(({ name }) => !(hasComputer && name === COMPUTER_TOOL))
    .map(({ name, description, parameters }): Tool => {
      // Strict only if it changes no meaning, and always explicit, because strict is this API's default.
      const strict = isStrictAlready(parameters) ? strictSchema(parameters) : undefined;
      return {
        type: "function",
        name,
        description,
        parameters: { ...(strict ?? parameters) },
        strict: strict !== undefined,
      };
    });
  return [...builtin, ...own];
}

export type Body = {
  readonly base: JsonObject & { readonly model: string };
  readonly conversation: Conversation;
  readonly tools: readonly Tool[];
  readonly settings: NormalSettings;
  readonly responseSchema: ModelRequest["responseSchema"];
  readonly toolChoice: ModelRequest["toolChoice"];
  /** One call of a tool an answer. @default as many as the model makes */
  readonly isSerial?: boolean;
  /** Sends the whole conversation, even if a response is stored. */
  readonly whole: boolean;
};

export function toRequest(body: Body): JsonObject & { readonly model: string } {
  const { base, conversation, tools, settings, responseSchema, toolChoice, whole } = body;
  const choice =
    typeof toolChoice === "object" ? { type: "function", name: toolChoice.tool } : toolChoice;
  const { system, items } = conversation;
  const instructions = [settings.instructions ?? "", ...system].filter(
    (text) => text.trim() !== "",
  );
  const stored = settings.autoChain === true && !whole ? conversation.stored : undefined;
  const previous = stored?.id ?? (whole ? undefined : settings.previousResponseId);
  const format = responseSchema
    ? flatFormat(responseSchema)
    : settings.answersJson
      ? { type: "json_object" }
      : undefined;
  return {
    ...base,
    input: items.slice(stored?.itemCount ?? 0) as unknown as JsonValue,
    ...(instructions.length > 0 ? { instructions: instructions.join("\n\n") } : {}),
    ...(previous === undefined ? {} : { previous_response_id: previous }),
    ...(tools.length > 0 ? { tools: tools as unknown as JsonValue } : {}),
    ...(choice !== undefined && tools.length > 0 ? { tool_choice: choice } : {}),
    ...(body.isSerial === true && tools.length > 0 ? { parallel_tool_calls: false } : {}),
    ...(format === undefined
      ? {}
      : { text: { ...(isJsonObject(base["text"]) ? base["text"] : {}), format } }),
  };
}

function flatFormat(responseSchema: NonNullable<ModelRequest["responseSchema"]>): JsonObject {
  const { type, json_schema: format } = toResponseFormat(responseSchema);
  return { type, ...format };
}

function toContent(part: SendablePart, modelId: string): ResponseInputContent {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "image") {
    const source = "fileId" in part ? { file_id: part.fileId } : { image_url: toUrl(part) };
    return { type: "input_image", ...source, detail: part.detail ?? "auto" };
  }
  if (part.type === "audio" && "data" in part) {
    // Known to its audio models, and not to the SDK's types.
    const audio = { type: "input_audio", input_audio: inputAudio(part, modelId) };
    return audio as unknown as ResponseInputContent;
  }
  if ("fileId" in part) return { type: "input_file", file_id: part.fileId };
  if ("url" in part) return { type: "input_file", file_url: part.url };
  return { type: "input_file", filename: sentName(part.name ?? "file"), file_data: toUrl(part) };
}

/** Returns the model's answer in its own items and order, if they are known and still fit the message. */
function assistantItems(
  message: Message & { readonly role: "assistant" },
  conversation: Conversation,
  { settings }: Reader,
): ResponseInputItem[] {
  const { content, toolCalls = [], providerParts = [] } = message;
  const items: ResponseInputItem[] = [];
  let used = 0;
  const calls = toolCalls.map((call) => ({
    of: call.id,
    item: functionCall(call, conversation.ids),
  }));
  const placed = new Set<object>();
  for (const part of providerParts) {
    const item = part["item"];
    if (part["type"] === ITEM_PART && isJsonObject(item)) {
      if (item["type"] === "reasoning" && !replaysReasoning(settings)) continue;
      if (item["type"] === "computer_call") {
        const callId = textOf(item["call_id"]);
        for (const call of calls) if (call.of === callId) placed.add(call);
        conversation.computerCalls.add(callId);
      }
      items.push(item as unknown as ResponseInputItem);
    } else if (part["type"] === TEXT_PART && typeof part["length"] === "number") {
      const text = content.slice(used, used + part["length"]);
      used += part["length"];
      items.push({
        type: "message",
        id: textOf(part["id"]),
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      });
    } else if (part["type"] === CALL_PART) {
      const call = calls.find((one) => one.of === part["callId"] && !placed.has(one));
      if (call === undefined) continue;
      placed.add(call);
      items.push({ ...call.item, id: textOf(part["id"]) });
    }
  }
  const fits = used === content.length && placed.size === calls.length;
  if (items.length > 0 && fits) return items;
  return [
    ...(content === "" ? [] : [{ role: "assistant" as const, content }]),
    ...calls.map(({ item }) => item),
  ];
}

function functionCall({ id, name, arguments: text }: ToolCall, ids: CallIds) {
  return { type: "function_call" as const, call_id: ids.ofCall(id), name, arguments: text };
}

function screenshot(callId: string, url: string): ResponseInputItem {
  return {
    type: "computer_call_output",
    call_id: callId,
    output: { type: "computer_screenshot", image_url: url.trim() },
  };
}
