import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { ModelSpend, ToolCallDelta } from "../llm/language-model.ts";

/** Events of model calls. A call's messages are the messages of earlier calls plus its own new ones. */
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
    /** Thoughts of the model before its answer, if its provider shows them; long ones are cut. */
    thinking?: string;
    callType: "llm_call" | "tool_call";
    toolCalls?: JsonValue;
    usage: Usage;
    /** True if the provider reported no usable token counts: budgets and sums leave the call out. */
    usageUnknown?: boolean;
    finishReason: string;
    /** Settings of the run's caller refused by the model, which answered without them. */
    ignored?: readonly string[];
    responseId?: string;
    /** Role of the calling agent. */
    agentRole?: string;
    /** Index of the answering entry in a list of models. */
    configIndex?: number;
    /** True if the filter of a list accepted the answer. */
    passedFilter?: boolean;
    /** Calls behind the answer, unless it was one call of `model`; see `ModelResponse`. */
    spent?: readonly ModelSpend[];
  };
  llm_call_failed: { callId: string; model: string; error: string };
  /** A piece of text, or of a tool call: then `chunk` is empty. */
  llm_stream_chunk: LiveChunk & { toolCall?: ToolCallDelta };
  llm_thinking_chunk: LiveChunk;
  /** Text of an open call so far. A late subscriber receives it before the next chunk. */
  llm_stream_snapshot: SpeakerNames & {
    callId: string;
    attempt: number;
    text: string;
    thinking?: string;
    toolCalls?: readonly ToolCallDelta[];
  };
}

type SpeakerNames = { agentRole?: string; taskName?: string; taskId?: string };

/** Chunks become text by `foldWords`. */
type LiveChunk = SpeakerNames & {
  callId: string;
  chunk: string;
  /** Attempt of the call's step, from 1. A new attempt voids the text of earlier ones. */
  attempt: number;
  /**
   * Length of the attempt's earlier output in UTF-16 units: of text, of thoughts, or of the arguments of this tool
   * call.
   */
  offset: number;
  /** Set when the attempt restarts with another model: its earlier text is void. */
  reset?: true;
};

/** Types of events published without being stored. */
export type LiveType = "llm_stream_chunk" | "llm_thinking_chunk" | "llm_stream_snapshot";
