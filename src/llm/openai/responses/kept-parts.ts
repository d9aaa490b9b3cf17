// What an assistant's message keeps of a response beside its text and tool calls: the items that must go back as they
// came, and markers that keep everything in its order.
import type { JsonObject } from "../../../base/json.ts";
import { listOf, textOf, type Fields } from "../../wire.ts";
import { withoutImage } from "./builtin-tools.ts";

/** An item of the model's own: reasoning, a web search, a call of the computer. */
export const ITEM_PART = "openai.item";
/** The next `length` characters of the message's text. */
export const TEXT_PART = "openai.text";
/** The message's tool call of this id. */
export const CALL_PART = "openai.call";
/** The response, which the provider has stored. */
export const RESPONSE_PART = "openai.response";

/** What to keep of a response's items; nothing when the message itself holds them all. */
export function partsToKeep(items: readonly Fields[]): JsonObject[] {
  if (items.every(({ type }) => type === "message" || type === "function_call")) return [];
  return items.flatMap((item): JsonObject[] => {
    switch (item["type"]) {
      case "message":
        return [{ type: TEXT_PART, id: textOf(item["id"]), length: messageText(item).length }];
      case "function_call":
        return [{ type: CALL_PART, id: textOf(item["id"]), callId: textOf(item["call_id"]) }];
      default: {
        const kept = withoutImage(item);
        return kept === undefined ? [] : [{ type: ITEM_PART, item: kept }];
      }
    }
  });
}

/** The text of a message item; what it refuses counts as text when that is all. */
export function messageText(item: Fields): string {
  return listOf(item["content"])
    .map((part) => textOf((part as Fields | null)?.["text"]))
    .join("");
}
