// Follows a stream with its beginning on record, and resumes it after a break.
import { cut, MAX_EVENT_TEXT } from "../../../base/cut.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { NO_RETRY } from "../../../base/retry.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { clientOf, namedPeer, type Peer } from "./peer.ts";
import type { Updates } from "./remote-client.ts";
import { isSettled, TaskSoFar, type RemoteAnswer } from "./remote-task.ts";

/** A stream opened in this process. */
export type OpenStream = {
  readonly updates: Updates;
  readonly soFar: TaskSoFar;
  readonly stop: AbortController;
};

/** Maximum number of events for one stream, which may have any number of updates. */
const MAX_CHUNK_EVENTS = 200;
/** Maximum number of updates read from one stream. */
const MAX_UPDATES = 20_000;
const PAUSES_MS = [0, 2_000, 4_000] as const;

/** Result of a stream: an answer, or the last one before a break. */
type Streamed = { readonly answer: RemoteAnswer; readonly brokeOff?: string };

/** Follows a task to its answer (AXR3 of ask-remote.ts). */
export async function followStream(
  place: RunScope,
  peer: Peer,
  { answer, stream }: { readonly answer: RemoteAnswer; readonly stream?: OpenStream | undefined },
): Promise<RemoteAnswer> {
  const named = namedPeer(peer);
  const taskId = answer.taskId ?? "";
  place.emit("a2a_streaming_started", {
    ...named,
    taskId,
    ...(answer.contextId === undefined ? undefined : { contextId: answer.contextId }),
  });
  let streamed = await streamStep(place.at("stream"), peer, { taskId, stream });
  for (const [index, pauseMs] of PAUSES_MS.entries()) {
    if (isSettled(streamed.answer)) return streamed.answer;
    const at = place.at(`resubscribe:${index + 1}`);
    at.emit("a2a_connection_error", {
      ...named,
      error: streamed.brokeOff ?? "the stream ended before the task did",
      operation: "stream",
    });
    if (pauseMs > 0) await place.at(`pause:${index + 1}`).sleep(pauseMs);
    streamed = await streamStep(at, peer, { taskId });
  }
  if (isSettled(streamed.answer)) return streamed.answer;
  return {
    ...streamed.answer,
    state: "failed",
    text: `the stream broke off and could not be taken up again: ${streamed.brokeOff ?? "it ended before the task did"}`,
  };
}

function streamStep(
  at: RunScope,
  peer: Peer,
  { taskId, stream }: { readonly taskId: string; readonly stream?: OpenStream | undefined },
): Promise<Streamed> {
  return at.step<Streamed>({
    kind: "effect",
    label: `stream of ${peer.card.name}`,
    effect: "pure",
    retry: NO_RETRY,
    run: async ({ signal, attempt }) => {
      const stop = stream?.stop ?? new AbortController();
      const abort = (): void => stop.abort(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
      let soFar = new TaskSoFar();
      try {
        if (stream !== undefined && attempt === 1) {
          soFar = stream.soFar;
          await consume(at, peer, { updates: stream.updates, soFar });
        } else {
          const client = clientOf(peer, at);
          soFar = await client.task(taskId, 100, stop.signal);
          if (!isSettled(soFar.answer))
            await consume(at, peer, { updates: client.subscribe(taskId, stop.signal), soFar });
        }
        return { answer: withTask(soFar.answer, taskId) };
      } catch (error) {
        if (signal.aborted || !EngineError.is(error)) throw error;
        return { answer: withTask(soFar.answer, taskId), brokeOff: errorMessage(error) };
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
  });
}

async function consume(
  at: RunScope,
  peer: Peer,
  { updates, soFar }: { readonly updates: Updates; readonly soFar: TaskSoFar },
): Promise<void> {
  let index = 0;
  for await (const update of updates) {
    soFar.take(update);
    const { answer } = soFar;
    const final = isSettled(answer);
    if (index < MAX_CHUNK_EVENTS)
      at.emit(
        "a2a_streaming_chunk",
        {
          ...namedPeer(peer),
          ...(answer.taskId === undefined ? undefined : { taskId: answer.taskId }),
          chunk: cut(chunkOf(update), MAX_EVENT_TEXT),
          chunkIndex: index,
          final,
        },
        index,
      );
    index += 1;
    if (final) return;
    if (index >= MAX_UPDATES)
      throw new EngineError(
        "tool_failed",
        `the remote agent "${peer.card.name}" sent more than ${MAX_UPDATES} updates in one stream`,
      );
  }
}

/** Returns the text of one update. */
function chunkOf(update: JsonObject): string {
  const { answer } = new TaskSoFar().take(update);
  return answer.text;
}

function withTask(answer: RemoteAnswer, taskId: string): RemoteAnswer {
  return answer.taskId === undefined ? { ...answer, taskId } : answer;
}
