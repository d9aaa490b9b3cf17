import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Calls of tools, and what kept a call from being made. */
export interface ToolEvents {
  tool_usage_started: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    runAttempts: number;
  };
  tool_usage_finished: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    output: string;
    fromCache: boolean;
    /** What the tool reported instead of a result. */
    failure?: JsonObject;
    startedAt?: string;
    finishedAt?: string;
  };
  tool_usage_error: { toolName: string; toolArgs: JsonValue; agentRole: string; error: string };
  /** A model is shown only the beginning of a result. */
  tool_result_cut: {
    toolName: string;
    agentRole: string;
    /** Of the whole result. */
    characters: number;
    shownCharacters: number;
  };
  tool_selection_error: { toolName: string; agentRole: string; error: string };
  tool_validate_input_error: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    error: string;
  };
  tool_failure_detected: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    taskName?: string;
    reason: string;
    message: string;
    failure: JsonObject;
    policy: string;
  };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends ToolEvents {}
}

export const toolEvents = eventTypes<ToolEvents>({
  tool_usage_started: true,
  tool_usage_finished: true,
  tool_usage_error: true,
  tool_result_cut: true,
  tool_selection_error: true,
  tool_validate_input_error: true,
  tool_failure_detected: true,
});
