import type { JsonObject } from "../base/json.ts";
import type { Traced } from "./traced-event.ts";

/** Subject of a frame in a stream, such as text, tools or the run itself. */
export type StreamChannel = "llm" | "flow" | "tools" | "messages" | "lifecycle" | "custom";

/** An event as a frontend sorts it: by channel, and by origin. */
export type StreamFrame = {
  readonly id: string;
  /** Place in its stream, from 1; null for tokens of a run, which are not stored. */
  readonly seq: number | null;
  readonly type: string;
  readonly channel: StreamChannel;
  /** The channel, then the names in the event of flow, method, session, call, tool, agent and task. */
  readonly namespace: readonly string[];
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly parentId?: string;
  readonly previousId?: string;
  /** The event's own fields. */
  readonly data: JsonObject;
};

const NAMESPACE_FIELDS = [
  "flowName",
  "methodName",
  "sessionId",
  "callId",
  "toolName",
  "agentRole",
  "taskName",
] as const;

/** Returns the channel of a type by the first matching rule. */
export function channelOf(type: string): StreamChannel {
  if (/^llm_(call|stream|thinking)_/.test(type)) return "llm";
  if (type.startsWith("conversation_message_")) return "messages";
  if (/^(flow|method_execution|human_feedback|conversation)_/.test(type)) return "flow";
  if (type.startsWith("tool_")) return "tools";
  if (/error|failed/.test(type)) return "lifecycle";
  return "custom";
}

export function frameOf(event: Traced): StreamFrame {
  const { id, type, at, runId: _, path: __, ...rest } = event;
  const { parentId, previousEventId, startedId: ___, ...fields } = rest;
  const { seq = null, ...data } = fields as { seq?: number } & JsonObject;
  const channel = channelOf(type);
  const named = NAMESPACE_FIELDS.map((field) => data[field]);
  return {
    id,
    seq,
    type,
    channel,
    namespace: [
      channel,
      ...named.filter((value) => typeof value === "string" && value !== ""),
    ] as string[],
    timestamp: at,
    ...(parentId === undefined ? undefined : { parentId }),
    ...(previousEventId === undefined ? undefined : { previousId: previousEventId }),
    data,
  };
}
