import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { ModelSpend, ToolCallDelta } from "../llm/language-model.ts";

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
    /** True where the provider told no tokens, or none that can be counted: budgets and sums leave the call out. */
    usageUnknown?: boolean;
    finishReason: string;
    /** Settings of the caller of the run that the model refused, so that it answered without them. */
    ignored?: readonly string[];
    responseId?: string;
    /** Of the agent that asked. */
    agentRole?: string;
    /** Which entry of a list answered. */
    configIndex?: number;
    /** Whether the filter of a list accepted the answer. */
    passedFilter?: boolean;
    /** The calls that the answer took, where it was not one call of `model`; see `ModelResponse`. */
    spent?: readonly ModelSpend[];
  };
  llm_call_failed: { callId: string; model: string; error: string };
  /** A piece of text, or of a tool call: then `chunk` is empty. */
  llm_stream_chunk: LiveChunk & { toolCall?: ToolCallDelta };
  llm_thinking_chunk: LiveChunk;
  /** What a call that is under way has said so far; whoever comes late gets it before its next chunk. */
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
  /** Of the call's step, from 1. A new attempt voids what the ones before it said. */
  attempt: number;
  /**
   * How much the attempt had said before, in UTF-16 units: of text, of thoughts, or of the arguments of this tool call.
   */
  offset: number;
  /** The attempt begins anew, with another model: what it has said so far is void. */
  reset?: true;
};

/** The types that are published and not stored. */
export type LiveType = "llm_stream_chunk" | "llm_thinking_chunk" | "llm_stream_snapshot";
