// Push notifications: changes of a task, sent to an address of the caller.
//
//   APN1. They go through the outbox of the run: at least once, in order, retried with growing pauses, never to private
//         addresses.
//   APN2. Tokens and credentials are stored encrypted, sent only to the address, and never shown again.
//   APN3. Events before a configuration are not sent; the end of the task is sent as the whole task.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { EventType } from "../../events/run-event.ts";
import type { PartHost } from "../../parts/part.ts";
import type { AddedWebhook, WebhookDelivery } from "../../runtime/deliveries/webhooks.ts";
import { checkOutboundUrl } from "../../security/outbound.ts";
import { A2AError } from "./errors.ts";
import type { PushConfig, StreamResponse, Task } from "./schema.ts";
import {
  artifactsOf,
  artifactUpdateOf,
  isFinal,
  statusOf,
  wireStateOf,
  type TaskNotes,
  type TaskSource,
} from "./task-view.ts";

/** Name of the webhook format. */
export const A2A_FORMAT = "a2a";

/** Event type of artifacts. */
export const ARTIFACT_EVENT = "a2a_artifact_updated" satisfies EventType;

const PUSHED = [
  "run_started",
  "run_waiting",
  "run_resumed",
  ARTIFACT_EVENT,
  "run_completed",
  "run_failed",
  "run_cancelled",
] as const satisfies readonly EventType[];

/** A configuration in the form for callers. */
export type ShownPushConfig = {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
};

/**
 * Returns the target of a configuration. Throws an `A2AError` for an unusable address, or for secrets without an
 * encryption key.
 */
export async function pushTarget(
  config: PushConfig,
  task: {
    readonly tenant: string;
    readonly taskId: string;
    readonly contextId: string;
    readonly notes: TaskNotes;
    readonly format: string;
  },
  host: PartHost,
): Promise<AddedWebhook> {
  const { url, token, authentication } = config;
  const { tenant, taskId, contextId, notes, format } = task;
  try {
    checkOutboundUrl(url, "url", host.webhooks);
  } catch (error) {
    if (EngineError.is(error)) throw new A2AError("InvalidParams", error.message);
    throw error;
  }
  const { scheme, credentials } = authentication ?? {};
  const headers = {
    ...(credentials === undefined ? undefined : { authorization: `${scheme} ${credentials}` }),
    ...(token === undefined || token === "" ? undefined : { "x-a2a-notification-token": token }),
  };
  return {
    id: config.id || host.randomId(),
    url,
    events: PUSHED,
    format,
    contentType: "application/a2a+json",
    unsigned: true,
    about: {
      contextId,
      notes: notes,
      ...(scheme === undefined ? undefined : { scheme }),
    },
    ...(Object.keys(headers).length === 0
      ? undefined
      : {
          sealedHeaders: await sealed(JSON.stringify(headers), { tenant, taskId, host }),
        }),
  };
}

async function sealed(
  headers: string,
  { tenant, taskId, host }: { tenant: string; taskId: string; host: PartHost },
): Promise<{ readonly sealed: string; readonly owner: string }> {
  const owner = `a2a:${tenant}:${taskId}`;
  const { definitions } = host.placeOf(tenant).environment;
  try {
    if (definitions?.seal === undefined)
      throw new EngineError("unavailable", "this deployment keeps no secrets");
    return { sealed: await definitions.seal(headers, owner), owner };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw new A2AError(
      "InvalidParams",
      `a configuration with a token or credentials cannot be stored here: ${error.message}`,
    );
  }
}

/** Returns a configuration in the form for callers (APN2). */
export function shownPush(taskId: string, { id, url, about }: AddedWebhook): ShownPushConfig {
  const scheme = about?.["scheme"];
  return {
    id,
    taskId,
    url,
    ...(typeof scheme === "string" ? { authentication: { scheme } } : undefined),
  };
}

/** Returns the notification for an event; undefined if the event changes nothing visible to callers. */
export function pushedUpdate(
  { target, event, run, kept = () => [] }: WebhookDelivery,
  filter: TaskSource["filter"],
): StreamResponse | undefined {
  const { contextId = event.runId, notes = {} } = target.about ?? {};
  const source: Omit<TaskSource, "snapshot"> & { readonly contextId: string } = {
    contextId: typeof contextId === "string" ? contextId : event.runId,
    notes: (isJsonObject(notes) ? notes : {}) as unknown as TaskNotes,
    ...(filter === undefined ? undefined : { filter }),
  };
  const taskId = event.runId;
  const ids = { taskId, contextId: source.contextId };
  switch (event.type) {
    case "run_started":
    case "run_resumed":
      return {
        statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING", timestamp: event.at } },
      };
    case "run_waiting": {
      const now = run();
      const state = wireStateOf(now);
      // Internal waits count as work; an already answered question counts no more.
      if (isFinal(state) || state === "TASK_STATE_WORKING" || state === "TASK_STATE_SUBMITTED")
        return undefined;
      const snapshot = { run: now, at: event.at, events: [] };
      return { statusUpdate: { ...ids, status: statusOf({ ...source, snapshot }) } };
    }
    case ARTIFACT_EVENT: {
      const artifactUpdate = artifactUpdateOf(event, source);
      return artifactUpdate && { artifactUpdate };
    }
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return {
        task: wholeTask({
          ...source,
          snapshot: { run: run(), at: event.at, events: kept([ARTIFACT_EVENT]) },
        }),
      };
    default:
      return undefined;
  }
}

/** Returns a task with its artifacts, without its messages. */
function wholeTask(source: TaskSource): Task {
  const artifacts = artifactsOf(source);
  return {
    id: source.snapshot.run.id,
    contextId: source.contextId,
    status: statusOf(source),
    ...(artifacts.length === 0 ? undefined : { artifacts }),
  };
}

/** Returns the function for the body of a notification. */
export function pushBody(filter: TaskSource["filter"]) {
  return (delivery: WebhookDelivery): JsonObject | undefined => pushedUpdate(delivery, filter);
}
