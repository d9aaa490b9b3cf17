import { EngineError, type ErrorCode } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ModelRequest, ModelResponse } from "../../llm/language-model.ts";
import type { AgentWork } from "../agent-work.ts";
import type { CallPurpose } from "../../model-calls/call-record.ts";
import type { AgentLoop, LoopFrame } from "../loop/agent-loop.ts";
import type { readAnswer } from "../loop/read-answer.ts";
import type { PlanningConfig } from "./planning-config.ts";

/** Functions of the agent loop for planning. */
export type PlanHands = {
  /** Opens the conversation of one step. */
  readonly converse: (place: RunScope, work: AgentWork, frame: LoopFrame) => AgentLoop;
  /** Asks a model one question outside of any conversation. */
  readonly ask: (
    place: RunScope,
    work: AgentWork,
    asked: {
      readonly messages: readonly Message[];
      readonly purpose?: CallPurpose;
    } & Partial<ModelRequest>,
  ) => Promise<ModelResponse>;
  readonly readAnswer: typeof readAnswer;
};

/** Parties of a plan: the planned work, and the same work as the planning model sees it. */
export type Planner = {
  readonly work: AgentWork;
  /** `work` with the model for planning and judging steps. */
  readonly thinker: AgentWork;
  readonly config: PlanningConfig;
  readonly hands: PlanHands;
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
