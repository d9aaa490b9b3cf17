// What a conversation keeps from turn to turn.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { jsonObject } from "../../parts/schemas.ts";

const message = z.object({
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: z.string(),
  /** Of an assistant's message: the agent that gave it. */
  name: z.string().exactOptional(),
  toolCallId: z.string().exactOptional(),
  toolCalls: z.array(jsonObject).exactOptional(),
  metadata: jsonObject.default({}),
});

/** Something that is said in a conversation. */
export type ConversationMessage = z.output<typeof message>;

const event = z.object({
  type: z.string(),
  payload: jsonObject,
  agentName: z.string().exactOptional(),
  visibility: z.enum(["private", "public"]),
});

/** Something that happened in a conversation. */
export type ConversationEvent = z.output<typeof event>;

/**
 * The state of a conversational flow that declares none of its own. `conversationState.extend({ ... })` adds fields; a
 * schema without these fields gets them all the same, only their types are not known in methods.
 */
export const conversationState = z.object({
  /** The oldest first, as many as the flow keeps. */
  messages: z.array(message).default([]),
  /** What this turn answers. */
  currentUserMessage: z.string().exactOptional(),
  lastUserMessage: z.string().exactOptional(),
  /** The route of the latest turn. */
  lastIntent: z.string().exactOptional(),
  /** Whether the latest turn ended the conversation. */
  ended: z.boolean().default(false),
  events: z.array(event).default([]),
  /** What agents gave, by their names. */
  agentThreads: z.record(z.string(), z.array(message)).default({}),
  /** True once a turn has completed. */
  sessionReady: z.boolean().default(false),
});

/** The fields of a conversation. */
export type ConversationState = z.output<typeof conversationState>;

/** The conversation's fields of a state that was read by the flow's schema. */
export function conversationIn(state: JsonObject): ConversationState {
  return state as ConversationState;
}

/** A state without what grows: the messages, events and threads. */
export function withoutLists(state: JsonObject): JsonObject {
  const { messages: _, events: __, agentThreads: ___, ...rest } = state;
  return rest;
}

/** How much of a conversation is kept. */
export type ConversationLimits = {
  /** Entries of each list. */
  readonly maxMessages: number;
  /** Of each list as JSON text, in UTF-16 units. */
  readonly maxLength: number;
};

/** The state with the oldest entries dropped that are too many. */
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

/** The newest entry is kept however long it is. */
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
