// Server messages about a conversation too long for the model's window.
//
// Sources are the servers' code or pages of their documentation, looked up in November 2026, and received answers.

import { fieldsOf } from "./wire.ts";

/** Phrases of a length refusal, in lower case. Their servers are in test/support/provider-row-sources.ts. */
export const PHRASES: readonly string[] = [
  "expected a string with maximum length",
  "maximum context length",
  "context length exceeded",
  "context_length_exceeded",
  "context window full",
  "too many tokens",
  "input is too long",
  "exceeds token limit",
  "exceeds the maximum number of tokens",
  "prompt is too long",
  "exceed context limit",
  "exceeds the available context size",
  "context size has been exceeded",
  "exceed_context_size_error",
  "exceeds the context window",
  "exceeded this model context window limit",
  "context window exceeds limit",
  "maximum prompt length is",
  "context length of only",
  "greater than the context length",
  "`inputs` tokens + `max_new_tokens` must be",
  "range of input length should be",
  "exceeds maximum allowed token length",
  "please reduce the length of the messages",
  "`inputs` must have less than",
  "input validation error: `inputs`",
  "trying to keep the first",
  "too large for model with",
  "model's context length",
];

/** Parts of a refusal that may mention its length. */
export type SaidOfLength = {
  readonly status: number | undefined;
  readonly message: string;
  /** The error as the server wrote it, parsed. */
  readonly body?: unknown;
};

/** True for a refusal of a conversation for its length: by its fields, by two numbers of tokens in it, or by its words. */
export function isContextRefusal({ status, message, body }: SaidOfLength): boolean {
  const text = message.toLowerCase();
  if (PHRASES.some((phrase) => text.includes(phrase))) return true;
  // Refusals of rates and of costs count tokens as well.
  if (status !== undefined && !LENGTH_STATUSES.has(status)) return false;
  return hasFullWindow(body) || namesTwoLengths(text);
}

/** Statuses of length refusals; llama.cpp uses 500 within an answer. */
const LENGTH_STATUSES: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** llama.cpp: `{ n_prompt_tokens: 1417, n_ctx: 1024 }`. */
function hasFullWindow(body: unknown): boolean {
  const { n_prompt_tokens: used, n_ctx: window } = fieldsOf(body);
  return typeof used === "number" && typeof window === "number" && used >= window;
}

const OF_INPUT = /context|prompt|input|sequence|window|messages|conversation|request/;
const TOO_MUCH =
  /exceed|long|larg|greater|more than|over the|limit|max|only|too many|too big|reduce|shorten|fit/;
/** Limits of answers, of time and of money, and of something else than tokens. */
const OF_OTHERS =
  /per (?:second|minute|hour|day|month)|\bt[pm]m\b|rate.?limit|quota|billing|(?:completion|output|new|generated|thinking|budget)[ _-]tokens? (?:is|must|should|limit|cannot)|max_(?:completion_|output_|new_)?tokens (?:is|must|should|cannot|value)|at most \d+ (?:completion|output)|images?\b|characters|dimension/;

/**
 * "Your prompt has 40,000 tokens, but only 32,768 fit": detects an unlisted phrase by the two numbers every server
 * names.
 */
function namesTwoLengths(text: string): boolean {
  if (
    !/tokens|token (?:count|length|limit)/.test(text) ||
    !OF_INPUT.test(text) ||
    !TOO_MUCH.test(text)
  )
    return false;
  if (OF_OTHERS.test(text)) return false;
  const numbers = Array.from(text.matchAll(/(?<![\w.-])\d[\d,_]*\d(?![\w-])/g), ([number]) =>
    Number(number.replaceAll(/[,_]/g, "")),
  ).filter((number) => number >= LEAST_WINDOW);
  return new Set(numbers).size >= 2;
}

/** Smallest window of any model, in tokens. */
const LEAST_WINDOW = 256;
