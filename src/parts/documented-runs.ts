import type { DocumentedAnswer } from "./operation.ts";

/** The documented answers of operations that start a run. */
export const STARTED: DocumentedAnswer = {
  description: "Started, or found by its id",
  shape: "StartedRun",
};

/** The documented answer 200 of an operation that started a run and waited for its end. */
export const FINISHED: DocumentedAnswer = {
  description: "Finished within the requested wait, or the event stream",
  shape: "Run",
  types: ["text/event-stream"],
};
