// What a model sees of a long history.
//
//   TFM1. A leading system message is kept, whatever the transforms do.
//   TFM2. A window never begins with the result of a call: the call is not in it.
//   TFM3. Messages keep their order; a transform that changes nothing returns the list that it got.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { replacePlaceholders } from "../base/template.ts";
import { isToolResult, type ConversationMessage, type MessagePart } from "./messages.ts";

/** Changes the history that a model is about to see; the transcript stays as it is. */
export type MessageTransform = (
  messages: readonly ConversationMessage[],
) => readonly ConversationMessage[] | Promise<readonly ConversationMessage[]>;

/** How many tokens a text has, for a model. */
export type TokenCounter = (text: string) => number;

/** Four characters count as a token. */
export const estimateTokens: TokenCounter = (text) => Math.ceil(text.length / 4);

/** Applies transforms one after the other. */
export async function transformMessages(
  messages: readonly ConversationMessage[],
  transforms: readonly MessageTransform[],
): Promise<readonly ConversationMessage[]> {
  const [first, ...others] = messages;
  const system = first?.role === "system" ? first : undefined;
  let rest: readonly ConversationMessage[] = system === undefined ? messages : others;
  for (const transform of transforms) rest = await transform(rest);
  return system === undefined ? rest : [system, ...rest];
}

/** Keeps the last messages, and the first one where it is asked for. Throws `invalid_definition` for fewer than one. */
export function messageHistoryLimiter({
  maxMessages,
  keepFirstMessage = false,
  excludeNames = [],
}: {
  /** @default all */
  readonly maxMessages?: number;
  readonly keepFirstMessage?: boolean;
  /** Members whose messages are left out, and do not count. */
  readonly excludeNames?: readonly string[];
}): MessageTransform {
  if (maxMessages !== undefined && !(Number.isInteger(maxMessages) && maxMessages >= 1))
    throw invalidDefinition(`maxMessages must be an integer >= 1, got ${maxMessages}`);
  return (messages) => {
    const kept =
      excludeNames.length === 0
        ? messages
        : messages.filter(({ name }) => name === undefined || !excludeNames.includes(name));
    if (maxMessages === undefined || kept.length <= maxMessages) return kept;
    const first = keepFirstMessage ? kept.slice(0, 1) : [];
    const count = maxMessages - first.length;
    return [...first, ...withoutLeadingResults(count === 0 ? [] : kept.slice(-count))];
  };
}

/** Shortens messages, and drops the oldest ones. Throws `invalid_definition` where the least exceeds the most. */
export function messageTokenLimiter({
  maxTokensPerMessage = Infinity,
  maxTokens = Infinity,
  minTokens = 0,
  count = estimateTokens,
  appliesTo = () => true,
}: {
  readonly maxTokensPerMessage?: number;
  readonly maxTokens?: number;
  /** Histories with fewer tokens stay as they are. */
  readonly minTokens?: number;
  /** @default four characters to a token */
  readonly count?: TokenCounter;
  /** Messages for which this is false count, and are not shortened. */
  readonly appliesTo?: (message: ConversationMessage) => boolean;
}): MessageTransform {
  for (const [name, value] of Object.entries({ maxTokensPerMessage, maxTokens, minTokens }))
    if (!(value >= 0)) throw invalidDefinition(`${name} must be a number >= 0, got ${value}`);
  if (minTokens > maxTokens)
    throw invalidDefinition(`minTokens must be at most maxTokens (${maxTokens}), got ${minTokens}`);
  return (messages) => {
    const counts = messages.map((message) => tokensOf(message, count));
    const total = counts.reduce((sum, each) => sum + each, 0);
    if (total < minTokens) return messages;
    if (total <= maxTokens && counts.every((each) => each <= maxTokensPerMessage)) return messages;
    const kept: ConversationMessage[] = [];
    let left = maxTokens;
    for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
      const message = messages[index];
      if (message === undefined) break;
      const shortened = appliesTo(message)
        ? shortenedTo(message, Math.min(maxTokensPerMessage, left), count)
        : message;
      left -= shortened === message ? (counts[index] ?? 0) : tokensOf(shortened, count);
      kept.push(shortened);
    }
    return withoutLeadingResults(kept.toReversed());
  };
}

/** Writes the name of its author before or behind each message, for models that see no names. */
export function messageNames({
  position = "start",
  format = "{name}:\n",
  deduplicate = true,
}: {
  readonly position?: "start" | "end";
  readonly format?: string;
  /** Whether a message that has it already stays as it is. */
  readonly deduplicate?: boolean;
} = {}): MessageTransform {
  return (messages) =>
    messages.map((message) => {
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
}

/** Has each text made shorter by somebody else. Texts with fewer tokens than `minTokens`, and results of tools, stay as they are. */
export function textCompressor({
  compress,
  minTokens = 0,
  count = estimateTokens,
}: {
  readonly compress: (text: string) => string | Promise<string>;
  readonly minTokens?: number;
  readonly count?: TokenCounter;
}): MessageTransform {
  return (messages) =>
    Promise.all(
      messages.map(async (message) => {
        const { content } = message;
        if (typeof content !== "string" || isToolResult(message)) return message;
        if (content === "" || count(content) < minTokens) return message;
        return { ...message, content: await compress(content) };
      }),
    );
}

/** Of a text the longest beginning with at most so many tokens. */
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

/** A part with another text, if it has one. */
function withText(part: MessagePart, change: (text: string) => string): MessagePart {
  return typeof part["text"] === "string" ? { ...part, text: change(part["text"]) } : part;
}

function withoutLeadingResults(
  messages: readonly ConversationMessage[],
): readonly ConversationMessage[] {
  const start = messages.findIndex((message) => message.role === "user" || !isToolResult(message));
  return start <= 0 ? (start === 0 ? messages : []) : messages.slice(start);
}
