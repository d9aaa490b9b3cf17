// Summaries that need no model.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { ConversationMessage, MessagePart } from "./messages.ts";

/** What ends a conversation by default when it is all that a message says. */
export const TERMINATE = "TERMINATE";

/** The `last_msg` summary: the text of a message without the word that ends a chat. Empty for no message. */
export function lastMessageSummary(message: ConversationMessage | undefined): string {
  const content = message?.content ?? "";
  return textOf(content).replaceAll(TERMINATE, "");
}

/** A summary that a function made, as text: nothing as an empty text, an object by its content, all else as it is written. */
export function summaryText(summary: JsonValue | undefined): string {
  if (summary === undefined || summary === null) return "";
  if (typeof summary === "string") return summary;
  if (isJsonObject(summary) && summary["content"] !== undefined)
    return summaryText(summary["content"]);
  return JSON.stringify(summary);
}

function textOf(content: string | readonly MessagePart[]): string {
  if (typeof content === "string") return content;
  return content
    .flatMap(({ type, text }) =>
      (type === "text" || type === "input_text") && typeof text === "string" ? [text] : [],
    )
    .join("\n");
}
