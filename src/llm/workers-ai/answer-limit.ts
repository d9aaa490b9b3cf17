// The limit of an answer. Without one, Workers AI's text models stop after 256 tokens, and their own form of answers has
// no word of it: developers.cloudflare.com/workers-ai/models (`max_tokens`), looked up in November 2026.
import type { Message, ToolSpec } from "../language-model.ts";
import { estimateTokens } from "../token-estimate.ts";

/** Largest limit that is sent where none is set: longer answers go on with further calls. */
const MOST_TOKENS = 4_096;
/** Smallest one: a request that leaves less is refused by the provider, as too long. */
const LEAST_TOKENS = 256;
/** Part of the window that an estimate may be off by. */
const MARGIN = 0.05;
/** Of an image or a file, whose bytes say nothing of it. */
const FILE_TOKENS = 1_500;

/** Tokens that the window leaves for an answer to a request of `used` tokens. */
export function answerLimit(used: number, contextWindow: number): number {
  const left = Math.floor(contextWindow * (1 - MARGIN)) - used;
  return Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, left));
}

/** Tokens of what a message says, about. */
export function tokensOf(content: Message["content"]): number {
  if (typeof content === "string") return estimateTokens(content);
  return content.reduce(
    (sum, part) => sum + (part.type === "text" ? estimateTokens(part.text) : FILE_TOKENS),
    0,
  );
}

/** Tokens of tools, about. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return estimateTokens(JSON.stringify(tools));
}
