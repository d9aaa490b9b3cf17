import type { DocumentedAnswer } from "./documented-answer.ts";
import type { AnswerTo } from "./operation-answer.ts";
import { runProgressShape, runShape, startedRunShape } from "./run-shapes.ts";

/** The shapes of a run: tokens for front ends are shown less of it. */
export const RUN_SHAPES = [runShape, runProgressShape] as const;

/** Documented answers of operations that start a run. */
export const STARTED = {
  description: "Started, or found by its id",
  shape: startedRunShape,
  headers: ["Location", "Preference-Applied"],
} as const satisfies DocumentedAnswer;

/** Documented answer 200 of an operation that started a run and waited for its end. */
export const FINISHED = {
  description: "Finished within the requested wait, or the event stream",
  shape: [...RUN_SHAPES, startedRunShape],
  types: ["text/event-stream"],
  headers: ["Location", "Preference-Applied", "Edgecrew-Token"],
} as const satisfies DocumentedAnswer;

/** Documented answer 200 of an operation that changed a run. */
export const CHANGED = {
  description: "The run as it is now; without the scope `read`, only its id, status and links",
  shape: [...RUN_SHAPES, startedRunShape],
} as const satisfies DocumentedAnswer;

/** Answer with links to a run. */
export type StartedAnswer = AnswerTo<{ 202: typeof STARTED }>;

/** Answer of an operation that starts a run. */
export type StartAnswer = AnswerTo<{ 200: typeof FINISHED; 202: typeof STARTED }>;

/** Answer of an operation that changes a run. */
export type ChangeAnswer = AnswerTo<{ 200: typeof CHANGED }>;
