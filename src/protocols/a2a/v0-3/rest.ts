// Translates A2A 0.3 over HTTP+JSON. Its JSON follows the protocol buffers, and differs from the JSON of its JSON-RPC.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ShownPushConfig } from "../push.ts";
import type {
  Artifact,
  Message,
  Method,
  Part,
  StreamResponse,
  Task,
  TaskStatus,
} from "../schema.ts";
import { endsStream, fromV03, toV03, translatedTask, pushConfigToV03 } from "./codec.ts";

/** Translates parameters of a request to those of 1.0. */
export function fromV03Rest(method: Method, params: JsonObject): JsonObject {
  if (method === "CreateTaskPushNotificationConfig") {
    const { name, parent: _, configId, config, ...others } = params;
    const wrapped = isJsonObject(config ?? null) ? (config as JsonObject) : others;
    const { pushNotificationConfig = null } = wrapped;
    const named = /pushNotificationConfigs\/([^/]+)$/.exec(textOr(name ?? wrapped["name"]))?.[1];
    const id = named ?? (textOr(configId) || undefined);
    return fromV03(method, {
      taskId: params["taskId"] ?? null,
      pushNotificationConfig: isJsonObject(pushNotificationConfig)
        ? { ...(id === undefined ? undefined : { id }), ...withoutEmpty(pushNotificationConfig) }
        : pushNotificationConfig,
    });
  }
  if (method !== "SendMessage" && method !== "SendStreamingMessage") return params;
  const { request, message = request, configuration, ...others } = params;
  const sent = message !== undefined && isJsonObject(message) ? plainMessage(message) : message;
  const { pushNotification, ...settings } = isJsonObject(configuration ?? null)
    ? (configuration as JsonObject)
    : {};
  return fromV03(method, {
    ...others,
    ...(sent === undefined ? undefined : { message: sent }),
    configuration: {
      ...withoutEmpty(settings),
      // Defaults are omitted there: a configuration without `blocking` does not block.
      ...(configuration === undefined ? undefined : { blocking: settings["blocking"] === true }),
      ...(pushNotification === undefined
        ? undefined
        : { pushNotificationConfig: pushNotification }),
    },
  });
}

function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== ""));
}

function plainMessage({ content, parts = content, ...message }: JsonObject): JsonObject {
  return {
    ...withoutEmpty(message),
    parts: Array.isArray(parts) ? parts.map(plainPart) : (parts ?? null),
  };
}

function plainPart(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const { file, data, ...others } = part;
  if (file !== undefined && isJsonObject(file)) {
    const { fileWithUri, fileWithBytes, ...about } = file;
    return {
      ...others,
      file: {
        ...withoutEmpty(about),
        ...(fileWithUri === undefined ? undefined : { uri: fileWithUri }),
        ...(fileWithBytes === undefined ? undefined : { bytes: fileWithBytes }),
      },
    };
  }
  if (data === undefined) return others;
  const inner = isJsonObject(data) && Object.keys(data).join() === "data" ? data["data"] : data;
  return { ...others, data: inner ?? null };
}

/** Translates an answer of 1.0 to the JSON of 0.3's protocol buffers. */
export function toV03Rest(method: Method, result: object): object {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return updateToRest(result as StreamResponse);
    case "SubscribeToTask":
      return updateToRest(result as StreamResponse, { isOpen: true });
    case "GetTask":
    case "CancelTask":
      return taskToRest(result as Task);
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
      return pushToRest(result as ShownPushConfig);
    case "ListTaskPushNotificationConfigs":
      return {
        configs: (result as { configs: readonly ShownPushConfig[] }).configs.map(pushToRest),
      };
    case "DeleteTaskPushNotificationConfig":
    case "ListTasks":
      return result;
    case "GetExtendedAgentCard":
      break;
  }
  return toV03(method, result) as object;
}

function updateToRest(update: StreamResponse, { isOpen = false } = {}): object {
  if ("task" in update) return { task: taskToRest(update.task) };
  if ("message" in update) return { message: messageToRest(update.message) };
  if ("artifactUpdate" in update) {
    const { artifact, ...about } = update.artifactUpdate;
    return { artifactUpdate: { ...about, artifact: artifactToRest(artifact) } };
  }
  const { status, ...about } = update.statusUpdate;
  const isLast = endsStream(status.state, { isOpen });
  return { statusUpdate: { ...about, status: statusToRest(status), final: isLast } };
}

function taskToRest(task: Task): object {
  const to = { status: statusToRest, artifact: artifactToRest, message: messageToRest };
  return translatedTask(task, to);
}

function statusToRest({ state, message, timestamp }: TaskStatus): object {
  return {
    state: state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state,
    ...(message === undefined ? undefined : { message: messageToRest(message) }),
    ...(timestamp === undefined ? undefined : { timestamp }),
  };
}

function messageToRest(sent: Message): object {
  const { parts, referenceTaskIds: _, ...message } = sent;
  return { ...message, content: parts.map(partToRest) };
}

function artifactToRest({ parts, ...artifact }: Artifact): object {
  return { ...artifact, parts: parts.map(partToRest) };
}

function partToRest({ text, raw, url, data, mediaType = "" }: Part): object {
  if (text !== undefined) return { text };
  if (raw !== undefined) return { file: { fileWithBytes: raw, mimeType: mediaType } };
  if (url !== undefined) return { file: { fileWithUri: url, mimeType: mediaType } };
  return { data: { data: isJsonObject(data) ? data : { value: data ?? null } } };
}

function pushToRest(config: ShownPushConfig): object {
  return {
    name: `tasks/${config.taskId}/pushNotificationConfigs/${config.id}`,
    pushNotificationConfig: pushConfigToV03(config),
  };
}

function textOr(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
