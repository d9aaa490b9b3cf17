import type { JsonObject } from "../base/json.ts";

/** What kind of thing a frame tells of, to be filtered by. */
export type StreamChannel = "llm" | "flow" | "tools" | "messages" | "lifecycle" | "custom";

/** An event in the one shape that all streams of frames have. */
export type StreamFrame = {
  readonly id: string;
  /** From 1, within its stream. */
  readonly seq: number;
  /** The event's type: `llm_stream_chunk`. */
  readonly type: string;
  readonly channel: StreamChannel;
  /** The channel, then what the event belongs to, from the outside in. */
  readonly namespace: readonly string[];
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly parentId?: string;
  readonly previousId?: string;
  readonly data: JsonObject;
};

/** The channel of an event, by its type. */
export function channelOf(type: string): StreamChannel {
  if (type.startsWith("llm_")) return "llm";
  if (type.startsWith("conversation_message")) return "messages";
  if (/^(?:flow|method_execution|conversation)_/.test(type)) return "flow";
  if (type.startsWith("tool_usage") || type === "tool_execution_error") return "tools";
  return /error|failed/.test(type) ? "lifecycle" : "custom";
}
