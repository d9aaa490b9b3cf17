// How servers word that a conversation does not fit the model's window.
//
// Sources are the servers' code or pages of their documentation, looked up in November 2026, and answers that were received.

import { fieldsOf } from "./wire.ts";

/** Words of a refusal for its length, in lower case, with the servers that use them. */
export const PHRASES: readonly (readonly [phrase: string, servers: string])[] = [
  ["expected a string with maximum length", "OpenAI"],
  ["maximum context length", "OpenAI, vLLM, OpenRouter, DeepSeek"],
  ["context length exceeded", "OpenAI, Groq"],
  ["context_length_exceeded", "OpenAI, Azure"],
  ["context window full", "Anthropic on Bedrock"],
  ["too many tokens", "Cohere"],
  ["input is too long", "Bedrock"],
  ["exceeds token limit", "Vertex"],
  ["exceeds the maximum number of tokens", "Gemini"],
  ["prompt is too long", "Anthropic"],
  ["exceed context limit", "Anthropic"],
  ["exceeds the available context size", "llama.cpp, Ollama"],
  ["context size has been exceeded", "llama.cpp, in the middle of an answer"],
  ["exceed_context_size_error", "llama.cpp"],
  ["exceeds the context window", "OpenAI's Responses API"],
  ["exceeded this model context window limit", "Workers AI"],
  ["context window exceeds limit", "MiniMax"],
  ["maximum prompt length is", "xAI"],
  ["context length of only", "LM Studio"],
  ["greater than the context length", "LM Studio"],
  ["`inputs` tokens + `max_new_tokens` must be", "Text Generation Inference, Together"],
  ["range of input length should be", "DashScope"],
  ["exceeds maximum allowed token length", "Databricks"],
  ["please reduce the length of the messages", "OpenAI, Groq"],
  ["`inputs` must have less than", "Text Generation Inference"],
  ["input validation error: `inputs`", "Text Generation Inference"],
  ["trying to keep the first", "LM Studio"],
  ["too large for model with", "Mistral"],
  ["model's context length", "SGLang"],
];

/** A refusal, as far as it tells of its length. */
export type SaidOfLength = {
  readonly status: number | undefined;
  readonly message: string;
  /** The error as the server wrote it, parsed. */
  readonly body?: unknown;
};

/** True for a refusal of a conversation for its length: by its fields, by two numbers of tokens in it, or by its words. */
export function isContextRefusal({ status, message, body }: SaidOfLength): boolean {
  const text = message.toLowerCase();
  if (PHRASES.some(([phrase]) => text.includes(phrase))) return true;
  // What is sent too fast, or costs too much, is counted in tokens as well.
  if (status !== undefined && !LENGTH_STATUSES.has(status)) return false;
  return hasFullWindow(body) || namesTwoLengths(text);
}

/** Statuses with which servers refuse a length; llama.cpp says 500 in the middle of an answer. */
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

/** "Your prompt has 40,000 tokens, but only 32,768 fit": words that nobody has listed, with the two numbers that every server names. */
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

/** The smallest window that anything has. */
const LEAST_WINDOW = 256;
