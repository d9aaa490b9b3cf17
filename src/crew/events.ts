import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Events of kickoffs, tasks, trainings and tests. `filename` is the name of the stored training. */
export interface CrewEvents {
  crew_kickoff_started: { crewName: string; inputs: JsonObject; fingerprint?: string };
  crew_kickoff_completed: { crewName: string; output: JsonValue; totalTokens: number };
  crew_kickoff_failed: { crewName: string; error: string };
  /** A field of a stored crew has no effect, because the deployment lacks something. `field` is its JSON pointer. */
  crew_warning: { crewName: string; field: string; message: string };
  crew_train_started: {
    crewName: string;
    nIterations: number;
    filename: string;
    inputs: JsonObject;
  };
  crew_train_completed: { crewName: string; nIterations: number; filename: string };
  crew_train_failed: { crewName: string; error: string };
  crew_test_started: {
    crewName: string;
    nIterations: number;
    evalLlm: string;
    inputs: JsonObject;
  };
  crew_test_completed: { crewName: string };
  crew_test_failed: { crewName: string; error: string };
  /** `executionDuration` is in seconds. */
  crew_test_result: {
    crewName: string;
    taskName: string;
    iteration: number;
    quality: number;
    executionDuration: number;
    model: string;
  };
  task_evaluation: { evaluationType: string; taskName?: string; agentRole?: string };
  task_started: {
    /** The task's step key. */
    taskId: string;
    taskName: string;
    agentRole: string;
    context: string;
    fingerprint?: string;
    /** Child run of the task, if there is one. That run has the events of the task. */
    childRunId?: string;
  };
  task_completed: { taskName: string; agentRole: string; output: JsonValue };
  task_failed: { taskName: string; agentRole: string; error: string };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends CrewEvents {}
}

export const crewEvents = eventTypes<CrewEvents>({
  crew_kickoff_started: true,
  crew_kickoff_completed: true,
  crew_kickoff_failed: true,
  crew_warning: true,
  crew_train_started: true,
  crew_train_completed: true,
  crew_train_failed: true,
  crew_test_started: true,
  crew_test_completed: true,
  crew_test_failed: true,
  crew_test_result: true,
  task_evaluation: true,
  task_started: true,
  task_completed: true,
  task_failed: true,
});
