// Schemas shared by operations of several parts.
import * as z from "zod";
import { MAX_PERSON_LENGTH } from "../base/person-id.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { MAX_TAGS, TAG_PATTERN } from "../runtime/tags.ts";
import { RUN_ID_PATTERN, type RunStart } from "../runtime/run.ts";

/** Any JSON. The body was parsed as JSON before a schema sees it. */
export const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
export const jsonObject = z.record(z.string(), json);

export const runId = z.string().regex(RUN_ID_PATTERN);
export const limit = z.coerce.number().int().min(1).max(200).default(50);
export const cursor = z.string().min(1);

/** Id of an answer to a question. */
export const answerId = z
  .string()
  .min(1)
  .max(64)
  .describe("A name for this answer: repeated under it, it answers 200 and changes nothing.");

/** Something by which runs are found. */
export const tag = z.string().regex(TAG_PATTERN);

/** Names in paths: letters and digits of any script, and ` _.-` between them. */
export const NAME_PATTERN = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.-]{0,127}$/u;

/** Query of a list operation: `cursor` and `limit`. */
export const pageQuery = z.strictObject({ cursor: cursor.optional(), limit });

/** A time with its zone, in any form of the document's format `date-time`: `Z` or an offset. */
export const dateTime = z.iso.datetime({ offset: true });

/** Yes or no in a query. */
export const flag = z
  .enum(["0", "1", "false", "true"])
  .transform((text) => text === "1" || text === "true");

/** Place of an event in its run, in a query. */
export const eventPlace = z.coerce.number().int();

/** Query of an event stream: its beginning, its length, and its events. */
export const followFields = {
  after: eventPlace.min(0).optional().describe("Same as Last-Event-ID"),
  types: z.string().optional().describe("Event types, separated by commas"),
  follow: z
    .enum(["0", "1", "false", "true"])
    .optional()
    .describe(
      "`0` ends the stream after the last event so far, `1` keeps it open while the run waits",
    ),
  path: z.string().min(1).optional().describe("Only events at this key, and below it"),
  slim: flag.optional().describe("1 cuts texts at 200 characters and lists at 20 entries"),
  words: z
    .enum(["request", "receive", "none"])
    .optional()
    .describe(
      "`receive` takes the words of models that stream anyway, `none` leaves words out; otherwise the models of a followed run stream their words",
    ),
} as const;

/** One of these names in a query, or several separated by commas. */
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

const DAY = "\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const TIME =
  "([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)?";
const DAY_OR_TIME = new RegExp(`^${DAY}(T${TIME})?$`);

/** A day or a time in a query. */
export const dayOrTime = z
  .string()
  .refine((text) => DAY_OR_TIME.test(text) && !Number.isNaN(Date.parse(text)), {
    error: "expected a day or a time as ISO 8601 has it",
  })
  .meta({ pattern: DAY_OR_TIME.source });

/** Requires exactly one of an object's fields, also in the document. The object must have no other fields. */
export function oneField<Schema extends z.ZodObject>(schema: Schema, error: string): Schema {
  return schema
    .refine((value) => fieldsIn(value) === 1, { error })
    .meta({ minProperties: 1, maxProperties: 1 });
}

/** Requires at least one of an object's fields, also in the document. */
export function someField<Schema extends z.ZodObject>(schema: Schema, error: string): Schema {
  return schema.refine((value) => fieldsIn(value) > 0, { error }).meta({ minProperties: 1 });
}

function fieldsIn(value: object): number {
  return Object.values(value).filter((field) => field !== undefined).length;
}

export const emptyBody = z.strictObject({});

/** Version of a stored definition for a kickoff. */
export const versionField = z
  .int()
  .min(1)
  .optional()
  .describe("The version of a stored definition that is run. By default, the present one.");

/** Pattern of addresses in the document. `checkOutboundUrl` reports the exact fault of an address. */
export const HTTP_ADDRESS = "^[Hh][Tt][Tt][Pp][Ss]?://";

const webhook = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .describe("An http or https address that is not private.")
    .meta({ pattern: HTTP_ADDRESS }),
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
    .meta({ maxItems: MAX_TAGS })
    .optional()
    .describe(
      "Labels of the run for searches: up to 8 texts of 1 to 64 letters, digits and `_.:/-`. Forks inherit them.",
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
      "Adds a token of this run for a front end to the answer. Its default scope is `read`.",
    ),
} as const;

/** Id of a person. */
export const personField = z
  .string()
  .min(1)
  .max(MAX_PERSON_LENGTH)
  .refine((id) => id.trim() === id && !/\p{Cc}/u.test(id), {
    error: "expected an id without control characters and without white space around it",
  })
  .describe("Id of a person: the human for whom the run works.");

/** Field of requests to runs that can stream their models' text. */
export const streamField = z
  .boolean()
  .optional()
  .describe(
    "Streams texts of models as events. Default: true if the request accepts events. A definition's own setting takes precedence.",
  );

/** Returns the caller's own fields of a run in the form of its start. */
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
