// State of a conversation across turns.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { jsonObject } from "../../parts/schemas.ts";

const message = z.object({
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: z.string(),
  /** For an assistant's message: the agent behind it. */
  name: z.string().exactOptional(),
  toolCallId: z.string().exactOptional(),
  toolCalls: z.array(jsonObject).exactOptional(),
  metadata: jsonObject.default({}),
});

/** Message of a conversation. */
export type ConversationMessage = z.output<typeof message>;

const event = z.object({
  type: z.string(),
  payload: jsonObject,
  agentName: z.string().exactOptional(),
  visibility: z.enum(["private", "public"]),
});

/** Event of a conversation. */
export type ConversationEvent = z.output<typeof event>;

/**
 * State of a conversational flow without its own. `conversationState.extend({ ... })` adds fields. A schema without
 * these fields gets them too, but methods do not see their types.
 */
export const conversationState = z.object({
  /** The oldest first, as many as the flow keeps. */
  messages: z.array(message).default([]),
  /** Message this turn answers. */
  currentUserMessage: z.string().exactOptional(),
  lastUserMessage: z.string().exactOptional(),
  /** The route of the latest turn. */
  lastIntent: z.string().exactOptional(),
  /** True if the latest turn ended the conversation. */
  ended: z.boolean().default(false),
  events: z.array(event).default([]),
  /** Results of agents, by their names. */
  agentThreads: z.record(z.string(), z.array(message)).default({}),
  /** True once a turn has completed. */
  sessionReady: z.boolean().default(false),
});

/** The fields of a conversation. */
export type ConversationState = z.output<typeof conversationState>;

/** Returns the conversation's fields of a state parsed by the flow's schema. */
export function conversationIn(state: JsonObject): ConversationState {
  return state as ConversationState;
}

/** Returns a state without its growing lists: the messages, events and threads. */
export function withoutLists(state: JsonObject): JsonObject {
  const { messages: _, events: __, agentThreads: ___, ...rest } = state;
  return rest;
}

/** Limits of a stored conversation. */
export type ConversationLimits = {
  /** Entries of each list. */
  readonly maxMessages: number;
  /** Maximum length of each list as JSON text, in UTF-16 units. */
  readonly maxLength: number;
};

/** Drops the oldest entries beyond the limits. */
export function trimmed(state: JsonObject, limits: ConversationLimits): JsonObject {
  const { messages, events, agentThreads } = conversationIn(state);
  const threads = Object.entries(agentThreads).map(([name, thread]) => [
    name,
    newest(thread, limits),
  ]);
  return {
    ...state,
    messages: newest(messages, limits),
    events: newest(events, limits),
    agentThreads: Object.fromEntries(threads),
  };
}

/** Keeps the newest entry at any length. */
function newest<Entry>(
  entries: readonly Entry[],
  { maxMessages, maxLength }: ConversationLimits,
): readonly Entry[] {
  let from = entries.length;
  let length = 0;
  while (from > 0 && entries.length - from < maxMessages) {
    length += JSON.stringify(entries[from - 1]).length;
    if (length > maxLength && from < entries.length) break;
    from--;
  }
  return from === 0 ? entries : entries.slice(from);
}
