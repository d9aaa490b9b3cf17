// Summaries without a model.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { ConversationMessage, MessagePart } from "./messages.ts";

/** Text of a message that ends a conversation by default. */
export const TERMINATE = "TERMINATE";

/** The `last_msg` summary: the text of a message without the word TERMINATE. Empty without a message. */
export function lastMessageSummary(message: ConversationMessage | undefined): string {
  const content = message?.content ?? "";
  return textOf(content).replaceAll(TERMINATE, "");
}

/** Converts a function's summary to text: null to an empty text, an object to its content, other values as written. */
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
