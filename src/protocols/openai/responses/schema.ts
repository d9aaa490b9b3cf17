// Schemas of responses, after OpenAI's API description.
import * as z from "zod";
import { content, json, sharedFields } from "../schema.ts";
import { shape } from "../../../parts/shape.ts";

/** An item of an input or of a conversation, read in `input.ts` by its type. */
export const inputItem = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(["system", "developer", "user", "assistant"]).nullish(),
  content: content.nullish(),
  id: z.string().max(200).nullish(),
  call_id: z.string().max(200).nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  input: z.string().nullish(),
  output: z.union([content, json]).nullish(),
});

/** The body of a response. */
export const responseBody = z.looseObject({
  ...sharedFields,
  input: z.union([z.string().min(1), z.array(inputItem).min(1)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  conversation: z
    .union([z.string().min(1).max(200), z.looseObject({ id: z.string().min(1).max(200) })])
    .nullish(),
  background: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
});

export type ResponseBody = z.output<typeof responseBody>;
export type InputItem = z.output<typeof inputItem>;

/** Query of a stored response. */
export const streamQuery = z.looseObject({
  stream: z.enum(["true", "false"]).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
});

export const openAiResponseShape = shape("OpenAiResponse", () =>
  z.looseObject({
    id: z.string(),
    object: z.literal("response"),
    created_at: z.number(),
    status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
    model: z.string(),
    output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  }),
);

export const openAiInputItemsShape = shape("OpenAiInputItems", () =>
  z.looseObject({
    object: z.literal("list"),
    data: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    has_more: z.boolean(),
  }),
);

export const openAiDeletedShape = shape("OpenAiDeleted", () =>
  z.strictObject({
    id: z.string(),
    object: z.literal("response"),
    deleted: z.literal(true),
  }),
);
