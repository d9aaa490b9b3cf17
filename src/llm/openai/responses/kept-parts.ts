// Parts of a response stored in an assistant's message beside its text and tool calls: the items to send back
// unchanged, and markers for the order of all items.
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

/** Returns the parts to keep of a response's items; empty if the message itself holds them all. */
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

/** Returns the text of a message item; a refusal counts as text if there is no other. */
export function messageText(item: Fields): string {
  return listOf(item["content"])
    .map((part) => textOf((part as Fields | null)?.["text"]))
    .join("");
}
