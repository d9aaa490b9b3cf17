// The fields of schedules, webhooks and queue triggers, over HTTP and in code.
import * as z from "zod";
import { DELIVERY_OUTCOMES } from "./delivery-store.ts";
import type { JsonObject } from "../base/json.ts";
import { RUN_ID_PATTERN } from "../runtime/run.ts";
import { TRIGGER_FIELDS } from "./trigger-fields.ts";

const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<
  JsonObject,
  JsonObject
>;

/** Ids of schedules are part of their runs' ids; names of webhooks are part of their addresses. */
const name = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);

export const triggerName = name;

const target = z
  .strictObject({
    kind: z.string().min(1).max(64).describe("A run kind with definitions, such as `crew`."),
    name: z.string().min(1).max(128),
  })
  .describe("Target to start.");

const inputPointers = z
  .union([z.string(), z.record(z.string(), z.string())])
  .describe(
    'JSON pointers into the body, one for each input, or one pointer to an object of inputs. `""` is the whole body. By default, the whole body is the input `crewai_trigger_payload`.',
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
  .describe("Missed slots to start: none, the newest, or all (the newest 100).");
const overlap = z
  .enum(["allow", "skip"])
  .describe("`skip` starts no run while the run of an earlier slot has not ended.");
/** Many due schedules are read at once, so their inputs are limited. */
const MAX_INPUTS_LENGTH = 65_536;

const scheduleInputs = jsonObject
  .refine((inputs) => JSON.stringify(inputs).length <= MAX_INPUTS_LENGTH, {
    error: `must have at most ${MAX_INPUTS_LENGTH} characters as JSON`,
  })
  .describe("The runs' inputs. For an agent or a conversation, `messages` is the question.");

export const scheduleFields = z.strictObject({
  cron,
  timeZone: timeZone.default("UTC"),
  target,
  inputs: scheduleInputs.default({}),
  missed: missed.default("latest"),
  overlap: overlap.default("allow"),
  ...TRIGGER_FIELDS,
});

export const createScheduleBody = z.strictObject({
  ...scheduleFields.shape,
  id: name.optional().describe("An id that is in use is refused. By default, a random one."),
  paused: z.boolean().default(false),
});

export const changeScheduleBody = z.strictObject({
  cron: cron.optional(),
  timeZone: timeZone.optional(),
  target: target.optional(),
  inputs: scheduleInputs.optional(),
  missed: missed.optional(),
  overlap: overlap.optional(),
  ...TRIGGER_FIELDS,
  paused: z.boolean().optional(),
});

export const runScheduleBody = z.strictObject({
  id: z
    .string()
    .regex(RUN_ID_PATTERN)
    .optional()
    .describe(
      "The run's id. If the same request has used it before, the answer is that run; 409 if another one has.",
    ),
});

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/);

export const webhookFields = z.strictObject({
  scheme: z
    .enum(["github", "stripe", "slack", "standard", "hmac"])
    .describe("Signature scheme of deliveries."),
  target,
  inputs: inputPointers.optional(),
  schema: jsonObject.optional().describe("A JSON Schema that bodies must match."),
  signatureHeader: headerName
    .optional()
    .describe("Of `hmac`: the header with the signature. By default, `x-signature`."),
  idHeader: headerName
    .optional()
    .describe(
      "Of `hmac`: the header with the delivery's id. By default, equal bodies count as one delivery.",
    ),
  timestampHeader: headerName
    .optional()
    .describe("Of `hmac`: the header with the time in seconds. If set, `<time>.<body>` is signed."),
  ...TRIGGER_FIELDS,
  keepBodies: z
    .boolean()
    .optional()
    .describe("Stores the bodies of deliveries, each cut at 64 KiB, for keys of scope `admin`."),
});

export const putWebhookBody = z.strictObject({
  ...webhookFields.shape,
  secret: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe("Secret shared with the sender, never returned. Default: the current one."),
  keepPreviousSeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(0)
    .describe("Time that the previous secret stays valid."),
});

export const queueFields = z.strictObject({
  target,
  inputs: inputPointers.optional(),
  schema: jsonObject.optional(),
  ...TRIGGER_FIELDS,
});

export const pageQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const deliveriesQuery = z.strictObject({
  ...pageQuery.shape,
  outcome: z.enum(DELIVERY_OUTCOMES).optional(),
});

export const testWebhookBody = z.strictObject({
  payload: jsonObject.describe("JSON body of the sender."),
  event: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .optional()
    .describe("Of `github`: the event's type, as its header has it."),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(1000))
    .optional()
    .describe("Further headers of the delivery. Those that sign it cannot be replaced."),
});

export const deliveryQuery = z.strictObject({
  tenant: z
    .string()
    .optional()
    .describe("The tenant that the webhook belongs to. By default, `default`."),
});

export type CreateScheduleBody = z.input<typeof createScheduleBody>;
export type ChangeScheduleBody = z.input<typeof changeScheduleBody>;
export type TestWebhookBody = z.input<typeof testWebhookBody>;
export type PutWebhookBody = z.input<typeof putWebhookBody>;
