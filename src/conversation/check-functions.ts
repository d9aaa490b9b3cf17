// Functions and lists of users, checked where they are defined.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";

/** Throws `invalid_definition` for a value other than a function. */
export function checkFunction(what: string, value: unknown, advice = ""): void {
  if (typeof value === "function") return;
  throw invalidDefinition(`${what} must be a function, got ${preview(value)}${advice}`);
}

/** Throws `invalid_definition` for anything but a list of chats with recipients. */
export function checkChats(what: string, chats: unknown): void {
  const config = (chats ?? {}) as { readonly chat_queue?: unknown; readonly chatQueue?: unknown };
  if (config.chat_queue !== undefined || config.chatQueue !== undefined)
    throw invalidDefinition(`${what} takes the list of chats: write the list of chat_queue itself`);
  if (!Array.isArray(chats))
    throw invalidDefinition(`${what} takes a list of chats, got ${preview(chats)}`);
  for (const [index, chat] of (chats as readonly unknown[]).entries()) {
    const recipient = (chat as { readonly recipient?: unknown } | null)?.recipient;
    if (recipient === undefined || recipient === null)
      throw invalidDefinition(`${what}: chat ${index + 1} needs a recipient, got ${preview(chat)}`);
  }
}

/** Returns a function's name for messages. */
export function namedFunction({ name }: { readonly name: string }): string {
  return name === "" ? "without a name" : `"${name}"`;
}
