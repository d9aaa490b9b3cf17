// Histories that stay short: the oldest messages are left out, or a summary takes their place.
//
//   CMP1. A history is cut when it has become longer than its limit, and then down to its target: until the next cut it only grows, so
//         that what a model is sent begins the same from turn to turn.
//   CMP2. A cut moves on past results of calls: none loses its call.
//   CMP3. A summary is made once for each cut, of the one before and the messages since, and recorded.
import { fingerprint } from "../base/hash.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { canonicalJson, type JsonValue } from "../base/json.ts";
import { contentText, isToolResult, type ConversationMessage } from "./messages.ts";
import { estimateTokens, type TokenCounter } from "./transforms.ts";

/** Makes something once for a key, and answers later turns of the conversation with the same result. */
type Remember = <T extends JsonValue>(key: string, make: () => T | Promise<T>) => Promise<T>;

/** When a history is cut, and what is left of it then. At least one limit. */
export type CompactionLimits = {
  /** A history of more messages is cut. */
  readonly maxMessages?: number;
  /** So is one of more tokens. */
  readonly maxTokens?: number;
  /** How many of its last messages are kept. An integer >= 1. */
  readonly target: number;
  /** @default four characters to a token */
  readonly count?: TokenCounter;
};

/** Keeps the last messages of a history that has become too long. Throws `invalid_definition` for limits that do not fit. */
export function tailWindow(
  limits: CompactionLimits,
): (messages: readonly ConversationMessage[]) => readonly ConversationMessage[] {
  checkLimits(limits);
  return (messages) => messages.slice(cutsOf(messages, limits).at(-1) ?? 0);
}

/** Puts a summary in the place of the messages that `tailWindow` would leave out. */
export function summarizedHistory({
  summarize,
  ...limits
}: CompactionLimits & {
  /** Makes the summary; called once for each cut. Inside, agents and crews are a part of the run. */
  readonly summarize: (about: {
    /** What was summarized before. */
    readonly previous: string | undefined;
    /** The messages since, as `name: text`. */
    readonly text: string;
    readonly messages: readonly ConversationMessage[];
  }) => string | Promise<string>;
}): (
  messages: readonly ConversationMessage[],
  remember: Remember,
) => Promise<readonly ConversationMessage[]> {
  checkLimits(limits);
  return async (messages, remember) => {
    const cuts = cutsOf(messages, limits);
    let previous: string | undefined;
    let start = 0;
    for (const cut of cuts) {
      const since = messages.slice(start, cut);
      const before = previous;
      // oxlint-disable-next-line no-await-in-loop -- each summary has the one before in it
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

/** Where a history was cut while it grew, oldest first: the index of the first message that was kept. */
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
    // What has no end yet is not cut: a call whose results are still to come.
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

/** The same for the same messages: a history that was forgotten and begun anew has other summaries. */
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
