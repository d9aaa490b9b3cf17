// CrewAI's hosted API: what its requests and answers look like. Facts from its OpenAPI description, package 1.15.17.
import * as z from "zod";
import type { JsonValue } from "../../base/json.ts";

const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
const jsonObject = z.record(z.string(), json);

/** Clients send null, or an empty text, for what they do not use. */
const webhookUrl = z.string().max(2048).nullish();

const webhookUrls = {
  taskWebhookUrl: webhookUrl.describe("Told of each task's output"),
  stepWebhookUrl: webhookUrl.describe("Told of each tool call and answer of an agent"),
  crewWebhookUrl: webhookUrl.describe("Told of the end"),
};

/** Unknown fields are let pass: clients send more than the description names. */
export const crewaiKickoffBody = z.object({
  inputs: jsonObject.describe("Values for the crew's {placeholders}."),
  meta: jsonObject.nullish().describe("Kept with the run, and part of each webhook's body."),
  ...webhookUrls,
});

const resume = {
  execution_id: z.string().min(1).describe("The kickoff_id."),
  task_id: z.string().min(1).describe("As `pending_human_input` and webhooks say."),
  human_feedback: z.string(),
  is_approve: z.boolean().describe("false has the task done again with the feedback."),
};

/** As clients send it. */
export const crewaiResumeWire = z.object({ ...resume, ...webhookUrls });

/** As bodies are read: with names in camelCase. */
export const crewaiResumeBody = z.object({
  executionId: resume.execution_id,
  taskId: resume.task_id,
  humanFeedback: resume.human_feedback,
  isApprove: resume.is_approve,
  ...webhookUrls,
});

/** What answers look like; made when the API document is asked for. */
export function crewaiShapes() {
  const seconds = z.number().describe("Seconds");

  const taskResult = z.strictObject({
    task_id: z.string(),
    output: z.string(),
    agent: z.string(),
    execution_time: seconds,
  });

  const result = z.strictObject({ output: z.string(), tasks: z.array(taskResult) });

  const pendingHumanInput = z.strictObject({
    task_id: z.string(),
    output: z.string().describe("What the person is asked about"),
    prompt: z.string(),
  });

  const status = z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("running"),
      state: z.literal("RUNNING"),
      current_task: z.string().nullable(),
      progress: z.strictObject({ completed_tasks: z.number(), total_tasks: z.number() }),
      pending_human_input: pendingHumanInput.optional(),
    }),
    z.strictObject({
      status: z.literal("completed"),
      state: z.literal("SUCCESS"),
      result,
      execution_time: seconds,
    }),
    z.strictObject({
      status: z.literal("error"),
      state: z.literal("FAILED"),
      error: z.string(),
      execution_time: seconds,
    }),
  ]);

  return {
    CrewaiInputs: z.strictObject({ inputs: z.array(z.string()) }),
    CrewaiKickoff: z.strictObject({ kickoff_id: z.string() }),
    CrewaiStatus: status,
    CrewaiResumed: z.strictObject({
      status: z.enum(["resumed", "retrying", "completed"]),
      message: z.string(),
    }),
    CrewaiError: z.strictObject({
      error: z.string(),
      message: z.string(),
      details: z.strictObject({ missing_inputs: z.array(z.string()) }).optional(),
    }),
  } as const;
}

type Shape<Name extends keyof ReturnType<typeof crewaiShapes>> = z.infer<
  ReturnType<typeof crewaiShapes>[Name]
>;
export type CrewaiStatus = Shape<"CrewaiStatus">;
export type CrewaiResult = Extract<CrewaiStatus, { status: "completed" }>["result"];
export type PendingHumanInput = NonNullable<
  Extract<CrewaiStatus, { status: "running" }>["pending_human_input"]
>;
export type CrewaiResumed = Shape<"CrewaiResumed">;
export type CrewaiError = Shape<"CrewaiError">;
