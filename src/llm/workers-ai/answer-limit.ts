// The limit of an answer. Without one, Workers AI's text models stop after 256 tokens, and their own form of answers has
// no word of it: developers.cloudflare.com/workers-ai/models (`max_tokens`), looked up in November 2026.
/** Largest limit that is sent where none is set: longer answers go on with further calls. */
const MOST_TOKENS = 4_096;
/** Smallest one: a request that leaves less is refused by the provider, as too long. */
const LEAST_TOKENS = 256;

/** Tokens that the window leaves for an answer to a request of `used` tokens. */
export function answerLimit(used: number, contextWindow: number): number {
  return Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, contextWindow - used));
}

/** Tokens of a text or of a value as JSON, counted on the safe side: Latin text has four characters a token, code three, other scripts about one. */
export function tokensOf(value: unknown): number {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[^\0-\x7f]/.test(text) ? text.length : Math.ceil(text.length / 3);
}
