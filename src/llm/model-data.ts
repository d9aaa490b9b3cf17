// Facts about models: their context windows and prices. Data with a date, not behaviour. Correct the data here, or
// override them by `contextWindowSize` in a model's settings and `prices` in the model environment. Collected in
// November 2026, partly at second hand: check a price against the provider's own page before billing by it.
import type { Usage } from "../base/usage.ts";

/** US dollars per million tokens. */
export type Price = {
  readonly input: number;
  /** Prompt tokens read from a prompt cache. */
  readonly cachedInput: number;
  readonly output: number;
  /** Prompt tokens written to a prompt cache. @default input */
  readonly cacheWrite?: number;
  /** Prices of calls with a prompt longer than `above` tokens, if the provider charges more for them. */
  readonly longPrompt?: Price & { readonly above: number };
};

/** Prices by model name (`gpt-4.1`), or by provider and model if the price differs there (`groq/…`). */
export type PriceTable = Readonly<Record<string, Price>>;

/** Used share of a context window, to leave room for estimates and answers. */
const USABLE_PART = 0.85;

const UNKNOWN_WINDOW = 8192;

const UNKNOWN_WINDOW_BY_PROVIDER: Readonly<Record<string, number>> = {
  anthropic: 200_000,
  gemini: 1_048_576,
};

/** Context windows in tokens, by the start of the model's name. The longest matching start wins. */
const WINDOWS: Readonly<Record<string, number>> = {
  "gpt-3.5-turbo": 16_385,
  "gpt-4": 8192,
  "gpt-4-turbo": 128_000,
  "gpt-4o": 128_000,
  "gpt-4o-mini": 200_000,
  "gpt-4.1": 1_047_576,
  "gpt-5": 1_047_576,
  "gpt-5.4-mini": 200_000,
  "gpt-6": 1_047_576,
  "gpt-oss": 131_072,
  o1: 200_000,
  "o1-preview": 128_000,
  "o1-mini": 128_000,
  o3: 200_000,
  "o3-mini": 200_000,
  "o4-mini": 200_000,
  "claude-v2": 100_000,
  "claude-instant": 100_000,
  "claude-3": 200_000,
  "claude-opus-4": 200_000,
  "claude-opus-4-6": 1_000_000,
  "claude-opus-4-7": 1_000_000,
  "claude-opus-4-8": 1_000_000,
  "claude-opus-5": 1_000_000,
  "claude-sonnet-4": 200_000,
  "claude-sonnet-4-6": 1_000_000,
  "claude-sonnet-5": 1_000_000,
  "claude-haiku-4": 200_000,
  "claude-haiku-5-5": 1_000_000,
  "claude-fable-5": 1_000_000,
  "claude-mythos-5": 1_000_000,
  "gemini-1.5-flash": 1_048_576,
  "gemini-1.5-pro": 2_097_152,
  "gemini-2": 1_048_576,
  "gemini-2.0-flash-thinking": 32_768,
  "gemini-3": 1_048_576,
  gemma: 8192,
  "gemma-3": 128_000,
  "gemma-3-1b": 32_000,
  "deepseek-chat": 128_000,
  "deepseek-reasoner": 128_000,
  "llama-3": 8192,
  "llama-3.1": 131_072,
  "llama-3.3": 131_072,
  "llama-3.3-70b": 128_000,
  "meta-llama-3": 8192,
  "meta-llama-3.1": 131_072,
  "meta-llama-3.3": 131_072,
  "llama3-1": 128_000,
  "llama3-3": 128_000,
  "nova-micro": 128_000,
  "nova-lite": 300_000,
  "nova-pro": 300_000,
  mixtral: 32_768,
  mistral: 32_768,
  "qwen2.5": 8192,
  "qwen-2.5": 8192,
  qwq: 8192,
  jamba: 256_000,
  j2: 8191,
  "titan-text-lite": 4000,
  "titan-text-express": 8000,
  "command-text": 4000,
};

const PRICES: PriceTable = {
  "gpt-6-astra": flat(10, 1, 50),
  "gpt-6-sol": { input: 2, cachedInput: 0.2, output: 10, cacheWrite: 2.5 },
  "gpt-6-luna": { input: 0.1, cachedInput: 0.01, output: 0.5, cacheWrite: 0.125 },
  "gpt-5.6-sol": flat(4, 0.4, 20),
  "gpt-5.6-terra": flat(2, 0.2, 12),
  "gpt-5.6-luna": flat(0.2, 0.02, 1.2),
  "gpt-5.5": flat(5, 0.5, 30),
  "gpt-5.4": flat(2.5, 0.25, 15),
  "gpt-5.4-mini": flat(0.75, 0.075, 4.5),
  "gpt-5.4-nano": flat(0.2, 0.02, 1.25),
  "gpt-5.2": flat(1.75, 0.175, 14),
  "gpt-5.1": flat(1.25, 0.125, 10),
  "gpt-5": flat(1.25, 0.125, 10),
  "gpt-5-mini": flat(0.25, 0.025, 2),
  "gpt-5-nano": flat(0.05, 0.005, 0.4),
  "gpt-4.1": flat(2, 0.5, 8),
  "gpt-4.1-mini": flat(0.4, 0.1, 1.6),
  "gpt-4.1-nano": flat(0.1, 0.025, 0.4),
  "gpt-4o": flat(2.5, 1.25, 10),
  "gpt-4o-mini": flat(0.15, 0.075, 0.6),
  "gpt-4-turbo": flat(10, 10, 30),
  "gpt-4": flat(30, 30, 60),
  "gpt-3.5-turbo": flat(0.5, 0.5, 1.5),
  o1: flat(15, 7.5, 60),
  o3: flat(2, 0.5, 8),
  "o3-mini": flat(1.1, 0.55, 4.4),
  "o4-mini": flat(1.1, 0.275, 4.4),
  "claude-fable-5-1": cached(10, 0.25, 50),
  "claude-fable-5": cached(10, 1, 50),
  "claude-opus-5-5": cached(4, 0.2, 20),
  "claude-opus-5": cached(5, 0.5, 25),
  "claude-opus-4-8": cached(5, 0.5, 25),
  "claude-opus-4-7": cached(5, 0.5, 25),
  "claude-opus-4-6": cached(5, 0.5, 25),
  "claude-opus-4-5": cached(5, 0.5, 25),
  "claude-opus-4-1": cached(15, 1.5, 75),
  "claude-opus-4": cached(15, 1.5, 75),
  "claude-sonnet-5-5": cached(2, 0.1, 10),
  "claude-sonnet-5": cached(2, 0.2, 10),
  "claude-sonnet-4-6": cached(3, 0.3, 15),
  "claude-sonnet-4-5": cached(3, 0.3, 15),
  "claude-sonnet-4": cached(3, 0.3, 15),
  "claude-3-7-sonnet": cached(3, 0.3, 15),
  "claude-3-5-sonnet": cached(3, 0.3, 15),
  "claude-haiku-5-5": {
    ...cached(0.1, 0.01, 0.5),
    longPrompt: { above: 100_000, ...cached(0.5, 0.05, 2.5) },
  },
  "claude-haiku-4-5": cached(1, 0.1, 5),
  "claude-3-5-haiku": cached(0.8, 0.08, 4),
  "claude-3-haiku": cached(0.25, 0.03, 1.25),
  "claude-3-opus": cached(15, 1.5, 75),
  "gemini-3-pro-preview": {
    ...flat(2, 0.2, 12),
    longPrompt: { above: 200_000, ...flat(4, 0.4, 18) },
  },
  "gemini-3-flash-preview": flat(0.5, 0.05, 3),
  "gemini-2.5-pro": {
    ...flat(1.25, 0.125, 10),
    longPrompt: { above: 200_000, ...flat(2.5, 0.25, 15) },
  },
  "gemini-2.5-flash": flat(0.3, 0.03, 2.5),
  "gemini-2.5-flash-lite": flat(0.1, 0.01, 0.4),
  "gemini-2.0-flash": flat(0.1, 0.025, 0.4),
  "deepseek-chat": flat(0.28, 0.028, 0.42),
  "deepseek-reasoner": flat(0.28, 0.028, 0.42),
  "mistral-large": flat(0.5, 0.5, 1.5),
  "mistral-medium": flat(0.4, 0.4, 2),
  "mistral-small": flat(0.1, 0.1, 0.3),
  "grok-4": flat(3, 0.75, 15),
  "grok-3": flat(3, 0.75, 15),
  "grok-3-mini": flat(0.3, 0.075, 0.5),
  "groq/llama-3.3-70b-versatile": flat(0.59, 0.59, 0.79),
  "groq/llama-3.1-8b-instant": flat(0.05, 0.05, 0.08),
  "groq/openai/gpt-oss-120b": flat(0.15, 0.075, 0.6),
  "workers-ai/@cf/openai/gpt-oss-120b": flat(0.35, 0.35, 0.75),
  "workers-ai/@cf/openai/gpt-oss-20b": flat(0.2, 0.2, 0.3),
  "workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast": flat(0.293, 0.293, 2.253),
  "workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct": flat(0.27, 0.27, 0.85),
};

/** Providers with models on the caller's own machine. */
const FREE_PROVIDERS = ["ollama", "hosted_vllm", "offline", "scripted"];

/**
 * Returns the size of a model's context window, in tokens. `modelId` is `provider/model`; the provider decides only for
 * unlisted models.
 */
export function contextWindowOf(modelId: string): number {
  const name = bareName(modelId);
  let longest = "";
  for (const start of Object.keys(WINDOWS)) {
    if (start.length > longest.length && name.startsWith(start)) longest = start;
  }
  return WINDOWS[longest] ?? UNKNOWN_WINDOW_BY_PROVIDER[providerOf(modelId)] ?? UNKNOWN_WINDOW;
}

/**
 * True for models with vision, by their names. The last line is for Workers AI's and other open models. Other models
 * need `vision: true` in their settings.
 */
export function seesImages(modelId: string): boolean {
  const name = bareName(modelId);
  if (/^(?:o1-mini|o1-preview|o3-mini)/.test(name)) return false;
  return (
    /^(?:gpt-4o|gpt-4-turbo|gpt-4-vision|gpt-4\.1|gpt-[5-9]|o[134](?:-|$))/.test(name) ||
    /^claude-(?:[345]|(?:sonnet|opus|haiku|fable|mythos)-[4-9])/.test(name) ||
    /^(?:gemini|grok|pixtral|llava|qwen-?[23]?(?:\.\d)?-?vl)/.test(name) ||
    /^(?:llama-?4|gemma-3|mistral-small-3\.[1-9]|nova-(?:lite|pro|premier))|vision/.test(name)
  );
}

/** Providers whose vision models also read PDFs. */
const PDF_PROVIDERS = ["anthropic", "openai", "azure", "gemini", "bedrock"];

/** True if a vision model reads PDFs directly. */
export function readsPdfs(modelId: string): boolean {
  return PDF_PROVIDERS.includes(providerOf(modelId)) && seesImages(modelId);
}

/** True if a model accepts audio, by its name. */
export function takesAudio(modelId: string): boolean {
  const name = bareName(modelId);
  return /^gpt-(?:[\w.]+-)?audio\b/.test(name) || (isGemini(modelId) && name.startsWith("gemini"));
}

/** True if a model accepts video. */
export function takesVideo(modelId: string): boolean {
  return isGemini(modelId) && bareName(modelId).startsWith("gemini");
}

function isGemini(modelId: string): boolean {
  return providerOf(modelId) === "gemini";
}

/** Returns the number of tokens a conversation may fill in a window of this size. */
export function usableContextWindow(contextWindow: number): number {
  return Math.floor(contextWindow * USABLE_PART);
}

/** True for models on the caller's own machine, which cost no money. */
export function isFree(modelId: string): boolean {
  return FREE_PROVIDERS.includes(providerOf(modelId));
}

/** The price of a model; undefined when it is not known. A dated or `latest` name has the price of its model. */
export function priceOf(modelId: string, overrides: PriceTable = {}): Price | undefined {
  const id = modelId.toLowerCase();
  const name = bareName(modelId);
  const candidates = isFree(id) ? [id] : [id, undated(id), name, undated(name)];
  for (const table of [overrides, PRICES]) {
    for (const candidate of candidates) {
      const price = table[candidate];
      if (price) return price;
    }
  }
  return undefined;
}

export type TokenCounts = Pick<
  Usage,
  | "promptTokens"
  | "cachedPromptTokens"
  | "cacheCreationTokens"
  | "completionTokens"
  | "reasoningTokens"
>;

/** Returns the cost of one call in US dollars; 0 for an unknown price. */
export function costUsd(
  modelId: string,
  tokens: Omit<TokenCounts, "reasoningTokens">,
  overrides?: PriceTable,
): number {
  return costAt(priceOf(modelId, overrides), tokens);
}

/** The usage of one successful call. */
export function usageOfCall(tokens: TokenCounts, price: Price | undefined): Usage {
  return {
    ...tokens,
    totalTokens: tokens.promptTokens + tokens.completionTokens,
    requests: 1,
    costUsd: costAt(price, tokens),
  };
}

function costAt(price: Price | undefined, tokens: Omit<TokenCounts, "reasoningTokens">): number {
  if (price === undefined) return 0;
  const { promptTokens, cachedPromptTokens, cacheCreationTokens, completionTokens } = tokens;
  const { longPrompt } = price;
  const rate = longPrompt && promptTokens > longPrompt.above ? longPrompt : price;
  const fresh = Math.max(0, promptTokens - cachedPromptTokens - cacheCreationTokens);
  const microDollars =
    fresh * rate.input +
    cachedPromptTokens * rate.cachedInput +
    cacheCreationTokens * (rate.cacheWrite ?? rate.input) +
    completionTokens * rate.output;
  return microDollars / 1_000_000;
}

/** `bedrock/us.anthropic.claude-3-haiku-20240307-v1:0` → `claude-3-haiku-20240307-v1:0` */
function bareName(modelId: string): string {
  const name = modelId.slice(modelId.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(
    /^(?:(?:us|eu|apac|global)\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21|openai|deepseek)\./,
    "",
  );
}

/** Removes the version suffix of a name: `-2025-04-14`, `-20241022`, `-latest`, `-v2:0`, `@20250514`. */
function undated(name: string): string {
  return name.replace(/(?:[-@](?:latest|0|\d{4}-\d{2}-\d{2}|\d{6,8}))?(?:-v\d+(?::\d+)?)?$/, "");
}

function providerOf(modelId: string): string {
  return modelId.slice(0, Math.max(0, modelId.indexOf("/"))).toLowerCase();
}

function flat(input: number, cachedInput: number, output: number): Price {
  return { input, cachedInput, output };
}

/** Writing to Anthropic's five-minute cache costs a quarter more than reading fresh input. */
function cached(input: number, cachedInput: number, output: number): Price {
  return { input, cachedInput, output, cacheWrite: input * 1.25 };
}
