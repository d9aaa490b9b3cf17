// Histories that every provider accepts.
//
//   PRC1. The results of calls follow directly on the message with the calls, in one message: one for each call, in
//         their order.
//   PRC2. A call without a result gets a result with a note about it. A result without a call, or a second one, is
//         dropped.
//   PRC3. A valid history is returned unchanged.
import type { ToolCall } from "../llm/language-model.ts";
import { contentText, type ConversationMessage, type ToolResponse } from "./messages.ts";

/** A change of a history, and its place. */
export type PairingFault = {
  readonly kind: "unanswered" | "orphan" | "misplaced" | "unnamed";
  /** Index of the message in the original history. */
  readonly index: number;
  readonly toolCallId: string;
};

/** A valid history, and the faults of the original one. */
export type PairedHistory = {
  readonly messages: readonly ConversationMessage[];
  readonly faults: readonly PairingFault[];
};

const NO_RESULT = "This call has no result: the conversation went on before it was answered.";

type Result = ToolResponse & { readonly index: number };

/** The calls and the results of one id, in order: some models reuse an id. */
type SameId = {
  /** Indexes of the messages with such a call. */
  readonly calls: number[];
  readonly results: Result[];
  /** Number of them that later calls can skip. */
  callsPassed: number;
  resultsPassed: number;
};

type Pairing = {
  readonly history: readonly ConversationMessage[];
  readonly faults: PairingFault[];
  readonly byId: Map<string, SameId>;
  /** Number of messages before each place that are not results of calls. */
  readonly othersBefore: readonly number[];
};

/** Pairs calls with their results. Calls in the old format (`functionCall`) are skipped: they have no ids. */
export function pairCalls(history: readonly ConversationMessage[]): PairedHistory {
  const pairing: Pairing = {
    history,
    faults: [],
    byId: new Map(),
    othersBefore: othersBefore(history),
  };
  for (const [index, message] of history.entries()) note(message, index, pairing);
  const messages: ConversationMessage[] = [];
  for (const [index, message] of history.entries()) {
    if (message.toolCalls !== undefined) messages.push(...answered(message, index, pairing));
    else if (message.role !== "tool") messages.push(withoutResponses(message));
  }
  for (const { results, resultsPassed } of pairing.byId.values())
    orphans(results.slice(resultsPassed), pairing);
  const isInOrder =
    messages.length === history.length && messages.every((each, index) => each === history[index]);
  return { messages: isInOrder ? history : messages, faults: pairing.faults };
}

function note(message: ConversationMessage, index: number, { byId }: Pairing): void {
  const sameId = (id: string): SameId => {
    let same = byId.get(id);
    if (same === undefined)
      byId.set(id, (same = { calls: [], results: [], callsPassed: 0, resultsPassed: 0 }));
    return same;
  };
  for (const { id } of message.toolCalls ?? []) sameId(id).calls.push(index);
  if (!answersCalls(message)) return;
  const { toolCallId = "", content, toolResponses } = message;
  for (const response of toolResponses ?? [{ toolCallId, content: contentText(content) }])
    sameId(response.toolCallId).results.push({ ...response, index });
}

/** Returns a message with calls, and the message with their results. */
function answered(
  message: ConversationMessage,
  index: number,
  pairing: Pairing,
): readonly ConversationMessage[] {
  const { toolCalls = [] } = message;
  const calls: ToolCall[] = [];
  const responses: ToolResponse[] = [];
  const taken = new Set<string>();
  for (const [number, call] of toolCalls.entries()) {
    const isUsable = call.id !== "" && !taken.has(call.id);
    const id = isUsable ? call.id : unusedId(`call_${index}_${number}`, taken);
    taken.add(id);
    if (!isUsable) pairing.faults.push({ kind: "unnamed", index, toolCallId: id });
    calls.push(isUsable ? call : { ...call, id });
    responses.push({ toolCallId: id, content: resultFor(call, { id, index, pairing }) });
  }
  const isNamed = calls.every((call, number) => call === toolCalls[number]);
  const own = isNamed ? message : { ...message, toolCalls: calls };
  const next = pairing.history[index + 1];
  const content = responses.map((each) => each.content).join("\n");
  return [
    withoutResponses(own),
    next !== undefined && hasExactly(next, responses)
      ? next
      : { role: "tool", content, toolResponses: responses },
  ];
}

function resultFor(
  call: ToolCall,
  { id, index, pairing }: { id: string; index: number; pairing: Pairing },
): string {
  const same = pairing.byId.get(call.id) as SameId;
  const { calls, results } = same;
  while ((calls[same.callsPassed] ?? Infinity) <= index) same.callsPassed++;
  const next = calls[same.callsPassed] ?? Infinity;
  const from = same.resultsPassed;
  while ((results[same.resultsPassed]?.index ?? Infinity) <= index) same.resultsPassed++;
  orphans(results.slice(from, same.resultsPassed), pairing);
  const result = results[same.resultsPassed];
  if (result === undefined || result.index > next) {
    pairing.faults.push({ kind: "unanswered", index, toolCallId: id });
    return NO_RESULT;
  }
  same.resultsPassed++;
  if (pairing.othersBefore[result.index] !== pairing.othersBefore[index + 1])
    pairing.faults.push({ kind: "misplaced", index: result.index, toolCallId: id });
  return result.content;
}

function orphans(results: readonly Result[], { faults }: Pairing): void {
  for (const { index, toolCallId } of results) faults.push({ kind: "orphan", index, toolCallId });
}

/** Returns an id unique among the message's calls. */
function unusedId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? unusedId(`${id}_`, taken) : id;
}

function withoutResponses(message: ConversationMessage): ConversationMessage {
  const { toolResponses, ...rest } = message;
  return toolResponses === undefined ? message : rest;
}

function hasExactly(
  { role, toolResponses }: ConversationMessage,
  responses: readonly ToolResponse[],
): boolean {
  return (
    role === "tool" &&
    toolResponses?.length === responses.length &&
    toolResponses.every(
      ({ toolCallId, content }, index) =>
        toolCallId === responses[index]?.toolCallId && content === responses[index]?.content,
    )
  );
}

function othersBefore(history: readonly ConversationMessage[]): readonly number[] {
  const counts = [0];
  for (const message of history)
    counts.push((counts.at(-1) ?? 0) + (answersCalls(message) ? 0 : 1));
  return counts;
}

function answersCalls({ role, toolResponses }: ConversationMessage): boolean {
  return role === "tool" || toolResponses !== undefined;
}
