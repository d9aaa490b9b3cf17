// What requests may say. Inputs and answers are any JSON: they are read as such before a schema sees them.
import * as z from "zod";
import type { JsonValue } from "../base/json.ts";
import { CHAT } from "../crew/chat-crew.ts";
import { MAX_ITERATIONS } from "../crew/entry.ts";
import { RUN_ID_PATTERN } from "../runtime/run.ts";
import { runKind } from "./shapes.ts";

/** Any JSON value. */
const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
const jsonObject = z.record(z.string(), json);

const runId = z.string().regex(RUN_ID_PATTERN);
const limit = z.coerce.number().int().min(1).max(200).default(50);
const cursor = z.string().min(1);

/** Names in paths: letters and digits of any script, and ` _.-` between them. */
export const NAME_PATTERN = /^[\p{L}\p{N}_][\p{L}\p{N} _.-]{0,127}$/u;

/** Whoever reads declared flows checks the rest; see `edgecrew/flow/declarative`. */
export const flowDefinitionBody = z.looseObject({
  schema: z.literal("crewai.flow/v1").optional(),
  name: z.string().optional(),
  methods: z.record(z.string(), z.looseObject({ do: z.looseObject({}) })),
});

export const pageQuery = z.strictObject({ cursor: cursor.optional(), limit });

export const plotQuery = z.strictObject({
  format: z.enum(["html", "svg", "mermaid", "json"]).optional(),
});

const eventType = z.string().regex(/^[a-z_]+$/);

const webhook = z.strictObject({
  url: z.string().min(1).max(2048).describe("http or https; never a private address."),
  events: z
    .array(eventType)
    .min(1)
    .max(50)
    .optional()
    .describe("Types of events; left out, all that are kept."),
  secret: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Signs the bodies; left out, the Worker's EDGECREW_WEBHOOK_SECRET does."),
});

const webhooks = z
  .array(webhook)
  .max(10)
  .optional()
  .describe("Addresses that are told of the run's events, signed as Standard Webhooks says.");

export const kickoffBody = z.strictObject({
  inputs: jsonObject.optional().describe("Values for the crew's {placeholders}."),
  id: runId.optional().describe("The run's id; a used one answers the run that has it."),
  webhooks,
  meta: jsonObject.optional().describe("Kept with the run and shown again; means nothing to it."),
});

export const flowKickoffBody = z.strictObject({
  ...kickoffBody.shape,
  inputs: jsonObject.optional().describe("Put into the state; `id` names a kept one."),
  restoreFromStateId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Begins with this kept state, under another id."),
  fromCheckpoint: z
    .strictObject({
      run: runId,
      checkpoint: z.string().min(1).optional().describe("Left out, its newest."),
    })
    .optional()
    .describe("Goes on from there, in a new run."),
});

export const flowStateQuery = z.strictObject({
  seq: z.coerce.number().int().min(1).optional(),
});

export const sendEventBody = z.strictObject({
  payload: json.optional(),
  id: z.string().min(1).max(200).optional().describe("The same id twice is the same event."),
});

export const kickoffForEachBody = z.strictObject({
  inputs: z.array(jsonObject).min(1).describe("One object for each run, up to 1,000."),
  id: runId.optional().describe("The batch's id; a used one answers the run that has it."),
  timeoutMs: z.int().min(1).max(31_536_000_000).optional().describe("Of each run, from the start."),
  webhooks,
  meta: jsonObject.optional().describe("Kept with the batch and shown again."),
});

const iterations = z.int().min(1).max(MAX_ITERATIONS).describe("How often the crew is run.");

export const trainBody = z.strictObject({
  ...kickoffBody.shape,
  iterations,
  name: z.string().min(1).max(128).optional().describe("What the training is kept under."),
});

export const testBody = z.strictObject({
  ...kickoffBody.shape,
  iterations,
  evalModel: z
    .union([z.string().min(1), z.looseObject({ model: z.string().min(1) })])
    .optional()
    .describe("The model that judges: its name, or settings."),
});

export const chatBody = z.strictObject({
  messages: CHAT.describe("The conversation so far; the last message is the user's."),
  id: kickoffBody.shape.id,
  meta: kickoffBody.shape.meta,
});

export const turnBody = z.strictObject({
  message: z.string().min(1).describe("What the user says."),
  sessionId: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The conversation; left out, a new one."),
  id: runId
    .optional()
    .describe("The turn's id in its session: the same one is taken once, and answers its run."),
  intents: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(100)
    .optional()
    .describe("What the message is sorted into."),
  inputs: jsonObject.optional().describe("Put into the flow's state before the turn."),
  stream: z
    .boolean()
    .optional()
    .describe("Whether models are heard while they speak; by default where events are asked for."),
  webhooks,
  meta: kickoffBody.shape.meta,
});

const contentPart = z.union([
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.enum(["image", "file"]),
    url: z.string().optional(),
    data: z.string().optional().describe("In base64, with its `mediaType`."),
    mediaType: z.string().optional(),
    name: z.string().optional().describe("Of a file."),
    detail: z.enum(["auto", "low", "high"]).optional().describe("Of an image."),
  }),
]);

const agentMessage = z.strictObject({
  role: z.enum(["system", "user", "assistant"]),
  content: z
    .union([z.string(), z.array(contentPart).min(1)])
    .describe("A text, or parts of a user's message with images and files among them."),
});

export const agentKickoffBody = z.strictObject({
  messages: z
    .union([z.string().min(1), z.array(agentMessage).min(1)])
    .describe(
      "What the agent is asked: a text, or a conversation whose last message is the user's.",
    ),
  inputs: jsonObject
    .optional()
    .describe("Values for {placeholders} of the agent and the messages."),
  id: runId.optional().describe("The run's id; a used one answers the run that has it."),
  meta: jsonObject.optional().describe("Kept with the run and shown again; means nothing to it."),
});

export const listRunsQuery = z.strictObject({
  kind: runKind.optional(),
  parent: runId.optional().describe("Only the child runs of this run."),
  name: z.string().min(1).optional(),
  status: z.enum(["queued", "running", "waiting", "completed", "failed", "cancelled"]).optional(),
  cursor: cursor.optional(),
  limit,
});

export const journalQuery = z.strictObject({
  values: z.enum(["0", "1", "false", "true"]).optional().describe("1 adds each step's result."),
  cursor: cursor.optional(),
  limit,
});

export const resumeBody = z.strictObject({
  key: z.string().min(1).optional().describe("The wait; may be left out when only one is open."),
  feedback: z.string().optional().describe("What a person wrote."),
  value: json.optional().describe("The answer as data: for waits with a schema or choices."),
  approve: z.boolean().optional(),
  by: z.string().min(1).max(200).optional().describe("Who answers."),
});

export const cancelBody = z.strictObject({ reason: z.string().max(1000).optional() });

export const emptyBody = z.strictObject({});

export const forkBody = z.strictObject({
  fromStep: z.string().min(1).optional().describe("Key of the first step that is done anew."),
  fromTask: z
    .string()
    .min(1)
    .optional()
    .describe("Name or step key of the first task that is done anew."),
  fromMethod: z.string().min(1).optional().describe("As fromTask, of a flow."),
  fromCheckpoint: z
    .string()
    .min(1)
    .optional()
    .describe("Id of the last checkpoint that is taken over."),
  branch: z.string().min(1).max(64).optional().describe("A name for the fork."),
  inputs: jsonObject.optional().describe("Replace the other run's inputs."),
  id: runId.optional(),
});

export const checkpointsQuery = z.strictObject({
  values: z.enum(["0", "1", "false", "true"]).optional().describe("1 adds what each task gave."),
});

export const checkpointDiffQuery = z.strictObject({
  from: z.string().min(1).describe("Id of a checkpoint."),
  to: z.string().min(1).describe("Id of a checkpoint."),
  run: runId.optional().describe("The run that `to` is of, where it is another one."),
});

export const pruneBody = z.strictObject({
  olderThan: z.iso.datetime({ offset: true }).describe("Runs that have not changed since."),
  keep: z.number().int().min(0).max(1000).default(0).describe("Never the newest so many."),
  limit: z.number().int().min(1).max(200).default(50),
});

export const createKeyBody = z.strictObject({
  tenant: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  scopes: z
    .array(z.enum(["run", "read", "admin"]))
    .min(1)
    .max(3),
  name: z.string().min(1).max(100).optional(),
});

export const reindexBody = z.strictObject({ ids: z.array(runId).min(1).max(100) });

export type KickoffForEachBody = z.input<typeof kickoffForEachBody>;
export type KickoffBody = z.input<typeof kickoffBody>;
export type FlowKickoffBody = z.input<typeof flowKickoffBody>;
export type SendEventBody = z.input<typeof sendEventBody>;
export type TrainBody = z.input<typeof trainBody>;
export type TestBody = z.input<typeof testBody>;
export type ChatBody = z.input<typeof chatBody>;
export type TurnBody = z.input<typeof turnBody>;
export type AgentKickoffBody = z.input<typeof agentKickoffBody>;
export type PruneBody = z.input<typeof pruneBody>;
export type ForkBody = z.input<typeof forkBody>;
export type CreateKeyBody = z.input<typeof createKeyBody>;
