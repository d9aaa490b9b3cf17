// The events of a run as updates of a task.
//
//   ASU1. Each event of the run after the start of the stream yields one update, in the order of the events, without
//         duplicates. Nothing is missing between the first task and the first update.
//   ASU2. The stream of a message ends with the task, or when the task needs input. It stays open for a missing
//         credential, which may come out of band. A subscription ends with the task alone.
//   ASU3. Growing text of a model comes in chunks of the result's artifact. If the chunks are a prefix of the result,
//         the last one adds the rest, perhaps an empty text: this is right for readers that join chunks and for readers
//         that replace them. Otherwise the last chunk replaces all. Only the last task of a crew has the result, so
//         texts of other tasks are not sent.
import { callIdOf, foldCall, type CallWords } from "../../wire/call-words.ts";
import {
  TERMINAL_EVENTS,
  type EventOf,
  type LiveEvent,
  type RunEvent,
} from "../../events/run-event.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunSnapshot, Wait } from "../../runtime/run.ts";
import { openWaits } from "../run-state.ts";
import type { Artifact, ArtifactUpdate, StreamResponse, TaskStatus, WireState } from "./schema.ts";
import {
  artifactUpdateOf,
  interruptedBy,
  isFinal,
  questionMessage,
  resultArtifacts,
  resultId,
  statusOf,
  type TaskSource,
} from "./task-view.ts";

/** Start of a stream of updates. */
export type UpdatesFrom = Omit<TaskSource, "snapshot"> & {
  readonly taskId: string;
  readonly handle: Pick<RunHandle, "events">;
  /** Returns the present run. */
  readonly latest: () => Promise<RunSnapshot>;
  /** Only events after this `seq`. */
  readonly after: number;
  /** State of the task at this point, as sent to its reader. */
  readonly state: WireState;
  /** Open waits at this point. */
  readonly waits: readonly Wait[];
  readonly signal: AbortSignal;
  /** True to stay open when the task needs input. */
  readonly isOpen: boolean;
};

/** Yields the updates of a task, to its end, or until it needs input. */
export async function* taskUpdates(from: UpdatesFrom): AsyncGenerator<StreamResponse> {
  const { taskId, contextId, handle, latest, after, signal } = from;
  const waits = new Map<string, Wait>(from.waits.map((wait) => [wait.key, wait]));
  const text = new ResultText(from);
  let { state } = from;
  const moved = (status: TaskStatus): StreamResponse => {
    state = status.state;
    return { statusUpdate: { taskId, contextId, status } };
  };
  for await (const event of handle.events({ after, signal })) {
    if (signal.aborted) return;
    if (TERMINAL_EVENTS.has(event.type)) break;
    switch (event.type) {
      case "run_started":
      case "run_resumed":
        if (state !== "TASK_STATE_WORKING")
          yield moved({ state: "TASK_STATE_WORKING", timestamp: event.at });
        break;
      case "wait_opened":
        waits.set(event.key, waitOf(event));
        break;
      case "wait_settled":
        waits.delete(event.key);
        break;
      case "run_waiting": {
        const known = event.waits.flatMap((key) => waits.get(key) ?? []);
        if (openWaits({ waits: known }).length === 0) break;
        const { run } = await latest();
        const now = new Map(run.waits.map((wait) => [wait.key, wait]));
        const open = openWaits({ waits: known }).map((wait) => now.get(wait.key) ?? wait);
        const interrupted = interruptedBy(open);
        const message = questionMessage(open, { id: taskId, contextId });
        yield moved({ state: interrupted, message, timestamp: event.at });
        if (interrupted === "TASK_STATE_INPUT_REQUIRED" && !from.isOpen) return;
        break;
      }
      case "a2a_artifact_updated": {
        const artifactUpdate = artifactUpdateOf(event, from);
        if (artifactUpdate !== undefined) yield { artifactUpdate };
        break;
      }
      default: {
        const artifactUpdate = await text.read(event);
        if (artifactUpdate !== undefined) yield { artifactUpdate };
      }
    }
  }
  if (signal.aborted) return;
  const source: TaskSource = { ...from, snapshot: await latest() };
  const status = statusOf(source);
  if (!isFinal(status.state)) return;
  for (const artifact of resultArtifacts(source))
    yield { artifactUpdate: { taskId, contextId, ...text.closing(artifact), lastChunk: true } };
  yield moved(status);
}

function waitOf({ key, kind, prompt }: EventOf<"wait_opened">): Wait {
  return {
    key,
    kind: kind as Wait["kind"],
    ...(prompt === undefined ? undefined : { prompt }),
  };
}

/** Growing text of agents, as chunks of the result. */
class ResultText {
  readonly #from: Pick<UpdatesFrom, "taskId" | "contextId" | "latest">;
  readonly #calls = new Map<string, CallWords>();
  /** Call and text in the artifact so far. */
  #sent: { readonly callId: string; readonly text: string } | undefined;
  /** Names of the crew's tasks before the last one. */
  #earlier: Promise<ReadonlySet<string>> | undefined;

  constructor(from: Pick<UpdatesFrom, "taskId" | "contextId" | "latest">) {
    this.#from = from;
  }

  /**
   * Returns the last chunk of the result's artifact: the missing rest, or the whole text. Surrounding white space does
   * not count as a difference.
   */
  closing(artifact: Artifact): Pick<ArtifactUpdate, "artifact" | "append"> {
    const whole = { artifact, append: false };
    const [{ text, ...about } = {}, ...others] = artifact.parts;
    const sent = this.#sent?.text ?? "";
    if (artifact.artifactId !== resultId(this.#from.taskId) || sent === "" || text === undefined)
      return whole;
    const isAll = sent.trim() === text.trim();
    if (!isAll && !text.startsWith(sent)) return whole;
    const rest = isAll ? "" : text.slice(sent.length);
    const parts = rest === "" && others.length > 0 ? others : [{ ...about, text: rest }, ...others];
    return { artifact: { ...artifact, parts }, append: true };
  }

  async read(event: RunEvent | LiveEvent): Promise<ArtifactUpdate | undefined> {
    const callId = callIdOf(event);
    if (callId === undefined) return undefined;
    const before = this.#calls.get(callId);
    const after = foldCall(before, event);
    if (after === undefined || after === before) return undefined;
    if (after.done) this.#calls.delete(callId);
    else this.#calls.set(callId, after);
    // Only texts of agents are sent, not those of models for a memory or a guardrail.
    if (before?.agentRole === undefined && after.agentRole === undefined) return undefined;
    // An unstreamed call has no chunks: its text is the result.
    if (before === undefined && after.done) return undefined;
    const { taskName = before?.taskName } = after;
    if (taskName !== undefined && (await this.#isEarlier(taskName))) return undefined;
    return this.#update(after);
  }

  async #isEarlier(taskName: string): Promise<boolean> {
    this.#earlier ??= this.#from.latest().then(({ run: { tasks = [] } }) => {
      const last = tasks.at(-1)?.name;
      return new Set(tasks.map(({ name }) => name).filter((name) => name !== last));
    });
    return (await this.#earlier).has(taskName);
  }

  #update({ callId, text }: CallWords): ArtifactUpdate | undefined {
    const sent = this.#sent;
    const isSame = sent?.callId === callId && text.startsWith(sent.text);
    const added = isSame ? text.slice(sent.text.length) : text;
    if (added === "" && (isSame || sent?.callId !== callId)) return undefined;
    this.#sent = { callId, text };
    const { taskId, contextId } = this.#from;
    return {
      taskId,
      contextId,
      artifact: { artifactId: resultId(taskId), name: "result", parts: [{ text: added }] },
      append: isSame,
      lastChunk: false,
    };
  }
}
