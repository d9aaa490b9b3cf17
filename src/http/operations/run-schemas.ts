// Schemas of requests about runs.
import * as z from "zod";
import {
  answerId,
  cursor,
  dateTime,
  eventPlace,
  flag,
  followFields,
  json,
  jsonObject,
  limit,
  namesIn,
  runId,
} from "../../parts/schemas.ts";
import { forkBody as startedFork } from "../../starts/start-fields.ts";
import type { StepKind, StepState } from "../../journal/journal-store.ts";

export const eventsQuery = z.strictObject({
  ...followFields,
  before: eventPlace.min(1).optional().describe("As JSON: only events before this `seq`"),
  limit: eventPlace.min(1).max(500).optional().describe("As JSON: 50 if absent"),
  order: z.enum(["asc", "desc"]).optional().describe("As JSON: `desc` begins with the last one"),
});

export type EventsQuery = z.output<typeof eventsQuery>;

export const STEP_KINDS = [
  "model",
  "tool",
  "effect",
  "task",
  "method",
  "agent",
  "group",
  "value",
  "wait",
] as const satisfies readonly StepKind[];
export const STEP_STATES = [
  "started",
  "waiting",
  "done",
  "error",
] as const satisfies readonly StepState[];

export const journalQuery = z
  .strictObject({
    order: z.enum(["asc", "desc"]).optional().describe("`desc` begins with the last step."),
    cursor: cursor.optional(),
    around: z.string().min(1).optional().describe("The page that has the step of this key."),
    limit,
    under: z.string().min(1).optional().describe("Only steps below this key."),
    depth: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("How many steps deep: 1 for direct children."),
    kinds: namesIn(STEP_KINDS).optional().describe("Kinds of steps, separated by commas."),
    states: namesIn(STEP_STATES).optional().describe("States, separated by commas."),
    q: z.string().min(1).max(200).optional().describe("A piece of the key."),
    values: z
      .enum(["0", "1", "false", "true", "cut"])
      .transform((text) => (text === "cut" ? text : text === "1" || text === "true"))
      .optional()
      .describe("1 adds each step's result, `cut` its first 65,536 characters."),
    hash: flag.optional().describe("1 adds a fingerprint of each result."),
  })
  .refine(({ around, cursor: place }) => around === undefined || place === undefined, {
    path: ["around"],
    message: "expected no cursor beside it",
  });

export const stepQuery = z.strictObject({
  key: z.string().min(1).describe("Key of a step."),
  from: z.coerce.number().int().min(0).optional().describe("Where a piece of the result begins."),
  length: z.coerce
    .number()
    .int()
    .min(1)
    .max(8 * 1024 * 1024)
    .optional()
    .describe("How long the piece is."),
});

export const modelCallsQuery = z.strictObject({
  order: z.enum(["asc", "desc"]).optional().describe("`desc` begins with the last call."),
  cursor: cursor.optional(),
  limit,
  under: z.string().min(1).optional().describe("Only calls below this key."),
});

export const exportQuery = z.strictObject({
  values: flag.optional().describe("0 leaves the results of steps out."),
});

export const resumeBody = z.strictObject({
  key: z
    .string()
    .min(1)
    .optional()
    .describe("The key of the wait. It may be left out for the only question of the run so far."),
  feedback: z.string().optional().describe("The text that a person wrote."),
  value: json.optional().describe("The answer as data, for waits with a schema or choices."),
  approve: z.boolean().optional(),
  by: z.string().min(1).max(200).optional().describe("The person who answers."),
  id: answerId.optional(),
});

export const sendEventBody = z.strictObject({
  payload: json.optional(),
  id: z.string().min(1).max(200).optional().describe("Events with the same id count as one."),
});

export const cancelBody = z.strictObject({ reason: z.string().max(1000).optional() });

export const forkBody = startedFork({
  fromStep: z.string().min(1).optional().describe("Key of the first step that is repeated."),
  fromTask: z
    .string()
    .min(1)
    .optional()
    .describe("Name or step key of the first task that is repeated."),
  fromMethod: z.string().min(1).optional().describe("Like fromTask, for a method."),
  fromCheckpoint: z.string().min(1).optional().describe("Id of the last checkpoint that is kept."),
  fromFailure: z
    .literal(true)
    .optional()
    .describe("Of a failed run: the call that it failed at is the first step that is repeated."),
  fromStart: z.literal(true).optional().describe("Nothing is taken over: the run is done again."),
  edit: z
    .strictObject({
      key: z.string().min(1).describe("Key of a finished step."),
      value: json.describe(
        "Its result instead: of a model call `{ text?, toolCalls? }`, of a tool a text or JSON, of a wait an answer that fits it.",
      ),
    })
    .optional()
    .describe(
      "Everything that was on record when this step ended is taken over, with another result of it.",
    ),
  definition: z
    .union([z.enum(["same", "present"]), z.int().min(1)])
    .optional()
    .describe("Which stored definition the fork runs: a number is a version of it."),
  branch: z.string().min(1).max(64).optional().describe("A name for the fork."),
  inputs: jsonObject.optional().describe("Replace the other run's inputs."),
  replace: jsonObject
    .optional()
    .describe(
      "Results of finished steps, by step key, in place of those that the new run takes over.",
    ),
});

export const retryBody = startedFork({ branch: forkBody.shape.branch });

export const checkpointsQuery = z.strictObject({
  values: flag.optional().describe("1 adds the output of each task."),
  cursor: cursor.optional(),
});

export const modelCallQuery = z.strictObject({
  key: z.string().min(1).describe("Key of a step of the kind `model`."),
  message: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe("The place of one message, from 0, which is then shown alone and whole."),
});

export const checkpointDiffQuery = z.strictObject({
  from: z.string().min(1).describe("Id of a checkpoint."),
  to: z.string().min(1).describe("Id of a checkpoint."),
  run: runId.optional().describe("The run that `to` belongs to, if it is another run."),
});

export const pruneBody = z.strictObject({
  olderThan: dateTime.describe("Only runs that have not changed since this time."),
  keep: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("The number of newest runs that are always kept."),
  limit: z.number().int().min(1).max(200).default(50),
});

export type PruneBody = z.input<typeof pruneBody>;
export type ForkBody = z.input<typeof forkBody>;
