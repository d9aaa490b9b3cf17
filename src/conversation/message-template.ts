// Templates in messages: `{name}` in a message's content stands for a value of its own `context`.
//
//   TPL1. Only a message with a `context` is a template, and only its own values fill it. Braces in other messages stay
//         unchanged.
//   TPL2. A name without a value stays unchanged. Texts are inserted unchanged, other values as JSON, and are not
//         scanned again.
//   TPL3. A message filled before yields the same object.
import { jsonText, type JsonObject } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";
import type { ConversationMessage } from "./messages.ts";
import { perMessage } from "./per-message.ts";

/** Returns the messages with their templates filled. */
export function filledTemplates(
  messages: readonly ConversationMessage[],
): readonly ConversationMessage[] {
  return messages.some(({ context }) => context !== undefined)
    ? messages.map(filledTemplate)
    : messages;
}

const filledTemplate = perMessage((message) => {
  const { content, context } = message;
  if (context === undefined || content === null) return message;
  if (typeof content === "string") return { ...message, content: fill(content, context) };
  const parts = content.map((part) =>
    typeof part["text"] === "string" ? { ...part, text: fill(part["text"], context) } : part,
  );
  return { ...message, content: parts };
});

function fill(text: string, context: JsonObject): string {
  return replacePlaceholders(text, (name) =>
    Object.hasOwn(context, name) ? jsonText(context[name]) : undefined,
  );
}
