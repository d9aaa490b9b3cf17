// A2A in the description of the API: the parameters, bodies and answers of its operations.
import * as z from "zod";
import type { OperationHeader } from "../../parts/headers.ts";
import { A2A_TYPE } from "./http-json.ts";
import type { A2AOptions } from "./options.ts";
import { PARAMS, TASK_STATES, type Method } from "./schema.ts";
import { shape, type Shape } from "../../parts/shape.ts";

/** Describes the header `A2A-Version`. A request without it is one of A2A 0.3 (section 3.6). */
export function versionHeader(
  { versions = ["1.0"] }: A2AOptions,
  own?: "1.0" | "0.3",
): OperationHeader {
  const taken = own === undefined ? versions : [own];
  const required = !taken.includes("0.3");
  return { name: "A2A-Version", required, schema: { type: "string", enum: [...taken] } };
}

/** The envelope of JSON-RPC. */
export const rpcRequest = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]),
  method: z.string().describe(`In A2A 1.0: ${Object.keys(PARAMS).join(", ")}.`),
  params: z.looseObject({}).optional(),
});

/** The query of a list of tasks. */
export const listTasksQuery = z.object({
  contextId: z.string().max(256).optional(),
  status: z.enum(TASK_STATES).optional(),
  pageSize: z.int().min(1).max(100).optional(),
  pageToken: z.string().max(4096).optional(),
  historyLength: z.int().min(0).optional(),
  statusTimestampAfter: z.iso.datetime({ offset: true }).optional(),
  includeArtifacts: z.boolean().optional(),
});

/**
 * Bodies of the HTTP+JSON binding, by operation: as JSON, the type of SDKs. `application/a2a+json` is accepted, too.
 */
export const restBodies = {
  SendMessage: { name: "A2ASendMessage", schema: PARAMS.SendMessage, types: [] },
  CancelTask: {
    name: "A2ACancelTask",
    schema: z.looseObject({ metadata: z.looseObject({}).optional() }),
    types: [],
    required: false,
  },
  CreateTaskPushNotificationConfig: {
    name: "A2APushConfigBody",
    schema: PARAMS.CreateTaskPushNotificationConfig.omit({ taskId: true }),
    types: [],
  },
} as const;

const object = () => z.looseObject({});

const part = () =>
  z
    .looseObject({
      text: z.string().optional(),
      raw: z.string().optional(),
      url: z.string().optional(),
      data: z.unknown().optional(),
      mediaType: z.string().optional(),
      filename: z.string().optional(),
      metadata: object().optional(),
    })
    .describe("One of `text`, `raw` (base64), `url` and `data`");

const message = () =>
  z.looseObject({
    messageId: z.string(),
    role: z.enum(["ROLE_USER", "ROLE_AGENT"]),
    parts: z.array(part()),
    contextId: z.string().optional(),
    taskId: z.string().optional(),
    metadata: object().optional(),
  });

const artifact = () =>
  z.looseObject({
    artifactId: z.string(),
    parts: z.array(part()),
    name: z.string().optional(),
    description: z.string().optional(),
  });

const task = () =>
  z.looseObject({
    id: z.string(),
    contextId: z.string(),
    status: z.looseObject({
      state: z.enum(TASK_STATES),
      message: message().optional(),
      timestamp: z.string().optional(),
    }),
    artifacts: z.array(artifact()).optional(),
    history: z.array(message()).optional(),
    metadata: object().optional(),
  });

const push = () =>
  z.looseObject({
    id: z.string(),
    taskId: z.string(),
    url: z.string(),
    token: z.string().optional(),
  });

const id = () => z.union([z.string(), z.number()]).nullable();

const rpcError = () =>
  z.looseObject({
    code: z.int(),
    message: z.string(),
    data: z.array(object()).optional(),
  });

export const a2aTaskShape = shape("A2ATask", () => task());

export const a2aTaskPageShape = shape("A2ATaskPage", () =>
  z.looseObject({
    tasks: z.array(task()),
    nextPageToken: z.string(),
    pageSize: z.int(),
    totalSize: z.int(),
  }),
);

export const a2aSendResponseShape = shape("A2ASendResponse", () =>
  z.looseObject({ task: task().optional(), message: message().optional() }),
);

export const a2aPushConfigShape = shape("A2APushConfig", () => push());

export const a2aPushConfigPageShape = shape("A2APushConfigPage", () =>
  z.looseObject({
    configs: z.array(push()),
    nextPageToken: z.string().optional(),
  }),
);

export const a2aEmptyShape = shape("A2AEmpty", () => object());

export const a2aCardShape = shape("A2ACard", () =>
  z.looseObject({ name: z.string(), description: z.string(), version: z.string() }),
);

export const a2aRpcAnswerShape = shape(
  "A2ARpcAnswer",
  () =>
    z.looseObject({
      jsonrpc: z.literal("2.0"),
      id: id(),
      result: z.unknown().optional(),
      error: rpcError().optional(),
    }),
  [a2aTaskShape, a2aTaskPageShape],
);

export const a2aRpcErrorShape = shape("A2ARpcError", () =>
  z.looseObject({ jsonrpc: z.literal("2.0"), id: id(), error: rpcError() }),
);

export const a2aErrorShape = shape("A2AError", () =>
  z.looseObject({
    error: z.looseObject({
      code: z.int(),
      status: z.string(),
      message: z.string(),
      details: z.array(object()),
    }),
  }),
);

/** Shapes of answers of the HTTP+JSON binding, by operation. */
const REST_SHAPES: Readonly<Record<Method, Shape>> = {
  SendMessage: a2aSendResponseShape,
  SendStreamingMessage: a2aSendResponseShape,
  GetTask: a2aTaskShape,
  ListTasks: a2aTaskPageShape,
  CancelTask: a2aTaskShape,
  SubscribeToTask: a2aTaskShape,
  CreateTaskPushNotificationConfig: a2aPushConfigShape,
  GetTaskPushNotificationConfig: a2aPushConfigShape,
  ListTaskPushNotificationConfigs: a2aPushConfigPageShape,
  DeleteTaskPushNotificationConfig: a2aEmptyShape,
  GetExtendedAgentCard: a2aCardShape,
};

/** Returns the answer of an operation of the HTTP+JSON binding. */
export function restAnswer(method: Method, version: "1.0" | "0.3") {
  const description = "As the specification of A2A describes it";
  const headers = ["A2A-Extensions"] as const;
  const streams = ["text/event-stream"];
  if (version === "0.3") return { description, headers, types: ["application/json", ...streams] };
  return { description, headers, shape: REST_SHAPES[method], shapeType: A2A_TYPE, types: streams };
}
