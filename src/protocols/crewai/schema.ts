// Schemas of CrewAI's hosted API, after its OpenAPI description in package 1.15.17.
import * as z from "zod";
import type { JsonValue } from "../../base/json.ts";
import { inputFilesField } from "../../files/start-with-files.ts";
import { HTTP_ADDRESS } from "../../parts/schemas.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
const jsonObject = z.record(z.string(), json);

/** Clients send null or an empty text for unused addresses. */
const webhookUrl = z
  .string()
  .max(2048)
  .meta({ pattern: `^$|${HTTP_ADDRESS}` })
  .nullish();

const webhookUrls = {
  taskWebhookUrl: webhookUrl.describe("Receives each task's output"),
  stepWebhookUrl: webhookUrl.describe("Receives each tool call and answer of an agent"),
  crewWebhookUrl: webhookUrl.describe("Receives the end of the run"),
};

/** Unknown fields are ignored, because clients send more than the description names. */
export const crewaiKickoffBody = z.object({
  inputs: jsonObject.describe("Values for the crew's {placeholders}."),
  files: inputFilesField.nullish(),
  meta: jsonObject.nullish().describe("Stored with the run, and sent in each webhook."),
  ...webhookUrls,
});

const resume = {
  execution_id: z.string().min(1).describe("The kickoff_id."),
  task_id: z
    .string()
    .min(1)
    .describe("The name of the task, as in `pending_human_input` and webhooks, or its key."),
  human_feedback: z.string(),
  is_approve: z.boolean().describe("false repeats the task with the feedback."),
};

/** The body on the wire. */
export const crewaiResumeWire = z.object({ ...resume, ...webhookUrls });

/** The body after parsing, with field names in camelCase. */
export const crewaiResumeBody = z.object({
  executionId: resume.execution_id,
  taskId: resume.task_id,
  humanFeedback: resume.human_feedback,
  isApprove: resume.is_approve,
  ...webhookUrls,
});

const seconds = () => z.number().describe("Seconds");

const taskResult = () =>
  z.strictObject({
    task_id: z.string(),
    output: z.string(),
    agent: z.string(),
    execution_time: seconds(),
  });

const result = () => z.strictObject({ output: z.string(), tasks: z.array(taskResult()) });

const pendingHumanInput = () =>
  z.strictObject({
    task_id: z.string(),
    output: z.string().describe("The text that the question is about"),
    prompt: z.string(),
  });

const status = () =>
  z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("running"),
      state: z.literal("RUNNING"),
      current_task: z.string().nullable(),
      progress: z.strictObject({ completed_tasks: z.number(), total_tasks: z.number() }),
      pending_human_input: pendingHumanInput().optional(),
    }),
    z.strictObject({
      status: z.literal("completed"),
      state: z.literal("SUCCESS"),
      result: result(),
      execution_time: seconds(),
    }),
    z.strictObject({
      status: z.literal("error"),
      state: z.literal("FAILED"),
      error: z.string(),
      execution_time: seconds(),
    }),
  ]);

export const crewaiInputsShape = shape("CrewaiInputs", () =>
  z.strictObject({ inputs: z.array(z.string()) }),
);

export const crewaiKickoffShape = shape("CrewaiKickoff", () =>
  z.strictObject({ kickoff_id: z.string() }),
);

export const crewaiStatusShape = shape("CrewaiStatus", () => status());

export const crewaiResumedShape = shape("CrewaiResumed", () =>
  z.strictObject({
    status: z.enum(["resumed", "retrying", "completed"]),
    message: z.string(),
  }),
);

export const crewaiErrorShape = shape("CrewaiError", () =>
  z.strictObject({
    error: z.string().describe("A title"),
    code: z.string().describe("Data for programs; an addition to CrewAI's fields"),
    message: z.string(),
    details: z.strictObject({ missing_inputs: z.array(z.string()) }).optional(),
  }),
);

export type CrewaiStatus = ViewOf<typeof crewaiStatusShape>;
export type CrewaiResult = Extract<CrewaiStatus, { status: "completed" }>["result"];
export type PendingHumanInput = NonNullable<
  Extract<CrewaiStatus, { status: "running" }>["pending_human_input"]
>;
export type CrewaiResumed = ViewOf<typeof crewaiResumedShape>;
export type CrewaiError = ViewOf<typeof crewaiErrorShape>;
