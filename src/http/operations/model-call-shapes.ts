// Shapes of model calls and checkpoints.
import * as z from "zod";
import { shapeOf } from "../../parts/shape.ts";
import { errorRecord, time, usage } from "../../parts/shapes.ts";
import type { Checkpoint, CheckpointDiff } from "../../runtime/checkpoints.ts";
import type { ModelCallSummary } from "../../runtime/model-call-list.ts";
import type { ModelCallView } from "../../runtime/model-call-view.ts";
import { STEP_STATES } from "./run-schemas.ts";
import { retry } from "./run-shapes.ts";

const object = () => z.record(z.string(), z.unknown());

export const modelCallSummaryShape = shapeOf<ModelCallSummary>()("ModelCallSummary", () =>
  z.strictObject({
    key: z.string(),
    model: z.string(),
    agent: z.string().optional(),
    task: z.string().optional(),
    purpose: z.string().describe("`turn`, `plan`, `guardrail`, `convert`, … or `other`"),
    state: z.enum(STEP_STATES),
    attempt: z.number(),
    startedAt: time(),
    endedAt: time().optional(),
    durationMs: z.number().optional(),
    firstTokenMs: z.number().optional().describe("Of a streamed answer, in its last attempt"),
    finishReason: z.string().optional(),
    usage: usage().optional(),
    error: errorRecord().optional(),
  }),
);

export const modelCallShape = shapeOf<ModelCallView>()("ModelCall", () =>
  modelCallSummaryShape.schema().extend({
    costUsd: z.number().optional(),
    price: z
      .strictObject({
        model: z.string(),
        inPerMillion: z.number(),
        outPerMillion: z.number(),
        source: z.enum(["table", "settings"]).describe("`settings`: of the model, or of the app"),
      })
      .optional()
      .describe("In US dollars per million tokens"),
    attempts: z.array(retry()).describe("Attempts that failed, or that a crash cut off"),
    request: z.looseObject({
      messages: z.array(object()),
      tools: z.array(object()).optional(),
      toolChoice: z
        .union([z.enum(["none", "required"]), z.strictObject({ tool: z.string() })])
        .optional(),
      responseSchema: object().optional().describe("The JSON Schema of the answer, with its name"),
      stop: z.array(z.string()).optional(),
      settings: object()
        .optional()
        .describe(
          "Of the model that answered, such as `temperature`, where they are not left to the provider",
        ),
      recorded: z
        .enum(["full", "cut", "none"])
        .describe("`cut`: the calls before it kept no request. `none`: this one did not"),
    }),
    response: object().optional().describe("Absent for a call that failed or has not ended"),
  }),
);

export const checkpointShape = shapeOf<Checkpoint>()("Checkpoint", () =>
  z.strictObject({
    id: z.string().describe("The task's step key, `@`, and its place in the order of results"),
    task: z.string(),
    key: z.string().describe("The task's step key"),
    parentId: z.string().optional().describe("The previous checkpoint"),
    branch: z.string().describe("The run or named fork that it belongs to"),
    at: time(),
    usage: usage().describe("The run's usage up to here"),
    output: z.unknown().optional().describe("With ?values=1"),
    omitted: z
      .number()
      .optional()
      .describe("Length of the output, where it is too long for an answer"),
  }),
);

export const checkpointDiffShape = shapeOf<CheckpointDiff>()("CheckpointDiff", () =>
  z.strictObject({
    from: z.string(),
    to: z.string(),
    tasks: z.array(
      z.strictObject({
        task: z.string(),
        key: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        from: z.unknown().optional(),
        to: z.unknown().optional(),
        omitted: z
          .literal(true)
          .optional()
          .describe("`from` or `to` is left out: the answer would be too long"),
      }),
    ),
    usage: usage().describe("`to` minus `from`"),
  }),
);
