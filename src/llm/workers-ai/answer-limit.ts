// The limit of an answer. Without one, Workers AI's text models stop after 256 tokens, and their own form of answers has
// no word of it: developers.cloudflare.com/workers-ai/models (`max_tokens`), looked up in November 2026.
import type { Message, ToolSpec } from "../language-model.ts";
import { estimateTokens } from "../token-estimate.ts";

/** Largest limit sent by default: longer answers continue with further calls. */
const MOST_TOKENS = 4_096;
/** Smallest limit: the provider refuses a request that leaves less, as too long. */
const LEAST_TOKENS = 256;
/** Possible error of an estimate, as a share of the window. */
const MARGIN = 0.05;
/** Estimate for an image or a file, whose bytes do not show its tokens. */
const FILE_TOKENS = 1_500;

/** Returns the tokens left in the window for an answer to a request of `used` tokens. */
export function answerLimit(used: number, contextWindow: number): number {
  const left = Math.floor(contextWindow * (1 - MARGIN)) - used;
  return Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, left));
}

/** Estimates the tokens of a message's content. */
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
