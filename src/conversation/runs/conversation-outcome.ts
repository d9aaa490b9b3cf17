import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type { ChatCost } from "../chats/chat-cost.ts";
import type { ConversationMessage } from "../messages.ts";

/** Common result of finished conversations, of two or of many. */
export type ConversationOutcome = {
  readonly summary: string;
  readonly messages: readonly ConversationMessage[];
  readonly lastSpeaker: string | null;
  readonly contextVariables: JsonObject;
  readonly cost: ChatCost;
};

/** Reads the output of a run that may have been a conversation; missing values are empty. */
export function outcomeOf(output: JsonValue): ConversationOutcome {
  const known = isJsonObject(output) ? output : {};
  const { summary, chatHistory, messages = chatHistory, lastSpeaker, contextVariables } = known;
  const { cost, usage } = known;
  return {
    summary: typeof summary === "string" ? summary : "",
    messages: Array.isArray(messages) ? (messages as readonly ConversationMessage[]) : [],
    lastSpeaker: typeof lastSpeaker === "string" ? lastSpeaker : null,
    contextVariables: isJsonObject(contextVariables) ? contextVariables : {},
    cost: isJsonObject(cost)
      ? (cost as unknown as ChatCost)
      : { total: isJsonObject(usage) ? (usage as unknown as Usage) : NO_USAGE, byAgent: {} },
  };
}
