// Carryover from one chat to the next, as text in its opening message.
//
//   CYO1. Carryover follows the message's own text under the heading "Context: ". If the content has several parts, the
//         carryover is a separate part.
//   CYO2. A chat receives its own carryover first. The summaries of the finished chats follow in their order, without
//         excluded ones.
import { EngineError } from "../base/error.ts";
import { isJsonObject, typeName, type JsonValue } from "../base/json.ts";
import { contentText } from "./messages.ts";

/** Carryover: a text, or several values, each converted to text. */
export type Carryover = string | readonly JsonValue[];

/** A finished chat, as a later one sees it. */
export type FinishedChat<Key> = { readonly key: Key; readonly summary: string };

/**
 * Adds carryover to an opening message: a text, an object with `content`, or a list of parts. Without carryover,
 * returns the message unchanged. Throws `invalid_input` for any other message or carryover.
 */
export function withCarryover(message: JsonValue, carryover: Carryover | undefined): JsonValue {
  const text = carryoverText(carryover);
  if (text === "") return message;
  if (typeof message === "string") return `${message}\n${text}`;
  if (Array.isArray(message)) return [{ type: "text", text }, ...(message as JsonValue[])];
  if (!isJsonObject(message))
    throw wrongType("an opening message must be a text, a message or a list of parts", message);
  const { content = "" } = message;
  return { ...message, content: withCarryover(content ?? "", carryover) };
}

/** Returns the block added to a message; empty without carryover. */
export function carryoverText(carryover: unknown): string {
  if (carryover === undefined || carryover === null || carryover === "") return "";
  if (typeof carryover === "string") return `Context: \n${carryover}`;
  if (!Array.isArray(carryover)) throw wrongType("carryover must be a text or a list", carryover);
  const lines = (carryover as readonly JsonValue[]).map(itemText);
  return lines.length === 0 ? "" : `Context: \n${lines.join("\n")}`;
}

/** Returns the complete carryover of a chat. `excluded` names chats of `finished` by their index or id. */
export function receivedCarryover<Key>(
  own: Carryover | undefined,
  finished: readonly FinishedChat<Key>[],
  excluded: readonly Key[] = [],
): readonly JsonValue[] {
  const list = typeof own === "string" ? [own] : (own ?? []);
  const summaries = finished.filter(({ key }) => !excluded.includes(key));
  return [...list, ...summaries.map(({ summary }) => summary)];
}

function itemText(item: JsonValue): string {
  if (typeof item === "string") return item;
  if (isJsonObject(item) && item["content"] !== undefined) return contentText(item["content"]);
  return JSON.stringify(item);
}

function wrongType(expected: string, value: unknown): EngineError {
  return new EngineError("invalid_input", `${expected}, got ${typeName(value)}`);
}
