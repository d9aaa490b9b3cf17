// Payloads of chat events.
//
//   CEV1. Events are emitted when recorded results are applied. A replay emits them again under the same ids, without
//         effect.
//   CEV2. Long texts are cut in events; the journal has them whole.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { Carryover } from "../carryover.ts";
import type { ContextChange } from "../context-variables.ts";
import type { ChatMember } from "../events.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { ChatOptions } from "./chat-options.ts";

type Pair = readonly [ConversationMember, ConversationMember];

/** Returns a member in the form for events. */
export function chatMember({
  name,
  description,
  humanInputMode,
}: Pick<ConversationMember, "name" | "description" | "humanInputMode">): ChatMember {
  const shown = cut(description, MAX_EVENT_TEXT);
  return { name, description: shown, isHuman: humanInputMode === "ALWAYS" };
}

/** Runs a chat at `scope`, and emits events for its start and end. */
export async function withChatEvents<
  Result extends { readonly reason: string; readonly summary: string },
>(
  scope: RunScope,
  { chat, members }: { readonly chat: string; readonly members: readonly ConversationMember[] },
  code: (scope: RunScope) => Promise<Result>,
): Promise<Result> {
  const shown = [...new Set(members)].map(chatMember);
  const place = scope.open("chat_started", { chat, members: shown });
  try {
    const result = await code(place);
    const summary = cut(result.summary, MAX_EVENT_TEXT);
    place.emit("chat_completed", { chat, reason: result.reason, summary });
    return result;
  } catch (error) {
    place.emit("chat_failed", { chat, error: errorMessage(error) });
    throw error;
  }
}

/** Returns a message in the form for events. Long parts become their text. */
export function shownMessage(message: ConversationMessage): ConversationMessage {
  const { content, toolCalls, functionCall, toolResponses, context, ...rest } = message;
  return {
    ...rest,
    content: shownContent(content),
    ...(toolCalls === undefined ? undefined : { toolCalls: toolCalls.map(withShownArguments) }),
    ...(functionCall === undefined
      ? undefined
      : { functionCall: withShownArguments(functionCall) }),
    ...(toolResponses === undefined
      ? undefined
      : {
          toolResponses: toolResponses.map((each) => ({
            ...each,
            content: cut(each.content, MAX_EVENT_TEXT),
          })),
        }),
    ...(context === undefined || isLong(context) ? undefined : { context }),
  };
}

/** Emits a turn's changes of the context variables; emits no event without changes. */
export function emitChanges(
  place: RunScope,
  agent: string,
  changes: readonly ContextChange[],
): void {
  if (changes.length === 0) return;
  const set: Record<string, JsonValue> = {};
  const removed = new Set<string>();
  for (const change of changes)
    if (change.kind === "removed")
      for (const name of change.names) {
        delete set[name];
        removed.add(name);
      }
    else
      for (const [name, value] of Object.entries(change.values)) {
        set[name] = shownValue(value);
        removed.delete(name);
      }
  place.emit("chat_context_changed", { agent, set, removed: [...removed] });
}

/** Emits the carryover of a chat, at the chat's place. */
export function emitCarryover(
  scope: RunScope,
  [sender, recipient]: Pair,
  options: Omit<ChatOptions, "carryover"> & { readonly carryover: Carryover },
): void {
  const { carryover, message, summaryMethod = "last_msg", maxTurns } = options;
  const list = typeof carryover === "string" ? [carryover] : carryover;
  scope.emit("chat_carryover_added", {
    sender: sender.name,
    recipient: recipient.name,
    carryover: list.map(shownValue),
    ...(message === undefined || typeof message === "function"
      ? undefined
      : { message: shownValue(message) }),
    summaryMethod: typeof summaryMethod === "function" ? "function" : summaryMethod,
    ...(maxTurns === undefined ? undefined : { maxTurns }),
  });
}

function shownContent(content: ConversationMessage["content"]): ConversationMessage["content"] {
  if (typeof content === "string") return cut(content, MAX_EVENT_TEXT);
  if (content === null || !isLong(content)) return content;
  return cut(contentText(content), MAX_EVENT_TEXT);
}

function withShownArguments<Call extends { readonly arguments: string }>(call: Call): Call {
  return { ...call, arguments: cut(call.arguments, MAX_EVENT_TEXT) };
}

function shownValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return cut(value, MAX_EVENT_TEXT);
  return isLong(value) ? cut(JSON.stringify(value), MAX_EVENT_TEXT) : value;
}

function isLong(value: unknown): boolean {
  return JSON.stringify(value).length > MAX_EVENT_TEXT;
}
