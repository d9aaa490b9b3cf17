// Schemas of chat completions, after OpenAI's API description.
import * as z from "zod";
import { content, json, sharedFields } from "../schema.ts";
import { shape } from "../../../parts/shape.ts";

const toolCall = z.looseObject({
  id: z.string(),
  type: z.enum(["function", "custom"]).optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
  custom: z.looseObject({ name: z.string(), input: z.string() }).optional(),
});

const chatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: content.nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().max(200).nullish(),
});

/** The body of a chat completion. */
export const chatBody = z.looseObject({
  ...sharedFields,
  messages: z.array(chatMessage).min(1),
  n: z
    .literal(1, "expected 1: a run has one answer, so send a request for each choice")
    .nullish()
    .describe("Only 1 is supported."),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: z.looseObject({ type: z.string(), json_schema: json.optional() }).nullish(),
  functions: z.array(z.never()).max(0, "tools in its place").nullish(),
});

export type ChatBody = z.output<typeof chatBody>;
export type ChatMessage = z.output<typeof chatMessage>;

export const chatCompletionShape = shape("ChatCompletion", () =>
  z.looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.number(),
    model: z.string(),
    choices: z.array(z.looseObject({ index: z.number(), finish_reason: z.string() })),
    usage: z.looseObject({ total_tokens: z.number() }),
  }),
);
