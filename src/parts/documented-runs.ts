import type { DocumentedAnswer } from "./operation.ts";

/** How operations that start a run document their answers. */
export const STARTED: DocumentedAnswer = {
  description: "Started, or found by its id",
  shape: "StartedRun",
};

export const FINISHED: DocumentedAnswer = {
  description: "Finished within the requested wait, or the event stream",
  shape: "Run",
  types: ["text/event-stream"],
};
