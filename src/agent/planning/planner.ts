import { EngineError, type ErrorCode } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ModelRequest, ModelResponse } from "../../llm/language-model.ts";
import type { AgentWork } from "../agent-work.ts";
import type { CallPurpose } from "../../model-calls/call-record.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { PlanningConfig } from "./planning-config.ts";

/** The planned work, and the same work for calls of the planning model. */
export type Planner = {
  readonly work: AgentWork;
  /** `work` with the model for planning and judging steps. */
  readonly thinker: AgentWork;
  readonly config: PlanningConfig;
};

/** Model failures that do not end planning. All others (budgets, keys, cancelling) end the work. */
const MODEL_TROUBLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_failed",
  "model_rate_limited",
  "model_rejected",
  "context_window_exceeded",
  "timeout",
  "agent_failed",
]);

export function isModelTrouble(error: unknown): error is EngineError {
  return EngineError.is(error) && MODEL_TROUBLE.has(error.code);
}

/** The name by which the events of a plan call the work. */
export function taskIdOf({ taskName }: AgentWork): string {
  return taskName ?? "kickoff";
}

/** One question to a model, outside of any conversation. */
export function askOnce(
  place: RunScope,
  work: AgentWork,
  {
    purpose = "plan",
    ...asked
  }: {
    readonly messages: readonly Message[];
    readonly purpose?: CallPurpose;
  } & Partial<ModelRequest>,
): Promise<ModelResponse> {
  const transcript = new Transcript(asked.messages);
  const request = { ...asked, messages: transcript.messages };
  return callModel(place, work, { request, inputHash: transcript.hash, purpose });
}
