import { eventTypes } from "../events/run-event.ts";

/** Events of evaluations. */
export interface EvaluationEvents {
  agent_evaluation_started: AboutEvaluation;
  agent_evaluation_completed: AboutEvaluation & { metricCategory: string; score: number | null };
  agent_evaluation_failed: AboutEvaluation & { metricCategory: string; error: string };
}

type AboutEvaluation = { agentRole: string; taskId?: string; iteration: number };

declare module "../events/run-event.ts" {
  interface EventPayloads extends EvaluationEvents {}
}

export const evaluationEvents = eventTypes<EvaluationEvents>({
  agent_evaluation_started: true,
  agent_evaluation_completed: true,
  agent_evaluation_failed: true,
});
