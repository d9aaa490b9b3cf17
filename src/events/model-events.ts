import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { ToolCallDelta } from "../llm/language-model.ts";

/** Calls of models. A call's messages are those of the calls before it plus what this one adds. */
export interface ModelEvents {
  llm_call_started: {
    callId: string;
    model: string;
    messageCount: number;
    tools?: readonly string[];
    stream: boolean;
  };
  llm_call_completed: {
    callId: string;
    model: string;
    response: string;
    callType: "llm_call" | "tool_call";
    toolCalls?: JsonValue;
    usage: Usage;
    finishReason: string;
    responseId?: string;
  };
  llm_call_failed: { callId: string; model: string; error: string };
  /** A piece of text, or of a tool call: then `chunk` is empty. */
  llm_stream_chunk: {
    callId: string;
    chunk: string;
    toolCall?: ToolCallDelta;
    agentRole?: string;
    taskName?: string;
    taskId?: string;
  };
  llm_thinking_chunk: {
    callId: string;
    chunk: string;
    agentRole?: string;
    taskName?: string;
    taskId?: string;
  };
}

/** The types that are published and not stored. */
export type LiveType = "llm_stream_chunk" | "llm_thinking_chunk";
