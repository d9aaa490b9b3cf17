// Schemas that operations of several parts share.
import * as z from "zod";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { MAX_TAGS, TAG_PATTERN } from "../runtime/tags.ts";
import { RUN_ID_PATTERN, type RunStart } from "../runtime/run.ts";

/** Any JSON. The body was parsed as JSON before a schema sees it. */
export const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
export const jsonObject = z.record(z.string(), json);

export const runId = z.string().regex(RUN_ID_PATTERN);
export const limit = z.coerce.number().int().min(1).max(200).default(50);
export const cursor = z.string().min(1);

/** Something by which runs are found. */
export const tag = z.string().regex(TAG_PATTERN);

/** Names in paths: letters and digits of any script, and ` _.-` between them. */
export const NAME_PATTERN = /^[\p{L}\p{N}_][\p{L}\p{N} _.-]{0,127}$/u;

/** The query of an operation that lists: `cursor` and `limit`. */
export const pageQuery = z.strictObject({ cursor: cursor.optional(), limit });

/** In a query: one of these names, or several with commas between them. */
export function namesIn<const Name extends string>(known: readonly Name[]) {
  const one = `(${known.map((name) => name.replaceAll(/[^\w-]/g, "\\$&")).join("|")})`;
  const isKnown = (text: string): boolean => (known as readonly string[]).includes(text);
  return z
    .string()
    .refine((text) => text.split(",").every(isKnown), {
      error: `expected one of ${known.map((name) => `"${name}"`).join(", ")}`,
    })
    .meta({ pattern: `^${one}(,${one})*$` })
    .transform((text) => text.split(",") as Name[]);
}

/** In a query: a day or a time. */
export const dayOrTime = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
    error: "expected a day or a time as ISO 8601 has it",
  })
  .meta({ pattern: "^\\d{4}-\\d\\d-\\d\\d" });

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
  tags: z
    .array(tag)
    .superRefine((tags, context) => {
      if (tags.length <= MAX_TAGS) return;
      const message = `expected at most ${MAX_TAGS} tags`;
      context.addIssue({ code: "custom", path: [MAX_TAGS], message });
    })
    .optional()
    .describe(
      "By what the run can be found: up to 8 texts of 1 to 64 letters, digits and `_.:/-`. Its forks have them, too.",
    ),
  meta: jsonObject
    .optional()
    .describe("Stored with the run and returned with it; the run does not use it."),
  token: z
    .strictObject({
      scopes: z
        .array(z.enum(["read", "answer", "cancel"]))
        .min(1)
        .max(3)
        .optional(),
      ttlSeconds: z.number().int().min(60).max(86_400).optional(),
      detail: z.literal("all").optional(),
    })
    .optional()
    .describe(
      "Has the answer carry a token of this run for a front end. By default, it may `read`.",
    ),
} as const;

/** Of what can be asked for words as they come. */
export const streamField = z
  .boolean()
  .optional()
  .describe(
    "Whether the words of models are events as they come; by default when the request asks for events. A definition that says it itself keeps to that.",
  );

/** What a caller says of a run that it starts, as the run's start has it. */
export function callerFields({
  tags = [],
  meta,
}: {
  readonly tags?: readonly string[] | undefined;
  readonly meta?: JsonObject | undefined;
}): Pick<RunStart, "tags" | "meta"> {
  return {
    ...(tags.length === 0 ? undefined : { tags: [...new Set(tags)] }),
    ...(meta === undefined ? undefined : { meta }),
  };
}
