// Short histories: the oldest messages are left out, or replaced by a summary.
//
//   CMP1. A history longer than its limit is cut down to its target. It only grows until the next cut, so the model's
//         requests keep the same prefix from turn to turn.
//   CMP2. A cut moves past results of calls, so no result loses its call.
//   CMP3. A summary is made once for each cut, from the previous summary and the messages since, and recorded.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { fingerprint } from "../base/hash.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { canonicalJson } from "../base/json.ts";
import { contentText, isToolResult, type ConversationMessage } from "./messages.ts";
import { estimateTokens } from "../llm/token-estimate.ts";
import type { MessageTransform, TokenCounter } from "./transforms.ts";

/** Limits of a history before a cut, and its size after it. At least one limit is required. */
export type CompactionLimits = {
  /** Maximum number of messages before a cut. */
  readonly maxMessages?: number;
  /** Maximum number of tokens before a cut. */
  readonly maxTokens?: number;
  /** Number of last messages to keep. An integer >= 1. */
  readonly target: number;
  /** @default an estimate by script */
  readonly count?: TokenCounter;
};

const TAIL = definitionOptions<CompactionLimits>("tailWindow()", {
  maxMessages: true,
  maxTokens: true,
  target: true,
  count: true,
});

/** Keeps the last messages of a history beyond its limits. Throws `invalid_definition` for conflicting limits. */
export function tailWindow(
  limits: CompactionLimits,
): (messages: readonly ConversationMessage[]) => readonly ConversationMessage[] {
  refuseUnknownOptions(limits, TAIL);
  checkLimits(limits);
  return (messages) => messages.slice(cutsOf(messages, limits).at(-1) ?? 0);
}

type SummarizedLimits = CompactionLimits & {
  /** Makes the summary; called once for each cut. Agents and crews inside it belong to the run. */
  readonly summarize: (about: {
    /** The previous summary. */
    readonly previous: string | undefined;
    /** Messages since the previous summary, as `name: text`. */
    readonly text: string;
    readonly messages: readonly ConversationMessage[];
  }) => string | Promise<string>;
};

const SUMMARIZED = definitionOptions<SummarizedLimits>("summarizedHistory()", {
  maxMessages: true,
  maxTokens: true,
  target: true,
  count: true,
  summarize: true,
});

/** Replaces the messages that `tailWindow` would leave out with a summary. */
export function summarizedHistory(options: SummarizedLimits): MessageTransform {
  refuseUnknownOptions(options, SUMMARIZED);
  const { summarize, ...limits } = options;
  checkLimits(limits);
  return async (messages, remember) => {
    const cuts = cutsOf(messages, limits);
    let previous: string | undefined;
    let start = 0;
    for (const cut of cuts) {
      const since = messages.slice(start, cut);
      const before = previous;
      previous = await remember(keyOf(since, cut), () =>
        summarize({ previous: before, text: textOf(since), messages: since }),
      );
      start = cut;
    }
    if (previous === undefined) return messages;
    const content = `Summary of the conversation so far:\n${previous}`;
    return [{ role: "user", content }, ...messages.slice(start)];
  };
}

/** Returns the cuts of a growing history, oldest first: the index of the first kept message of each. */
function cutsOf(
  messages: readonly ConversationMessage[],
  {
    maxMessages = Infinity,
    maxTokens = Infinity,
    target,
    count = estimateTokens,
  }: CompactionLimits,
): readonly number[] {
  const cuts: number[] = [];
  let start = 0;
  let tokens = 0;
  const sizes = messages.map((message) => (maxTokens === Infinity ? 0 : tokensOf(message, count)));
  for (const index of messages.keys()) {
    tokens += sizes[index] ?? 0;
    const length = index + 1 - start;
    if (length <= maxMessages && tokens <= maxTokens) continue;
    const cut = pastResults(messages, Math.max(start, index + 1 - target));
    // A call with pending results is not cut.
    if (cut > index || cut === start) continue;
    cuts.push(cut);
    start = cut;
    tokens = sizes.slice(start, index + 1).reduce((sum, each) => sum + each, 0);
  }
  return cuts;
}

function pastResults(messages: readonly ConversationMessage[], start: number): number {
  let cut = start;
  for (let next = messages[cut]; next !== undefined && isToolResult(next); next = messages[cut])
    cut++;
  return cut;
}

function tokensOf(message: ConversationMessage, count: TokenCounter): number {
  const { content, toolCalls = [] } = message;
  return (
    count(contentText(content)) + toolCalls.reduce((sum, call) => sum + count(call.arguments), 0)
  );
}

function textOf(messages: readonly ConversationMessage[]): string {
  return messages
    .map(({ name, role, content, toolCalls = [] }) => {
      const calls = toolCalls.map((call) => `calls ${call.name}(${call.arguments})`);
      return [`${name ?? role}:`, contentText(content), ...calls]
        .filter((part) => part !== "")
        .join(" ");
    })
    .join("\n");
}

/** Makes the same key for the same messages. A cleared and restarted history gets other summaries. */
function keyOf(messages: readonly ConversationMessage[], cut: number): string {
  return `summary:${cut}:${fingerprint(canonicalJson(messages))}`;
}

function checkLimits({ maxMessages, maxTokens, target }: CompactionLimits): void {
  if (maxMessages === undefined && maxTokens === undefined)
    throw invalidDefinition("a compaction needs maxMessages, maxTokens, or both");
  if (!(Number.isInteger(target) && target >= 1))
    throw invalidDefinition(`the target of a compaction must be an integer >= 1, got ${target}`);
  if (maxMessages !== undefined && !(maxMessages > target))
    throw invalidDefinition(
      `maxMessages must be more than the target of ${target}, got ${maxMessages}`,
    );
  if (maxTokens !== undefined && !(maxTokens > 0))
    throw invalidDefinition(`maxTokens must be more than 0, got ${maxTokens}`);
}
