// One message to a remote agent, and its answer, as durable steps.
//
//   AXR1. The message's id is derived from its step's key. A step interrupted by a crash or a lost connection first
//         looks for the task of its message. Without one, it sends the message again with the same id.
//   AXR2. The id of a task is on record before the run waits for it in any way: streams, polls and callbacks continue
//         from there.
//   AXR3. After a broken stream, the client reads the task and then subscribes to it: three times, at once, after two
//         and after four seconds.
//   AXR4. Polls are durable timers; a callback is a wait. Neither needs compute or memory meanwhile.
//   AXR5. Earlier requests of an open task do not count as answers to a new message.
//   AXR6. A missing callback loses no answer: after its time limit, the task is read.
import { sha256Hex } from "../../../base/sha256.ts";
import { cut, MAX_EVENT_TEXT } from "../../../base/cut.ts";
import { EngineError, unreachable } from "../../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { PollingUpdates, PushUpdates } from "./config.ts";
import { clientOf, namedPeer, type Peer } from "./peer.ts";
import { pushSettings } from "./push-settings.ts";
import type { OutgoingMessage } from "./remote-client.ts";
import { isSettled, TaskSoFar, type RemoteAnswer } from "./remote-task.ts";
import { followStream, type OpenStream } from "./stream-updates.ts";

/** Message to a remote agent. */
export type Question = Omit<
  OutgoingMessage,
  "messageId" | "acceptedOutputModes" | "push" | "partMetadata"
> & {
  /** From 1. */
  readonly turn: number;
};

const DEFAULT_POLLING: PollingUpdates = { type: "polling", interval: 2, historyLength: 100 };

/**
 * Sends a message at `place` and resolves to the remote agent's answer or question. Fails with `tool_failed` if the
 * agent cannot be called.
 */
export async function askRemote(
  place: RunScope,
  peer: Peer,
  question: Question,
): Promise<RemoteAnswer> {
  const named = namedPeer(peer);
  try {
    const sent = await sendMessage(place, peer, question);
    const answer = await settled(place, peer, sent);
    for (const [index, { id, name, size }] of answer.artifacts.entries())
      place.emit(
        "a2a_artifact_received",
        {
          ...named,
          taskId: answer.taskId ?? "",
          artifactId: id,
          ...(name === undefined ? undefined : { artifactName: name }),
          size,
        },
        index,
      );
    place.emit("a2a_response_received", {
      ...named,
      response: cut(answer.text, MAX_EVENT_TEXT),
      status: answer.state,
      final: answer.state !== "input_required" && answer.state !== "auth_required",
      ...idsOf(answer),
    });
    return answer;
  } catch (error) {
    if (EngineError.is(error))
      place.emit("a2a_connection_error", {
        ...named,
        error: error.message,
        operation: "send_message",
      });
    throw error;
  }
}

/** Polls a task without a new message from here, such as one waiting for credentials, until it is settled. */
export function readOn(place: RunScope, peer: Peer, answer: RemoteAnswer): Promise<RemoteAnswer> {
  return poll(place, peer, { taskId: answer.taskId ?? "", updates: DEFAULT_POLLING });
}

type Sent = { readonly answer: RemoteAnswer; readonly stream?: OpenStream | undefined };

async function sendMessage(place: RunScope, peer: Peer, question: Question): Promise<Sent> {
  const { config } = peer;
  const { turn, ...said } = question;
  const streams = config.updates.type === "streaming" && peer.card.streaming;
  const at = place.at("send");
  let stream: OpenStream | undefined;
  const latest = (task: TaskSoFar): TaskSoFar =>
    question.taskId === undefined ? task : task.goesOn();
  const answer = await at.step<RemoteAnswer>({
    kind: "effect",
    label: `message to ${peer.card.name}`,
    run: async ({ idempotencyKey, attempt, signal }, inside) => {
      const client = clientOf(peer, at);
      const message: OutgoingMessage = {
        ...said,
        messageId: messageIdOf(idempotencyKey),
        acceptedOutputModes: peer.outputModes,
        partMetadata: partMetadata(peer),
        push:
          config.updates.type === "push"
            ? await pushSettings(peer, inside.runId, place.at("callback").path)
            : undefined,
      };
      if (attempt > 1) {
        const found = await client.find(message, signal);
        if (found !== undefined) return latest(found).answer;
      }
      const sent = await (async () => {
        if (!streams) return latest(await client.send(message, signal)).answer;
        const stop = new AbortController();
        signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true });
        const updates = client.stream(message, stop.signal);
        const first = await updates.next();
        if (first.done === true)
          throw new EngineError(
            "tool_failed",
            `the remote agent "${peer.card.name}" ended its stream without an answer`,
            { retryable: true },
          );
        const soFar = latest(new TaskSoFar().take(first.value));
        if (isSettled(soFar.answer)) await updates.return();
        else stream = { updates, soFar, stop };
        return soFar.answer;
      })();
      return sent;
    },
  });
  at.emit("a2a_message_sent", {
    ...namedPeer(peer),
    messageId: messageIdOf(`${at.runId}:${at.path}`),
    message: cut(question.text, MAX_EVENT_TEXT),
    turnNumber: turn,
    ...idsOf(question),
  });
  return { answer, stream };
}

/** Follows a message to its final result, for any length of time. */
async function settled(
  place: RunScope,
  peer: Peer,
  { answer, stream }: Sent,
): Promise<RemoteAnswer> {
  const { updates } = peer.config;
  const { taskId } = answer;
  if (isSettled(answer)) return answer;
  if (taskId === undefined)
    throw new EngineError(
      "tool_failed",
      `the remote agent "${peer.card.name}" named no task and gave no answer`,
    );
  switch (updates.type) {
    case "streaming":
      return peer.card.streaming
        ? followStream(place, peer, { answer, stream })
        : poll(place, peer, { taskId, updates: DEFAULT_POLLING });
    case "polling":
      return poll(place, peer, { taskId, updates });
    case "push":
      return callback(place, peer, { taskId, updates });
    default:
      return unreachable(updates);
  }
}

async function poll(
  place: RunScope,
  peer: Peer,
  { taskId, updates }: { readonly taskId: string; readonly updates: PollingUpdates },
): Promise<RemoteAnswer> {
  const { interval, maxPolls, historyLength, timeout = peer.config.timeout } = updates;
  const named = namedPeer(peer);
  place.emit("a2a_polling_started", { ...named, taskId, intervalSeconds: interval });
  const untilMs = place.at("polling").now() + timeout * 1000;
  for (let count = 1; ; count++) {
    if (maxPolls !== undefined && count > maxPolls)
      return failed(taskId, `it was not ready after ${maxPolls} polls`);
    await place.at(`pause:${count}`).sleep(interval * 1000);
    const at = place.at(`poll:${count}`);
    const answer = await readTask(at, peer, { taskId, historyLength });
    at.emit("a2a_polling_status", {
      ...named,
      taskId,
      state: answer.state,
      pollCount: count,
    });
    if (isSettled(answer)) return answer;
    if (place.at(`polled:${count}`).now() >= untilMs)
      return failed(taskId, `it was not ready after ${timeout} seconds`);
  }
}

/** Reads the present state of the task. */
function readTask(
  at: RunScope,
  peer: Peer,
  { taskId, historyLength = 100 }: { readonly taskId: string; readonly historyLength?: number },
): Promise<RemoteAnswer> {
  return at.step<RemoteAnswer>({
    kind: "effect",
    label: `task of ${peer.card.name}`,
    effect: "pure",
    run: async ({ signal }) =>
      (await clientOf(peer, at).task(taskId, historyLength, signal)).answer,
  });
}

async function callback(
  place: RunScope,
  peer: Peer,
  { taskId, updates }: { readonly taskId: string; readonly updates: PushUpdates },
): Promise<RemoteAnswer> {
  const { timeout } = updates;
  const named = namedPeer(peer);
  place.emit("a2a_push_notification_registered", {
    ...named,
    taskId,
    callbackUrl: `${updates.url ?? peer.callbacks?.baseUrl ?? ""}/a2a/callbacks/…`,
  });
  const dueAtMs = place.at("registered").now() + timeout * 1000;
  for (let count = 1; ; count++) {
    const at = place.at(count === 1 ? "callback" : `callback~${count}`);
    const came = await at.wait<JsonValue>({
      kind: "input",
      prompt: `Waiting for the remote agent "${peer.card.name}" to call back about its task ${taskId}`,
      dueAtMs,
      otherwise: { expired: true },
    });
    const expired = isJsonObject(came) && came["expired"] === true;
    if (typeof came === "string") return { ...EMPTY, taskId, state: "completed", text: came };
    const pushed = isJsonObject(came) && isJsonObject(came["update"]) ? came["update"] : undefined;
    const news = pushed === undefined ? undefined : new TaskSoFar().take(pushed).answer;
    if (expired)
      at.emit("a2a_push_notification_timeout", { ...named, taskId, timeoutSeconds: timeout });
    else
      at.emit("a2a_push_notification_received", {
        ...named,
        taskId,
        state: news?.state ?? "unknown",
      });
    const isWhole = pushed !== undefined && ("task" in pushed || "message" in pushed);
    if (news !== undefined && isWhole && isSettled(news) && news.taskId === taskId) return news;
    const now = await readTask(place.at(`read:${count}`), peer, { taskId });
    if (isSettled(now)) return now;
    if (expired) return failed(taskId, `no callback came within ${timeout} seconds`);
  }
}

const EMPTY = { text: "", data: [], artifacts: [] } as const;

function failed(taskId: string, text: string): RemoteAnswer {
  return { ...EMPTY, taskId, state: "failed", text };
}

/** Returns the metadata with the answer's schema. */
function partMetadata({ config }: Peer): JsonObject | undefined {
  const { responseModel } = config;
  return responseModel === undefined
    ? undefined
    : { mimeType: "application/json", schema: responseModel };
}

/** Derives a message id: a UUID (version 8), the same for every execution of its step. */
export function messageIdOf(idempotencyKey: string): string {
  const hex = sha256Hex(`a2a message ${idempotencyKey}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function idsOf({
  taskId,
  contextId,
}: {
  taskId?: string | undefined;
  contextId?: string | undefined;
}): {
  readonly taskId?: string;
  readonly contextId?: string;
} {
  return {
    ...(taskId === undefined ? undefined : { taskId }),
    ...(contextId === undefined ? undefined : { contextId }),
  };
}
