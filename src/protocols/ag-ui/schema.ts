// Requests of front ends. Unknown members are ignored, and null in the place of an optional member means that it is
// absent: front ends differ in it.
import * as z from "zod";
import { shape } from "../../parts/shape.ts";

/** Maximum length of ids, in UTF-16 units. */
const MAX_ID = 256;
const MAX_TOOLS = 128;
const MAX_RESUMED = 1_000;

const id = z.string().min(1).max(MAX_ID);

/** An optional member: undefined if it is absent or null. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A list that may be absent or null, and is empty then. */
function list<Schema extends z.ZodType>(schema: z.ZodArray<Schema>) {
  return schema.nullish().transform((value) => value ?? []);
}

const source = z.discriminatedUnion("type", [
  z.object({ type: z.literal("data"), value: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal("url"), value: z.string(), mimeType: optional(z.string()) }),
  z.object({
    type: z.literal("file"),
    value: z.string(),
    provider: optional(z.string()),
    mimeType: optional(z.string()),
  }),
]);

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.enum(["image", "audio", "video", "document"]), source }),
]);

const content = z.union([z.string(), z.array(part)]);

const message = z.discriminatedUnion("role", [
  z.looseObject({ id, role: z.enum(["developer", "system"]), content: z.string() }),
  z.looseObject({ id, role: z.literal("user"), content }),
  z.looseObject({
    id,
    role: z.literal("assistant"),
    content: optional(z.string()),
    toolCalls: optional(
      z.array(
        z.looseObject({
          id: z.string(),
          type: z.literal("function"),
          function: z.looseObject({ name: z.string(), arguments: z.string() }),
        }),
      ),
    ),
  }),
  z.looseObject({
    id,
    role: z.literal("tool"),
    toolCallId: z.string(),
    content,
    error: optional(z.string()),
  }),
  z.looseObject({
    id,
    role: z.literal("activity"),
    activityType: z.string(),
    content: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({ id, role: z.literal("reasoning"), content: z.string() }),
]);

const someValue = optional(z.unknown());

/** The body of a request. */
export const runAgentInput = z.looseObject({
  threadId: id.describe("The conversation: its runs see each other's interrupts and messages."),
  runId: id.describe(
    "Id of this request. A repeated id returns the same stream without a new run.",
  ),
  protocolVersion: optional(z.string()),
  parentRunId: optional(id),
  state: someValue,
  messages: z
    .array(message)
    .refine(
      (all) => new Set(all.map((each) => each.id)).size === all.length,
      "must have ids of their own",
    )
    .describe(
      "The whole conversation. An empty list returns the thread's messages without a new run.",
    ),
  tools: list(
    z
      .array(
        z.looseObject({
          name: z.string().min(1),
          description: z
            .string()
            .nullish()
            .transform((text) => text ?? ""),
          parameters: optional(z.record(z.string(), z.unknown())),
        }),
      )
      .max(MAX_TOOLS),
  ),
  context: list(z.array(z.looseObject({ description: z.string(), value: z.string() }))),
  forwardedProps: someValue,
  resume: list(
    z
      .array(
        z.looseObject({
          interruptId: z.string(),
          status: z.enum(["resolved", "cancelled"]),
          payload: someValue,
        }),
      )
      .max(MAX_RESUMED),
  ),
});

/** A parsed request. */
export type RunInput = z.output<typeof runAgentInput>;
/** A message of a request. */
export type InputMessage = RunInput["messages"][number];
/** A part of a message of a user or a tool. */
export type InputPart = z.output<typeof part>;

export const agUiCancelledShape = shape("AgUiCancelled", () =>
  z.strictObject({ cancelled: z.number().int().min(0) }),
);

export const agUiThreadShape = shape("AgUiThread", () =>
  z.strictObject({
    threadId: z.string(),
    messages: z.array(z.looseObject({ id: z.string(), role: z.string() })),
    state: z.unknown().optional().describe("State of the latest run, if it shares one"),
    interrupts: z.array(z.looseObject({ id: z.string(), reason: z.string() })),
    pendingToolCallIds: z.array(z.string()).describe("Tool calls for the client"),
  }),
);
