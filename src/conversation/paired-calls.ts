// Histories that every provider accepts.
//
//   PRC1. The results of calls follow directly on the message that made them: one for each call, in the order of the calls.
//   PRC2. A call that nobody answered gets an answer that says so; a result that belongs to no call, or is a second one, is dropped.
//   PRC3. A history that is in order already comes back as it is.
import type { ToolCall } from "../llm/language-model.ts";
import { contentText, type ConversationMessage, type ToolResponse } from "./messages.ts";

/** What had to be changed in a history, and where. */
export type PairingFault = {
  readonly kind: "unanswered" | "orphan" | "misplaced" | "unnamed";
  /** Of the message in the history as it came. */
  readonly index: number;
  readonly toolCallId: string;
};

/** A history that can be sent, and what was wrong with the one that came. */
export type PairedHistory = {
  readonly messages: readonly ConversationMessage[];
  readonly faults: readonly PairingFault[];
};

const NO_RESULT = "This call has no result: the conversation went on before it was answered.";

type Result = ToolResponse & { readonly index: number; isUsed: boolean };

/** Puts calls and their results together. Calls in the old format (`functionCall`) are left alone: they have no ids. */
export function pairCalls(history: readonly ConversationMessage[]): PairedHistory {
  const pairing: Pairing = { history, faults: [], results: new Map(), calls: new Map() };
  for (const [index, message] of history.entries()) note(message, index, pairing);
  const messages: ConversationMessage[] = [];
  for (const [index, message] of history.entries()) {
    const { toolResponses, ...rest } = message;
    if (message.toolCalls !== undefined) messages.push(...answered(message, index, pairing));
    else if (message.role !== "tool") messages.push(toolResponses === undefined ? message : rest);
  }
  for (const { index, toolCallId, isUsed } of [...pairing.results.values()].flat())
    if (!isUsed) pairing.faults.push({ kind: "orphan", index, toolCallId });
  const isInOrder =
    pairing.faults.length === 0 &&
    history.every(({ role, toolResponses }) => role === "tool" || toolResponses === undefined);
  return { messages: isInOrder ? history : messages, faults: pairing.faults };
}

type Pairing = {
  readonly history: readonly ConversationMessage[];
  readonly faults: PairingFault[];
  /** By the id of their call. */
  readonly results: Map<string, Result[]>;
  /** The messages with a call of an id: some models use an id again and again. */
  readonly calls: Map<string, number[]>;
};

function note(message: ConversationMessage, index: number, { results, calls }: Pairing): void {
  for (const { id } of message.toolCalls ?? []) calls.set(id, [...(calls.get(id) ?? []), index]);
  if (!answersCalls(message)) return;
  const responses = message.toolResponses ?? [
    { toolCallId: message.toolCallId ?? "", content: contentText(message.content) },
  ];
  for (const response of responses) {
    const known = results.get(response.toolCallId);
    const result = { ...response, index, isUsed: false };
    if (known === undefined) results.set(response.toolCallId, [result]);
    else known.push(result);
  }
}

/** A message with calls, and the message with their results. */
function answered(
  message: ConversationMessage,
  index: number,
  pairing: Pairing,
): readonly ConversationMessage[] {
  const calls: ToolCall[] = [];
  const responses: ToolResponse[] = [];
  const taken = new Set<string>();
  for (const [number, call] of (message.toolCalls ?? []).entries()) {
    const id = call.id === "" || taken.has(call.id) ? `call_${index}_${number}` : call.id;
    taken.add(id);
    if (id !== call.id) pairing.faults.push({ kind: "unnamed", index, toolCallId: id });
    calls.push({ ...call, id });
    responses.push({ toolCallId: id, content: resultFor(call, { id, index, pairing }) });
  }
  const content = responses.map((each) => each.content).join("\n");
  return [
    { ...message, toolCalls: calls },
    { role: "tool", content, toolResponses: responses },
  ];
}

function resultFor(
  call: ToolCall,
  { id, index, pairing }: { id: string; index: number; pairing: Pairing },
): string {
  const next = pairing.calls.get(call.id)?.find((each) => each > index) ?? Infinity;
  const result = pairing.results
    .get(call.id)
    ?.find((each) => !each.isUsed && each.index > index && each.index <= next);
  if (result === undefined) {
    pairing.faults.push({ kind: "unanswered", index, toolCallId: id });
    return NO_RESULT;
  }
  result.isUsed = true;
  if (!pairing.history.slice(index + 1, result.index).every(answersCalls))
    pairing.faults.push({ kind: "misplaced", index: result.index, toolCallId: id });
  return result.content;
}

function answersCalls({ role, toolResponses }: ConversationMessage): boolean {
  return role === "tool" || toolResponses !== undefined;
}
