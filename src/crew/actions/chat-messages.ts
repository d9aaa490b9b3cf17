import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";

/** One message of a conversation with a crew. */
export type ChatMessage = { readonly role: "user" | "assistant"; readonly content: string };

/** The model's answer: as a text and as a message for the next turn. */
export type ChatReply = { readonly raw: string; readonly message: ChatMessage };

/** Throws `invalid_input` unless `messages` are a conversation with a user message at the end. */
export function checkChat(messages: unknown): asserts messages is readonly ChatMessage[] {
  const parsed = CHAT.safeParse(messages);
  if (parsed.success) return;
  throw new EngineError(
    "invalid_input",
    `messages must be a list of { role: "user" | "assistant", content } that ends with the user's, got ${preview(messages)}`,
  );
}

/** Conversation with a user message at the end. */
export const CHAT = z
  .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string().min(1) }))
  .min(1)
  .refine((messages) => messages.at(-1)?.role === "user", {
    error: "the last message must be the user's",
  });
