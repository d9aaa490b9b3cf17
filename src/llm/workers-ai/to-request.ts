import type { JsonObject, JsonValue } from "../../base/json.ts";
import { CallIds, callIdForm } from "../call-ids.ts";
import { tokensOf } from "./answer-limit.ts";
import type { Message, ModelCapabilities, ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { toParts } from "../openai/to-request.ts";

/** Returns the input fields shared by every call of a model. */
export function inputBase(settings: NormalSettings): JsonObject {
  const { temperature, topP, maxTokens, seed, frequencyPenalty, presencePenalty } = settings;
  return {
    ...settings.params,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(settings.reasoningEffort === undefined
      ? {}
      : { reasoning_effort: settings.reasoningEffort }),
  };
}

/** A conversation converted so far. */
export type Conversation = {
  readonly messages: JsonValue[];
  readonly ids: CallIds;
  /** Tokens of all messages. */
  tokens: number;
};

export function startConversation({ id }: { readonly id: string }): Conversation {
  return { messages: [], ids: new CallIds(callIdForm(id)), tokens: 0 };
}

export function appendMessage(
  conversation: Conversation,
  message: Message,
  reader: { readonly id: string; readonly capabilities: ModelCapabilities },
): void {
  const { messages: wire, ids } = conversation;
  conversation.tokens += tokensOf(message.content);
  switch (message.role) {
    case "system":
      wire.push({ role: "system", content: message.content });
      return;
    case "user":
      wire.push({
        role: "user",
        content:
          typeof message.content === "string"
            ? message.content
            : (toParts(message.content, reader) as unknown as JsonValue),
      });
      return;
    case "assistant":
      wire.push({
        role: "assistant",
        content: message.content,
        ...(message.toolCalls?.length
          ? {
              tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
                id: ids.ofCall(id),
                type: "function",
                function: { name, arguments: text },
              })),
            }
          : {}),
      });
      return;
    case "tool":
      wire.push({
        role: "tool",
        tool_call_id: ids.ofResult(message.toolCallId),
        name: message.toolName,
        content: message.content,
      });
  }
}

export function toolChoiceOf(choice: ModelRequest["toolChoice"]): JsonObject {
  if (choice === undefined || choice === "none") return {};
  return {
    tool_choice:
      choice === "required" ? choice : { type: "function", function: { name: choice.tool } },
  };
}

export function toTools(tools: readonly ToolSpec[]): JsonValue[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}
