import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/**
 * Agents at a task or on their own: their plans, skills, guardrails and questions to people.
 *
 * `taskId` of a plan is the name of the task, or `kickoff` for an agent without one; `requestId` is the key of the
 * wait.
 */
export interface AgentEvents {
  agent_execution_started: {
    agentRole: string;
    taskName?: string;
    tools: readonly string[];
    taskPrompt: string;
    fingerprint?: string;
  };
  agent_execution_completed: { agentRole: string; taskName?: string; output: string };
  agent_execution_error: { agentRole: string; taskName?: string; error: string; attempt: number };
  /** Warning about an agent. The agent continues. */
  agent_warning: { agentRole: string; message: string };
  /** `model` is the model whose context window is full, and also the model that summarizes. */
  context_window_summarization_started: SummarizationFields;
  context_window_summarization_completed: SummarizationFields;
  context_window_summarization_failed: SummarizationFields & { error: string };
  lite_agent_execution_started: {
    agentInfo: JsonObject;
    tools: readonly string[];
    messages: JsonValue;
  };
  lite_agent_execution_completed: { agentInfo: JsonObject; output: string };
  lite_agent_execution_error: { agentInfo: JsonObject; error: string };
  agent_reasoning_started: { agentRole: string; taskId: string; attempt: number };
  agent_reasoning_completed: {
    agentRole: string;
    taskId: string;
    attempt: number;
    plan: string;
    ready: boolean;
  };
  agent_reasoning_failed: { agentRole: string; taskId: string; attempt: number; error: string };
  plan_step_started: PlanStepFields & { toolToUse?: string };
  plan_step_completed: PlanStepFields & {
    toolToUse?: string;
    success: boolean;
    result?: string;
    error?: string;
  };
  step_observation_started: PlanStepFields;
  step_observation_completed: PlanStepFields & {
    stepCompletedSuccessfully: boolean;
    keyInformationLearned: string;
    remainingPlanStillValid: boolean;
    suggestedRefinements: JsonValue;
    needsFullReplan: boolean;
    replanReason?: string;
    goalAlreadyAchieved: boolean;
  };
  step_observation_failed: PlanStepFields & { error: string };
  plan_refinement: { agentRole: string; refinedStepCount: number; refinements: JsonValue };
  plan_replan_triggered: {
    agentRole: string;
    replanReason: string;
    replanCount: number;
    completedStepsPreserved: number;
  };
  goal_achieved_early: { agentRole: string; stepsRemaining: number; stepsCompleted: number };
  skill_loaded: { skillName: string; disclosureLevel: number; agentRole: string };
  skill_activated: { skillName: string; disclosureLevel: number; agentRole?: string };
  skill_used: { skillName: string; disclosureLevel: number; resource?: string };
  skill_load_failed: { skillName: string; error: string; agentRole: string };
  llm_guardrail_started: { guardrail: string; retryCount: number; guardrailType: string };
  /** `result` is the passing text, `error` the reason for the refusal. */
  llm_guardrail_completed: {
    success: boolean;
    result: string | null;
    error?: string;
    retryCount: number;
  };
  human_feedback_requested: {
    agentRole?: string;
    taskName?: string;
    methodName?: string;
    message: string;
    output: JsonValue;
    requestId: string;
  };
  human_feedback_received: { feedback: string; outcome?: string; by?: string };
}

type SummarizationFields = { agentRole: string; taskName?: string; model: string };

type PlanStepFields = { agentRole: string; stepNumber: number; stepDescription: string };

declare module "../events/run-event.ts" {
  interface EventPayloads extends AgentEvents {}
}

export const agentEvents = eventTypes<AgentEvents>({
  agent_execution_started: true,
  agent_execution_completed: true,
  agent_execution_error: true,
  agent_warning: true,
  context_window_summarization_started: true,
  context_window_summarization_completed: true,
  context_window_summarization_failed: true,
  lite_agent_execution_started: true,
  lite_agent_execution_completed: true,
  lite_agent_execution_error: true,
  agent_reasoning_started: true,
  agent_reasoning_completed: true,
  agent_reasoning_failed: true,
  plan_step_started: true,
  plan_step_completed: true,
  step_observation_started: true,
  step_observation_completed: true,
  step_observation_failed: true,
  plan_refinement: true,
  plan_replan_triggered: true,
  goal_achieved_early: true,
  skill_loaded: true,
  skill_activated: true,
  skill_used: true,
  skill_load_failed: true,
  llm_guardrail_started: true,
  llm_guardrail_completed: true,
  human_feedback_requested: true,
  human_feedback_received: true,
});
