/** Parts: your own features for a Worker, built like the included ones. See docs/parts.md. */

/** A feature as `defineApp({ parts })` takes it. */
export type {
  BoundPart,
  Part,
  PartEnv,
  PartHost,
  PartMessage,
  PartPlace,
  PartServices,
  RunKindSpec,
  RunSchemas,
  ServiceKey,
  Subject,
  Subjects,
} from "../parts/part.ts";
/** Shapes of answers. */
export { shape, shapeOf, type Shape, type ViewOf } from "../parts/shape.ts";
export type { DocumentedAnswer, DocumentedAnswers } from "../parts/documented-answer.ts";
/** An operation of the HTTP API. */
export type { AnswerTo, JsonAnswer, OperationAnswer } from "../parts/operation-answer.ts";
export { operation, type Operation, type OperationRequest } from "../parts/operation.ts";
/** Starts a run and answers as `POST /crews/:name/kickoff` does. */
export { startRun } from "../parts/start-run.ts";
export { FINISHED, STARTED } from "../parts/documented-runs.ts";
/** Schemas shared by requests that start a run: `id`, `meta`, `webhooks`. */
export { pageQuery, runFields } from "../parts/schemas.ts";
/** Finds a subject by kind and name. */
export { findSubject, subjectsOf } from "../parts/subjects.ts";
export type { RunScope } from "../events/run-scope.ts";
export type { RunProgram } from "../runtime/run-program.ts";
// Whole modules, so `declare module "edgecrew/parts"` can add to their interfaces.
export * from "../events/run-services.ts";
export * from "../events/run-event.ts";
