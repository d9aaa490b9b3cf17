// The limit of an answer. Without one, Workers AI's text models stop after 256 tokens, and their own form of answers has
// no word of it: developers.cloudflare.com/workers-ai/models (`max_tokens`), looked up in November 2026.
import type { ModelRequest } from "../language-model.ts";

/** Largest limit that is sent where none is set: longer answers go on with further calls. */
const MOST_TOKENS = 4_096;
/** Smallest one: a request that leaves less is refused by the provider, as too long. */
const LEAST_TOKENS = 256;

/** Tokens that the window leaves for an answer to this request, counted on the safe side. */
export function answerLimit({ messages, tools }: ModelRequest, contextWindow: number): number {
  let used = tools === undefined ? 0 : tokensOf(JSON.stringify(tools));
  for (const { content } of messages)
    used += tokensOf(typeof content === "string" ? content : JSON.stringify(content));
  return Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, contextWindow - used));
}

/** Latin text has four characters a token, code three, and other scripts about one. */
function tokensOf(text: string): number {
  return /[^\0-\x7f]/.test(text) ? text.length : Math.ceil(text.length / 3);
}
