import type { EventPayloads } from "../events/run-event.ts";
import type { StreamListeners } from "../llm/language-model.ts";
import { thoughtListeners } from "./thoughts.ts";

type Chunk = Omit<EventPayloads["llm_stream_chunk"], "callId">;
type Send = (type: "llm_stream_chunk" | "llm_thinking_chunk", chunk: Chunk) => void;

/**
 * Listeners to the answer of one attempt: they send it on in chunks, and pass it on to these two. After `close` they
 * ignore the rest of an aborted call. `thinking` returns all thoughts so far.
 */
export function attemptStream(
  [record, own]: readonly [StreamListeners, StreamListeners],
  { attempt, signal, send }: { attempt: number; signal: AbortSignal; send: Send },
) {
  let isOpen = true;
  let thoughts = "";
  const thinking: StreamListeners = {
    onThinking: (text) => void (thoughts += text),
    onRestart: () => void (thoughts = ""),
  };
  const targets = [record, chunkListeners(attempt, send), own, thinking];
  return {
    listeners: thoughtListeners(relay(targets, () => isOpen && !signal.aborted)),
    close: (): void => void (isOpen = false),
    thinking: (): string => thoughts,
  };
}

/** Listeners that send a model's output as the chunks of one attempt, each with its offset. */
export function chunkListeners(attempt: number, send: Send): StreamListeners {
  let said = new Map<string, number>();
  const offsetOf = (channel: string, { length }: string): number => {
    const offset = said.get(channel) ?? 0;
    said.set(channel, offset + length);
    return offset;
  };
  return {
    onDelta: (chunk) =>
      send("llm_stream_chunk", { chunk, attempt, offset: offsetOf("text", chunk) }),
    onThinking: (chunk) =>
      send("llm_thinking_chunk", { chunk, attempt, offset: offsetOf("thinking", chunk) }),
    onToolDelta: (toolCall) => {
      const offset = offsetOf(`tool ${toolCall.index}`, toolCall.arguments);
      send("llm_stream_chunk", { chunk: "", attempt, offset, toolCall });
    },
    onRestart: () => {
      if (said.size === 0) return;
      said = new Map();
      send("llm_stream_chunk", { chunk: "", attempt, offset: 0, reset: true });
    },
  };
}

/** Listeners that forward everything while the call is open. The rest of an aborted call is dropped. */
export function relay(
  targets: readonly StreamListeners[],
  isOpen: () => boolean,
): Required<StreamListeners> {
  const toAll = (tell: (target: StreamListeners) => void): void => {
    if (isOpen()) for (const target of targets) tell(target);
  };
  return {
    onDelta: (text) => toAll((target) => target.onDelta?.(text)),
    onThinking: (text) => toAll((target) => target.onThinking?.(text)),
    onToolDelta: (delta) => toAll((target) => target.onToolDelta?.(delta)),
    onRestart: () => toAll((target) => target.onRestart?.()),
  };
}
