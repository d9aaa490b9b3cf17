// What schedules and hooks may say, over HTTP and in code.
import * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import { RUN_ID_PATTERN } from "../runtime/run.ts";

const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<
  JsonObject,
  JsonObject
>;

/** Ids of schedules are part of their runs' ids; names of hooks are part of their addresses. */
const name = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);

export const triggerName = name;

const target = z
  .strictObject({
    kind: z.enum(["crew", "flow", "agent"]),
    name: z.string().min(1).max(128),
  })
  .describe("What is started.");

const inputPointers = z
  .union([z.string(), z.record(z.string(), z.string())])
  .describe(
    'JSON pointers into the body, one for each input; or one pointer to an object of inputs. Left out, the whole body is the input `crewai_trigger_payload`. `""` is the whole body.',
  );

const cron = z
  .string()
  .min(1)
  .max(200)
  .describe(
    "Five fields: minute, hour, day, month, day of the week; or a nickname such as @daily.",
  );
const timeZone = z.string().min(1).max(100).describe("IANA name, such as Europe/Berlin.");
const missed = z
  .enum(["skip", "latest", "all"])
  .describe(
    "Of slots that nobody was there to start: none, the newest, or all (the newest 100) are started.",
  );
const overlap = z
  .enum(["allow", "skip"])
  .describe("`skip` starts no run while that of an earlier slot is not over.");
/** Many schedules are read at once when they are due. */
const MAX_INPUTS_LENGTH = 65_536;

const scheduleInputs = jsonObject
  .refine((inputs) => JSON.stringify(inputs).length <= MAX_INPUTS_LENGTH, {
    error: `must have at most ${MAX_INPUTS_LENGTH} characters as JSON`,
  })
  .describe("The runs' inputs; of an agent, `messages` is what it is asked.");

export const scheduleFields = z.strictObject({
  cron,
  timeZone: timeZone.default("UTC"),
  target,
  inputs: scheduleInputs.default({}),
  missed: missed.default("latest"),
  overlap: overlap.default("allow"),
});

export const createScheduleBody = z.strictObject({
  ...scheduleFields.shape,
  id: name.optional().describe("A used one is refused. Left out, a random one."),
  paused: z.boolean().default(false),
});

export const changeScheduleBody = z.strictObject({
  cron: cron.optional(),
  timeZone: timeZone.optional(),
  target: target.optional(),
  inputs: scheduleInputs.optional(),
  missed: missed.optional(),
  overlap: overlap.optional(),
  paused: z.boolean().optional(),
});

export const runScheduleBody = z.strictObject({
  id: z
    .string()
    .regex(RUN_ID_PATTERN)
    .optional()
    .describe("The run's id; if it is in use, the answer is that run."),
});

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/);

export const hookFields = z.strictObject({
  scheme: z
    .enum(["github", "stripe", "slack", "standard", "hmac"])
    .describe("How deliveries are signed."),
  target,
  inputs: inputPointers.optional(),
  schema: jsonObject.optional().describe("JSON Schema that bodies must fit."),
  signatureHeader: headerName
    .optional()
    .describe("Of `hmac`: the header with the signature, `x-signature` unless given."),
  idHeader: headerName
    .optional()
    .describe(
      "Of `hmac`: the header with the delivery's id; left out, equal bodies are one delivery.",
    ),
  timestampHeader: headerName
    .optional()
    .describe(
      "Of `hmac`: the header with the time in seconds; then `<time>.<body>` is what is signed.",
    ),
});

export const putWebhookBody = z.strictObject({
  ...hookFields.shape,
  secret: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      "Shared with the sender; never shown again. May be left out to keep the present one.",
    ),
  keepPreviousSeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(0)
    .describe("How long the secret before stays good as well."),
});

export const queueFields = z.strictObject({
  target,
  inputs: inputPointers.optional(),
  schema: jsonObject.optional(),
});

export const pageQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const deliveryQuery = z.strictObject({
  tenant: z.string().optional().describe("Whose hook it is; left out, that of tenant `default`."),
});

export type CreateScheduleBody = z.input<typeof createScheduleBody>;
export type ChangeScheduleBody = z.input<typeof changeScheduleBody>;
export type RunScheduleBody = z.input<typeof runScheduleBody>;
export type PutWebhookBody = z.input<typeof putWebhookBody>;
