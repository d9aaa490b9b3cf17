// Transforms of a long history for a model.
//
//   TFM1. A leading system message is kept by every transform.
//   TFM2. A window never begins with the result of a call, since the call is not in it.
//   TFM3. Messages keep their order. A transform without changes returns the same list.
//   TFM4. The cost of a transform grows with the kept messages, not with the dropped ones. A message changed before in
//         the same way is the same object again, so a model's view can grow.
//   TFM5. A text is compressed once in a conversation.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { fingerprint } from "../base/hash.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import type { JsonValue } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";
import { estimateTokens } from "../llm/token-estimate.ts";
import { perMessage } from "./per-message.ts";
import { isToolResult, type ConversationMessage, type MessagePart } from "./messages.ts";

/** Makes a value once for a key, and returns the same value in later turns of the conversation. */
export type Remember = <T extends JsonValue>(key: string, make: () => T | Promise<T>) => Promise<T>;

/** Changes the history for a model; the transcript stays unchanged. Impure work goes through `remember`. */
export type MessageTransform = (
  messages: readonly ConversationMessage[],
  remember: Remember,
) => readonly ConversationMessage[] | Promise<readonly ConversationMessage[]>;

/** Returns the number of tokens of a text, for a model. */
export type TokenCounter = (text: string) => number;

/** Applies transforms in sequence. */
export async function transformMessages(
  messages: readonly ConversationMessage[],
  transforms: readonly MessageTransform[],
  remember: Remember = async (_, make) => make(),
): Promise<readonly ConversationMessage[]> {
  const [first, ...others] = messages;
  const system = first?.role === "system" ? first : undefined;
  let rest: readonly ConversationMessage[] = system === undefined ? messages : others;
  for (const transform of transforms) rest = await transform(rest, remember);
  return system === undefined ? rest : [system, ...rest];
}

/** Advice for filters, which only `messageTokenLimiter()` has. */
const OWN_TRANSFORM = {
  excludeFilter: "write a transform of your own, a function of the messages",
  filterDict: "write a transform of your own, a function of the messages",
};

type HistoryLimits = {
  /** @default all */
  readonly maxMessages?: number;
  readonly keepFirstMessage?: boolean;
  /** Members whose messages are left out and not counted. */
  readonly excludeNames?: readonly string[];
};

const HISTORY_LIMITS = definitionOptions<HistoryLimits>("messageHistoryLimiter()", {
  maxMessages: true,
  keepFirstMessage: true,
  excludeNames: true,
});

/** Keeps the last messages, and on request the first one. Throws `invalid_definition` for a limit below one. */
export function messageHistoryLimiter(options: HistoryLimits): MessageTransform {
  refuseUnknownOptions(options, HISTORY_LIMITS);
  const { maxMessages, keepFirstMessage = false, excludeNames = [] } = options;
  if (maxMessages !== undefined && !(Number.isInteger(maxMessages) && maxMessages >= 1))
    throw invalidDefinition(`maxMessages must be an integer >= 1, got ${maxMessages}`);
  const counts = ({ name }: ConversationMessage): boolean =>
    name === undefined || !excludeNames.includes(name);
  return (messages) => {
    if (maxMessages === undefined || messages.length <= maxMessages)
      return messages.every(counts) ? messages : messages.filter(counts);
    const last: ConversationMessage[] = [];
    for (let index = messages.length - 1; index >= 0 && last.length <= maxMessages; index--) {
      const message = messages[index];
      if (message !== undefined && counts(message)) last.push(message);
    }
    last.reverse();
    if (last.length <= maxMessages) return last;
    const first = keepFirstMessage ? messages.find(counts) : undefined;
    const window = withoutLeadingResults(last.slice(first === undefined ? 1 : 2));
    return first === undefined ? window : [first, ...window];
  };
}

type TokenLimits = {
  readonly maxTokensPerMessage?: number;
  readonly maxTokens?: number;
  /** Minimum number of tokens: shorter histories stay unchanged. */
  readonly minTokens?: number;
  /** @default an estimate by script */
  readonly count?: TokenCounter;
  /** Returns false for messages that count but are not shortened. */
  readonly appliesTo?: (message: ConversationMessage) => boolean;
};

const TOKEN_LIMITS = definitionOptions<TokenLimits>(
  "messageTokenLimiter()",
  {
    maxTokensPerMessage: true,
    maxTokens: true,
    minTokens: true,
    count: true,
    appliesTo: true,
  },
  {
    filterDict: "write appliesTo",
    excludeFilter: "write appliesTo",
    model: "write count",
  },
);

/** Shortens messages, and drops the oldest ones. Throws `invalid_definition` if the minimum exceeds the maximum. */
export function messageTokenLimiter(options: TokenLimits): MessageTransform {
  refuseUnknownOptions(options, TOKEN_LIMITS);
  const {
    maxTokensPerMessage = Infinity,
    maxTokens = Infinity,
    minTokens = 0,
    count = estimateTokens,
    appliesTo = () => true,
  } = options;
  for (const [name, value] of Object.entries({ maxTokensPerMessage, maxTokens, minTokens }))
    if (!(value >= 0)) throw invalidDefinition(`${name} must be a number >= 0, got ${value}`);
  if (minTokens > maxTokens)
    throw invalidDefinition(`minTokens must be at most maxTokens (${maxTokens}), got ${minTokens}`);
  const cost = perMessage((message) => tokensOf(message, count));
  const short = perMessage((message) => shortenedTo(message, maxTokensPerMessage, count));
  return (messages) => {
    if (!reaches(messages, minTokens, cost)) return messages;
    const kept: ConversationMessage[] = [];
    let left = maxTokens;
    let isSame = true;
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index];
      if (message === undefined || (left <= 0 && cost(message) > 0)) break;
      const within = appliesTo(message) ? short(message) : message;
      const shortened =
        cost(within) > left && appliesTo(message) ? shortenedTo(message, left, count) : within;
      left -= cost(shortened);
      isSame &&= shortened === message;
      kept.push(shortened);
    }
    if (isSame && kept.length === messages.length) return messages;
    return withoutLeadingResults(kept.toReversed());
  };
}

type NameOptions = {
  readonly position?: "start" | "end";
  readonly format?: string;
  /** Set to leave messages with a name in their text unchanged. */
  readonly deduplicate?: boolean;
};

const NAME_OPTIONS = definitionOptions<NameOptions>(
  "messageNames()",
  {
    position: true,
    format: true,
    deduplicate: true,
  },
  {
    formatString: "write format",
    ...OWN_TRANSFORM,
  },
);

/** Writes the author's name before or after each message, for models that see no names. */
export function messageNames(options: NameOptions = {}): MessageTransform {
  refuseUnknownOptions(options, NAME_OPTIONS);
  const { position = "start", format = "{name}:\n", deduplicate = true } = options;
  const named = perMessage((message) => {
    const { name, content, role } = message;
    if (name === undefined || role === "system" || isToolResult(message)) return message;
    const label = replacePlaceholders(format, (field) => (field === "name" ? name : undefined));
    const add = (text: string): string => {
      const has = position === "start" ? text.startsWith(label) : text.endsWith(label);
      if (deduplicate && has) return text;
      return position === "start" ? `${label}${text}` : `${text}${label}`;
    };
    if (typeof content === "string") return { ...message, content: add(content) };
    if (content === null) return message;
    const first = content.find(({ type }) => type === "text");
    const parts = content.map((part) => (part === first ? withText(part, add) : part));
    return { ...message, content: parts };
  });
  return (messages) => messages.map(named);
}

type CompressorOptions = {
  readonly compress: (text: string) => string | Promise<string>;
  readonly minTokens?: number;
  readonly count?: TokenCounter;
};

const COMPRESSOR_OPTIONS = definitionOptions<CompressorOptions>(
  "textCompressor()",
  {
    compress: true,
    minTokens: true,
    count: true,
  },
  {
    textCompressor: "write compress",
    compressionParams: "write them inside compress",
    cache: "leave it out: each text is compressed once",
    ...OWN_TRANSFORM,
  },
);

/**
 * Lets an external compressor shorten each text. Texts with fewer tokens than `minTokens`, and results of tools, stay
 * unchanged.
 */
export function textCompressor(options: CompressorOptions): MessageTransform {
  refuseUnknownOptions(options, COMPRESSOR_OPTIONS);
  const { compress, minTokens = 0, count = estimateTokens } = options;
  const cost = perMessage((message) => tokensOf(message, count));
  const made = new WeakMap<ConversationMessage, ConversationMessage>();
  return (messages, remember) =>
    Promise.all(
      messages.map(async (message) => {
        const { content } = message;
        if (typeof content !== "string" || isToolResult(message)) return message;
        if (content === "" || cost(message) < minTokens) return message;
        const key = `${fingerprint(content)}-${content.length}`;
        const short = await remember(key, () => compress(content));
        const known = made.get(message);
        if (known !== undefined && known.content === short) return known;
        const compressed = { ...message, content: short };
        made.set(message, compressed);
        return compressed;
      }),
    );
}

/** Returns the longest prefix of a text with at most this many tokens. */
export function truncatedTo(text: string, maxTokens: number, count: TokenCounter): string {
  if (count(text) <= maxTokens) return text;
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (count(text.slice(0, middle)) <= maxTokens) least = middle;
    else most = middle - 1;
  }
  return text.slice(0, least).replace(/[\ud800-\udbff]$/, "");
}

/** True if the messages have at least this many tokens. Reads backwards only as far as needed. */
function reaches(
  messages: readonly ConversationMessage[],
  least: number,
  cost: (message: ConversationMessage) => number,
): boolean {
  let total = 0;
  for (let index = messages.length - 1; index >= 0 && total < least; index--) {
    const message = messages[index];
    if (message !== undefined) total += cost(message);
  }
  return total >= least;
}

function shortenedTo(
  message: ConversationMessage,
  maxTokens: number,
  count: TokenCounter,
): ConversationMessage {
  if (tokensOf(message, count) <= maxTokens || message.content === null) return message;
  let left = maxTokens;
  const shorten = (text: string): string => {
    const short = truncatedTo(text, left, count);
    left -= count(short);
    return short;
  };
  const { content, toolResponses } = message;
  if (toolResponses !== undefined) {
    const responses = toolResponses.map((each) => ({ ...each, content: shorten(each.content) }));
    const whole = responses.map((each) => each.content).join("\n");
    return { ...message, content: whole, toolResponses: responses };
  }
  if (typeof content === "string") return { ...message, content: shorten(content) };
  return { ...message, content: content.map((part) => withText(part, shorten)) };
}

function tokensOf({ content, toolResponses }: ConversationMessage, count: TokenCounter): number {
  if (toolResponses !== undefined)
    return toolResponses.reduce((sum, each) => sum + count(each.content), 0);
  if (content === null) return 0;
  if (typeof content === "string") return count(content);
  return content.reduce((sum, { text }) => sum + (typeof text === "string" ? count(text) : 0), 0);
}

/** Returns a part with its text changed, if it has one. */
function withText(part: MessagePart, change: (text: string) => string): MessagePart {
  return typeof part["text"] === "string" ? { ...part, text: change(part["text"]) } : part;
}

function withoutLeadingResults(
  messages: readonly ConversationMessage[],
): readonly ConversationMessage[] {
  const start = messages.findIndex((message) => message.role === "user" || !isToolResult(message));
  return start <= 0 ? (start === 0 ? messages : []) : messages.slice(start);
}
