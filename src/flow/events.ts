import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Flows and their methods. */
export interface FlowEvents {
  flow_started: { flowName: string; inputs: JsonObject };
  flow_finished: { flowName: string; result: JsonValue } & ShownState;
  /** The flow begins with the state stored under `flowId`; with its own state if there is none. */
  flow_state_restored: { flowName: string; flowId: string; found: boolean; method?: string };
  flow_failed: { flowName: string; error: string };
  method_execution_started: {
    flowName: string;
    methodName: string;
    params?: JsonObject;
  } & ShownState;
  method_execution_finished: {
    flowName: string;
    methodName: string;
    result: JsonValue;
  } & ShownState;
  flow_input_requested: { message: string; metadata: JsonObject };
  flow_input_received: {
    message: string;
    response: string | null;
    responseMetadata?: JsonObject;
    /** Reason why an input provider returned no answer. */
    error?: string;
  };
  method_execution_failed: { flowName: string; methodName: string; error: string };
  /**
   * A method assigned fields of the state after a concurrent method had changed them; the earlier values are lost.
   * Pointers.
   */
  flow_state_overwritten: { flowName: string; methodName: string; fields: readonly string[] };
  /** No model could say which label a person's words amount to. They are asked again; with `compat: "crewai"` the method fails. */
  human_feedback_undecided: { methodName: string; feedback: string; error: string };
  /** Learning from feedback, or the use of lessons, failed; the flow continues without it. */
  human_feedback_learning_failed: { methodName: string; error: string };
}

/** State of a flow; too large fields are left out and named. */
type ShownState = { state: JsonObject; stateOmitted?: readonly string[] };

declare module "../events/run-event.ts" {
  interface EventPayloads extends FlowEvents {}
}

export const flowEvents = eventTypes<FlowEvents>({
  flow_started: true,
  flow_finished: true,
  flow_state_restored: true,
  flow_failed: true,
  method_execution_started: true,
  method_execution_finished: true,
  flow_input_requested: true,
  flow_input_received: true,
  method_execution_failed: true,
  flow_state_overwritten: true,
  human_feedback_undecided: true,
  human_feedback_learning_failed: true,
});
