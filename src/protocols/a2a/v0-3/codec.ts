// Translates A2A 0.3 over JSON-RPC: its requests to those of 1.0, and the answers of 1.0 back.
//
//   AV1. Only forms are translated: the meaning and the refusal of a request are the same in all versions.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AgentCard } from "../agent-card.ts";
import type { ShownPushConfig } from "../push.ts";
import { isFinal } from "../task-view.ts";
import type {
  Artifact,
  Message,
  Method,
  Part,
  StreamResponse,
  Task,
  TaskStatus,
  WireState,
} from "../schema.ts";

/** Operations of 0.3, with their equivalents in 1.0. */
export const V03_METHODS: Readonly<Record<string, Method>> = {
  "message/send": "SendMessage",
  "message/stream": "SendStreamingMessage",
  "tasks/get": "GetTask",
  "tasks/cancel": "CancelTask",
  "tasks/resubscribe": "SubscribeToTask",
  "tasks/pushNotificationConfig/set": "CreateTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigs",
  "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfig",
  "agent/getAuthenticatedExtendedCard": "GetExtendedAgentCard",
};

/** Translates parameters of 0.3 to 1.0. Invalid parts stay, and are refused there. */
export function fromV03(method: Method, params: JsonObject): JsonObject {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return withMember(
        withMember(params, "message", messageFromV03),
        "configuration",
        configurationFromV03,
      );
    case "CreateTaskPushNotificationConfig":
      return pushFromV03(params);
    case "ListTaskPushNotificationConfigs":
      return { taskId: params["id"] ?? null };
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return {
        taskId: params["id"] ?? null,
        id: params["pushNotificationConfigId"] ?? params["id"] ?? null,
      };
    default:
      return params;
  }
}

function withMember(
  object: JsonObject,
  name: string,
  change: (member: JsonObject) => JsonValue,
): JsonObject {
  const member = object[name];
  return member !== undefined && isJsonObject(member)
    ? { ...object, [name]: change(member) }
    : object;
}

function messageFromV03(old: JsonObject): JsonObject {
  const { kind: _, role, parts, ...message } = old;
  return {
    ...message,
    role: role === "agent" ? "ROLE_AGENT" : role === "user" ? "ROLE_USER" : (role ?? null),
    parts: Array.isArray(parts) ? parts.map(partFromV03) : (parts ?? null),
  };
}

function partFromV03(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const { kind: _, file, ...others } = part;
  if (file === undefined || !isJsonObject(file)) return others;
  const { bytes, uri, mimeType, name } = file;
  return {
    ...others,
    ...(bytes === undefined ? undefined : { raw: bytes }),
    ...(uri === undefined ? undefined : { url: uri }),
    ...(mimeType === undefined ? undefined : { mediaType: mimeType }),
    ...(name === undefined ? undefined : { filename: name }),
  };
}

function configurationFromV03({
  blocking,
  pushNotificationConfig,
  ...others
}: JsonObject): JsonObject {
  return {
    ...others,
    returnImmediately: blocking === false,
    ...(pushNotificationConfig !== undefined && isJsonObject(pushNotificationConfig)
      ? { taskPushNotificationConfig: flatPush(pushNotificationConfig) }
      : undefined),
  };
}

function pushFromV03({ taskId = null, pushNotificationConfig }: JsonObject): JsonObject {
  if (pushNotificationConfig === undefined || !isJsonObject(pushNotificationConfig))
    return { taskId };
  // In 0.3, a task's only configuration needs no id of its own.
  return { id: taskId, ...flatPush(pushNotificationConfig), taskId };
}

function flatPush({ authentication, ...config }: JsonObject): JsonObject {
  if (authentication === undefined || !isJsonObject(authentication)) return config;
  const { schemes, credentials } = authentication;
  const [scheme = "Bearer"] = Array.isArray(schemes) ? (schemes as readonly JsonValue[]) : [];
  return {
    ...config,
    authentication: { scheme, ...(credentials === undefined ? undefined : { credentials }) },
  };
}

/** Translates an answer of 1.0 to 0.3. */
export function toV03(method: Method, result: object): JsonValue {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return json(updateToV03(result as StreamResponse));
    case "SubscribeToTask":
      return json(updateToV03(result as StreamResponse, { isOpen: true }));
    case "GetTask":
    case "CancelTask":
      return json(taskToV03(result as Task));
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
      return json(pushToV03(result as ShownPushConfig));
    case "ListTaskPushNotificationConfigs": {
      const { configs } = result as { readonly configs: readonly ShownPushConfig[] };
      return json(configs.map(pushToV03));
    }
    case "DeleteTaskPushNotificationConfig":
      return null;
    case "GetExtendedAgentCard":
      return json(withV03Members(result as AgentCard));
    case "ListTasks":
      break; // 0.3 does not have it
  }
  return json(result);
}

/**
 * Returns an event of a stream, or the body of a push notification, of 0.3: the whole task, or its change. An open
 * stream ends with the task alone, so a state that needs input is not marked as final.
 */
export function updateToV03(update: StreamResponse, { isOpen = false } = {}): object {
  if ("task" in update) return taskToV03(update.task);
  if ("message" in update) return messageToV03(update.message);
  if ("artifactUpdate" in update) {
    const { artifact, ...about } = update.artifactUpdate;
    return { kind: "artifact-update", ...about, artifact: artifactToV03(artifact) };
  }
  const { status, ...about } = update.statusUpdate;
  const isLast = endsStream(status.state, { isOpen });
  return { kind: "status-update", ...about, status: statusToV03(status), final: isLast };
}

/** True if a stream ends in this state: with the task, or when it needs input, unless the stream is an open one. */
export function endsStream(state: WireState, { isOpen }: { readonly isOpen: boolean }): boolean {
  return isFinal(state) || (!isOpen && state === "TASK_STATE_INPUT_REQUIRED");
}

function taskToV03(task: Task): object {
  const to = { status: statusToV03, artifact: artifactToV03, message: messageToV03 };
  return { kind: "task", ...translatedTask(task, to) };
}

/** Returns a task with the forms of one transport for its status, artifacts and messages. */
export function translatedTask(
  { status, artifacts, history, ...task }: Task,
  to: {
    readonly status: (status: TaskStatus) => object;
    readonly artifact: (artifact: Artifact) => object;
    readonly message: (message: Message) => object;
  },
): object {
  return {
    ...task,
    status: to.status(status),
    ...(artifacts === undefined ? undefined : { artifacts: artifacts.map(to.artifact) }),
    ...(history === undefined ? undefined : { history: history.map(to.message) }),
  };
}

function statusToV03({ state, message, timestamp }: TaskStatus): object {
  return {
    state: state.slice("TASK_STATE_".length).toLowerCase().replaceAll("_", "-"),
    ...(message === undefined ? undefined : { message: messageToV03(message) }),
    ...(timestamp === undefined ? undefined : { timestamp }),
  };
}

function messageToV03({ role, parts, ...message }: Message): object {
  return {
    kind: "message",
    ...message,
    role: role === "ROLE_AGENT" ? "agent" : "user",
    parts: parts.map(partToV03),
  };
}

function artifactToV03({ parts, ...artifact }: Artifact): object {
  return { ...artifact, parts: parts.map(partToV03) };
}

function partToV03({ text, raw, url, data, mediaType, filename, metadata }: Part): object {
  const about = metadata === undefined ? undefined : { metadata };
  if (text !== undefined) return { kind: "text", text, ...about };
  if (raw === undefined && url === undefined) {
    // Data is an object in 0.3.
    return { kind: "data", data: isJsonObject(data) ? data : { value: data ?? null }, ...about };
  }
  return {
    kind: "file",
    file: {
      ...(raw === undefined ? { uri: url } : { bytes: raw }),
      ...(mediaType === undefined ? undefined : { mimeType: mediaType }),
      ...(filename === undefined ? undefined : { name: filename }),
    },
    ...about,
  };
}

function pushToV03(config: ShownPushConfig): object {
  return { taskId: config.taskId, pushNotificationConfig: pushConfigToV03(config) };
}

export function pushConfigToV03({ id, url, authentication }: ShownPushConfig): object {
  return {
    id,
    url,
    ...(authentication === undefined
      ? undefined
      : { authentication: { schemes: [authentication.scheme] } }),
  };
}

/** Returns a card for clients of both versions: each ignores the members of the other. */
export function withV03Members(card: AgentCard): object {
  const { supportedInterfaces, capabilities, securitySchemes, securityRequirements } = card;
  const old = supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === "0.3");
  const [preferred] = old;
  if (preferred === undefined) return card;
  return {
    ...card,
    protocolVersion: "0.3.0",
    url: preferred.url,
    preferredTransport: preferred.protocolBinding,
    additionalInterfaces: old.map(({ url, protocolBinding }) => ({
      url,
      transport: protocolBinding,
    })),
    supportsAuthenticatedExtendedCard: capabilities.extendedAgentCard,
    ...(securitySchemes === undefined
      ? undefined
      : {
          securitySchemes: Object.fromEntries(
            Object.entries(securitySchemes).map(([name, scheme]) => [
              name,
              {
                ...scheme,
                ...("openIdConnectSecurityScheme" in scheme
                  ? { type: "openIdConnect", ...scheme.openIdConnectSecurityScheme }
                  : { type: "http", scheme: "bearer" }),
              },
            ]),
          ),
        }),
    ...(securityRequirements === undefined
      ? undefined
      : {
          security: securityRequirements.map(({ schemes }) =>
            Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
          ),
        }),
  };
}

function json(value: unknown): JsonValue {
  return value as JsonValue;
}
