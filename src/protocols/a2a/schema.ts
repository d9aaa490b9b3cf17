// Shapes of A2A 1.0.1 as JSON (ProtoJSON): schemas for input, types for output.
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../base/json.ts";

const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;
const jsonObject = z.record(z.string(), json);

/** In ProtoJSON, null means absent. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value): z.output<Schema> | undefined => value ?? undefined);
}

/** States of a task, by their names on the wire. */
export const TASK_STATES = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
] as const;

/** State of a task on the wire. */
export type WireState = (typeof TASK_STATES)[number];

/** A part of a message or artifact: exactly one of `text`, `raw` (base64), `url` and `data`. */
export type Part = {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: JsonValue;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: JsonObject;
};

/** A message. */
export type Message = {
  readonly messageId: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
};

/** A result of a task. */
export type Artifact = {
  readonly artifactId: string;
  readonly parts: readonly Part[];
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
};

/** State of a task. */
export type TaskStatus = {
  readonly state: WireState;
  readonly message?: Message;
  readonly timestamp?: string;
};

/** A task. */
export type Task = {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
};

/** An artifact, or a chunk of one. */
export type ArtifactUpdate = {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** Adds the parts to the artifact of this id. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
};

/** A change of a task's status. */
export type StatusUpdate = {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
};

/** One event of a stream, and the body of a push notification. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: StatusUpdate }
  | { readonly artifactUpdate: ArtifactUpdate };

/** Answer to a sent message. */
export type SendResponse = Extract<StreamResponse, { task: Task } | { message: Message }>;

const KINDS = ["text", "raw", "url", "data"] as const;
const MAX_PARTS = 64;
const MAX_ID_LENGTH = 256;
/** Ids of contexts are the client's. They are printable, so logs and headers can hold them. */
const contextId = z.string().regex(/^[\x21-\x7e]{1,128}$/);
const id = z.string().min(1).max(MAX_ID_LENGTH);
const base64 = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, "expected base64")
  .transform((text) => text.replaceAll("-", "+").replaceAll("_", "/"));

/** An incoming part. */
export const partSchema = z
  .object({
    text: optional(z.string()),
    raw: optional(base64),
    url: optional(z.string().min(1).max(8192)),
    data: json.optional(),
    mediaType: optional(z.string().max(256)),
    filename: optional(z.string().max(1024)),
    metadata: optional(jsonObject),
  })
  .transform((value, context): Part => {
    const { data, ...others } = value;
    const part = withoutUndefined(data === undefined ? others : { ...others, data }) as Part;
    const kinds = KINDS.filter((kind) => part[kind] !== undefined);
    // `data: null` in addition to another kind means an absent member.
    if (kinds.length === 2 && data === null) return withoutUndefined({ ...part, data: undefined });
    if (kinds.length === 1) return part;
    context.issues.push({
      code: "custom",
      input: value,
      message: `expected exactly one of ${KINDS.join(", ")}`,
    });
    return z.NEVER;
  });

/** An incoming message. */
const messageSchema = z
  .object({
    messageId: id,
    role: z.literal("ROLE_USER"),
    parts: z.array(partSchema).min(1).max(MAX_PARTS),
    contextId: optional(contextId.or(z.literal(""))),
    taskId: optional(z.string().max(MAX_ID_LENGTH)),
    metadata: optional(jsonObject),
    extensions: optional(z.array(z.string().max(2048)).max(64)),
    referenceTaskIds: optional(z.array(id).max(10)),
  })
  .transform(({ contextId: context, taskId, ...message }) =>
    // In ProtoJSON, an empty text means absent.
    withoutUndefined({
      ...message,
      contextId: context === "" ? undefined : context,
      taskId: taskId === "" ? undefined : taskId,
    }),
  );

const historyLength = optional(z.int().min(0));
const authentication = z.object({
  scheme: z.string().regex(/^[\w.+-]{1,64}$/, "expected the name of an authentication scheme"),
  credentials: optional(
    z
      .string()
      .max(4096)
      .regex(/^[\x20-\x7e]*$/, "expected printable characters"),
  ),
});
const pushConfig = z.object({
  id: optional(z.string().max(MAX_ID_LENGTH)),
  taskId: optional(z.string().max(MAX_ID_LENGTH)),
  url: z.string().min(1).max(2048),
  token: optional(
    z
      .string()
      .max(4096)
      .regex(/^[\x20-\x7e]*$/, "expected printable characters"),
  ),
  authentication: optional(authentication),
});

/** Target of a task's updates. */
export type PushConfig = z.output<typeof pushConfig>;

const pageSize = optional(z.int().min(1).max(100));
const pageToken = optional(z.string().max(4096));

const configuration = z.object({
  acceptedOutputModes: optional(z.array(z.string().max(256)).max(64)),
  taskPushNotificationConfig: optional(pushConfig),
  historyLength,
  returnImmediately: optional(z.boolean()),
});

const sendParams = z.object({
  message: messageSchema,
  configuration: optional(configuration),
  metadata: optional(jsonObject),
});

/** A message to send, with settings for its answer. */
export type SendRequest = Omit<z.output<typeof sendParams>, "message"> & {
  readonly message: Message;
};

/** Every request may name a tenant; here the key determines the tenant. */
const tenant = optional(z.string().max(MAX_ID_LENGTH));
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** The parameters of each operation, by its name in JSON-RPC. */
export const PARAMS = {
  SendMessage: sendParams,
  SendStreamingMessage: sendParams,
  GetTask: z.object({ id, historyLength }),
  // Strict, because an unknown filter would otherwise widen the list silently.
  ListTasks: z.strictObject({
    tenant,
    contextId: optional(z.string().max(MAX_ID_LENGTH)),
    status: optional(z.enum([...TASK_STATES, "TASK_STATE_UNSPECIFIED"])),
    pageSize,
    pageToken,
    historyLength,
    statusTimestampAfter: optional(time),
    includeArtifacts: optional(z.boolean()),
  }),
  CancelTask: z.object({ id, metadata: optional(jsonObject) }),
  SubscribeToTask: z.object({ id }),
  CreateTaskPushNotificationConfig: pushConfig.extend({ taskId: id }),
  GetTaskPushNotificationConfig: z.object({ taskId: id, id }),
  ListTaskPushNotificationConfigs: z.strictObject({ tenant, taskId: id, pageSize, pageToken }),
  DeleteTaskPushNotificationConfig: z.object({ taskId: id, id }),
  GetExtendedAgentCard: z.object({}),
} as const;

/** The name of an operation. */
export type Method = keyof typeof PARAMS;

/** The parameters of an operation. */
export type ParamsOf<Name extends Method> = z.output<(typeof PARAMS)[Name]>;

/** A page of tasks. */
export type TaskPage = {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
};

/** Returns the object without its undefined members. */
export function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key] } & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >;
} {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as never;
}
