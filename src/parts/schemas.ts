// Schemas that operations of several parts share.
import * as z from "zod";
import type { JsonValue } from "../base/json.ts";
import { RUN_ID_PATTERN } from "../runtime/run.ts";

/** Any JSON. The body was parsed as JSON before a schema sees it. */
export const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
export const jsonObject = z.record(z.string(), json);

export const runId = z.string().regex(RUN_ID_PATTERN);
export const limit = z.coerce.number().int().min(1).max(200).default(50);
export const cursor = z.string().min(1);

/** Names in paths: letters and digits of any script, and ` _.-` between them. */
export const NAME_PATTERN = /^[\p{L}\p{N}_][\p{L}\p{N} _.-]{0,127}$/u;

/** The query of an operation that lists: `cursor` and `limit`. */
export const pageQuery = z.strictObject({ cursor: cursor.optional(), limit });

export const emptyBody = z.strictObject({});

/** Which version of a stored definition a kickoff runs. */
export const versionField = z
  .int()
  .min(1)
  .optional()
  .describe("The version of a stored definition that is run. By default, the present one.");

const webhook = z.strictObject({
  url: z.string().min(1).max(2048).describe("An http or https address that is not private."),
  events: z
    .array(z.string().regex(/^[a-z_]+$/))
    .min(1)
    .max(50)
    .optional()
    .describe("Event types. By default, all that are stored."),
  secret: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Signs the bodies. By default, the Worker's EDGECREW_WEBHOOK_SECRET."),
});

/** Fields of every request that starts a run. */
export const runFields = {
  id: runId
    .optional()
    .describe(
      "The run's id. If the same request has used it before, the answer is that run; 409 if another one has.",
    ),
  webhooks: z
    .array(webhook)
    .max(10)
    .optional()
    .describe("Addresses that receive the run's events, signed as Standard Webhooks specifies."),
  meta: jsonObject
    .optional()
    .describe("Stored with the run and returned with it; the run does not use it."),
} as const;
