import type { DocumentedAnswer } from "./operation.ts";

/** The shapes of a run: tokens for front ends are shown less of it. */
export const RUN_SHAPES = ["Run", "RunProgress"] as const;

/** Documented answer of an operation that changes a run. */
export const CHANGED_RUN: DocumentedAnswer = {
  description: "The run as it is now; without the scope `read`, only its id, status and links",
  shape: [...RUN_SHAPES, "StartedRun"],
};

/** Documented answers of operations that start a run. */
export const STARTED: DocumentedAnswer = {
  description: "Started, or found by its id",
  shape: "StartedRun",
  headers: ["Location", "Preference-Applied"],
};

/** Documented answer 200 of an operation that started a run and waited for its end. */
export const FINISHED: DocumentedAnswer = {
  description: "Finished within the requested wait, or the event stream",
  shape: [...RUN_SHAPES, "StartedRun"],
  types: ["text/event-stream"],
  headers: ["Location", "Preference-Applied", "Edgecrew-Token"],
};
