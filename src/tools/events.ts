import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Events of tool calls, including those prevented from running. */
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
    /** Failure reported by the tool in place of a result. */
    failure?: JsonObject;
    /** Outside service that answered, for tools of the catalogue. */
    service?: string;
    /** Number of executions, for tools with a `service`. */
    attempts?: number;
    /** Size of the service's response. */
    bytes?: number;
    cost?: JsonObject;
    /** Sources of the result. */
    sources?: JsonObject[];
    startedAt?: string;
    finishedAt?: string;
  };
  tool_usage_error: { toolName: string; toolArgs: JsonValue; agentRole: string; error: string };
  /** The model sees only the beginning of a result. */
  tool_result_cut: {
    toolName: string;
    agentRole: string;
    /** Length of the whole result. */
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
  /** Job started by a tool at a service, which the tool polls. */
  tool_job_started: { toolName: string; service: string; jobId: string };
  tool_job_finished: {
    toolName: string;
    service: string;
    jobId: string;
    /** `completed`, `failed` or `timeout`. */
    status: string;
    polls: number;
  };
  /** Event of a tool's own code, by `emit` of its context. */
  custom_event_emitted: {
    name: string;
    data?: JsonValue;
    toolName: string;
    agentRole: string;
    taskName?: string;
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
  tool_job_started: true,
  tool_job_finished: true,
  custom_event_emitted: true,
  tool_failure_detected: true,
});
