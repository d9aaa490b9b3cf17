// Tasks over runs.
//
//   ACK1. A task is stored before its run starts. A pending change of the run (a launch, a pause, a cancellation) is
//         stored with the change of the task, and performed by the next request to read it, the sweeper included. Each
//         is idempotent.
//   ACK2. A session has at most one active task. The end of this task and the start of the next are one transaction.
//   ACK3. A canceled task stays canceled, despite later results of its run.
//   ACK4. The same request under the same id is the same task; another one is a conflict.
//   ACK5. A resume belongs to one question. The same resume again is recognised by its idempotency key, or by the key of
//         the question; another one is a conflict.
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { canonicalJson, type JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { PartHost } from "../../parts/part.ts";
import type { Run } from "../../runtime/run.ts";
import type { Exposed } from "./exposed.ts";
import { Refusal } from "./refusal.ts";
import { advanced, answerOf, personsWait, stateOf, statusOf, withState } from "./run-codec.ts";
import { isMeantFor, type AcpStore, type StoredTask } from "./store.ts";
import { isResumed, resumeOf, withAdded, type Added, type Resume } from "./task-resume.ts";
import { TaskRuns, textsIn } from "./task-runs.ts";
import { isEnded, textsOf, type A2AMessage, type TaskState, type TextsByName } from "./task.ts";

/** Data of a new task. */
export type NewTask = {
  readonly id: string;
  /** Caller that sends it. */
  readonly sender: string;
  readonly agent: string;
  readonly message: A2AMessage;
  readonly metadata?: TextsByName | undefined;
  readonly session?: string | undefined;
  readonly resumes?: string | undefined;
  /** True if its sender does not wait, and may follow its words later. */
  readonly streams?: boolean;
};

/** A task, with its run if it exists. */
export type CurrentTask = { readonly task: StoredTask; readonly run: Run | undefined };

const MAX_QUEUED = 100;
/** Maximum number of messages of one task; each has at most 64 KiB. */
const MAX_MESSAGES = 20;
/** Maximum attempts of a change with concurrent changes. */
const MAX_TRIES = 5;
const GRACE_MS = 60_000;

export class TaskDesk {
  readonly store: AcpStore;
  readonly exposed: Exposed;
  readonly #host: PartHost;
  readonly #runs: TaskRuns;

  constructor(host: PartHost, store: AcpStore, exposed: Exposed) {
    this.#host = host;
    this.store = store;
    this.exposed = exposed;
    this.#runs = new TaskRuns(host, store, exposed);
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  /** Adds a task and starts its run, or queues it. `repeated` is true for an existing task (ACK4). */
  async send(
    tenant: string,
    { id, sender, agent, message, metadata, session, resumes, streams = false }: NewTask,
  ): Promise<{ readonly task: StoredTask; readonly repeated: boolean }> {
    const digest = sha256Hex(canonicalJson(toJson({ agent, message, metadata, session, resumes })));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const nowMs = this.clock.now();
      const waiting = await this.store.contexts.list(tenant, nowMs);
      const pieces = waiting.filter(({ piece }) => isMeantFor(piece, { sender, session }));
      const contexts = pieces.map(({ piece }) => piece);
      const texts = textsOf(message.parts);
      const used = (await this.#runs.check(tenant, agent, { texts, contexts })) ? pieces : [];
      if (resumes !== undefined && !(await this.store.sessions.get(tenant, { id: resumes })))
        throw new Refusal(404, `Session not found: ${resumes}`);
      const added = await this.store.tasks.add(
        {
          tenant,
          id,
          agent,
          sessionId: session ?? id,
          messages: [message],
          ...(metadata === undefined ? undefined : { metadata }),
          contexts: used.map(({ piece }) => piece),
          ...(session === undefined ? undefined : { session }),
          ...(resumes === undefined ? undefined : { resumes }),
          ...(streams ? { streams } : undefined),
          history: [{ status: "submitted", timestamp: nowMs }],
          runId: this.#host.randomId(),
          digest,
          pending: "launch",
          dueAtMs: nowMs + GRACE_MS,
          createdAtMs: nowMs,
        },
        { contextIds: used.map(({ id: contextId }) => contextId), maxQueued: MAX_QUEUED },
      );
      switch (added) {
        case "contexts_taken":
          continue;
        case "exists":
          return { task: await this.#repeated(tenant, id, digest), repeated: true };
        case "session_not_found":
          throw new Refusal(404, `Session not found: ${session}`);
        case "session_closed":
          throw new Refusal(409, "Session is closed and takes no new messages");
        case "queue_full":
          throw new Refusal(409, `Session has ${MAX_QUEUED} queued messages already`);
        default:
          return { task: (await this.refresh(added)).task, repeated: false };
      }
    }
    throw busy(id);
  }

  /** Returns the present task; undefined for a task outside of the tenant. */
  async find(tenant: string, id: string): Promise<CurrentTask | undefined> {
    const task = await this.store.tasks.get(tenant, id);
    return task === undefined ? undefined : this.refresh(task);
  }

  /** Returns the present task. Throws `Refusal` for a task outside of the tenant. */
  async get(tenant: string, id: string): Promise<CurrentTask> {
    const found = await this.find(tenant, id);
    if (found !== undefined) return found;
    throw new Refusal(404, "Task not found");
  }

  /** Performs pending changes, takes over the progress of the run, and continues the session. */
  async refresh(found: StoredTask): Promise<CurrentTask> {
    let task = found;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (task.pending !== undefined) task = await this.#perform(task);
      if (task.state === "queued") {
        await this.#goOn(task);
        const now = await this.#again(task);
        if (now.state === "queued") return { task: now, run: undefined };
        task = now;
        continue;
      }
      const run = await this.#runs.find(task);
      if (task.state === "ended" || task.yieldPayload !== undefined) return { task, run };
      const nowMs = this.clock.now();
      const state: TaskState =
        run === undefined
          ? { status: "failed", message: "the run of this task was deleted", timestamp: nowMs }
          : stateOf(run, nowMs);
      const history = advanced(task.history, state);
      if (history === task.history) return { task, run };
      const next = await this.#write({ ...task, history });
      if (next !== undefined) return { task: next, run };
      task = await this.#again(task);
    }
    throw busy(found.id);
  }

  /** Waits until the task ends, waits for somebody, or the time is over. */
  async settled(task: StoredTask, timeoutMs: number): Promise<CurrentTask> {
    if (task.state !== "active") return this.refresh(task);
    await this.#runs.settled(task, timeoutMs);
    return this.refresh(await this.#again(task));
  }

  /** False for an unknown, completed or failed task. */
  async cancel(tenant: string, id: string): Promise<boolean> {
    return this.#changing(tenant, id, ({ task }) => {
      if (task === undefined) return { result: false };
      const { status } = statusOf(task);
      if (isEnded(status)) return { result: status === "canceled" };
      const canceled = this.#with(task, "canceled");
      const { yieldPayload: _, pending: __, ...rest } = canceled;
      return {
        result: true,
        changed: task.state === "queued" ? rest : { ...rest, pending: "cancel" },
      };
    });
  }

  /** Pauses the run of a working task. Returns undefined for any other status. */
  async yield(
    tenant: string,
    id: string,
    { reason, state, resumeHint }: { reason: string; state?: JsonValue; resumeHint?: string },
  ): Promise<StoredTask | undefined> {
    return this.#changing(tenant, id, ({ task }) => {
      if (task === undefined || statusOf(task).status !== "working") return { result: undefined };
      const changed: StoredTask = {
        ...this.#with(task, "input-required", `Yielded: ${reason}`),
        yieldPayload: {
          reason,
          ...(state === undefined ? undefined : { state }),
          ...(resumeHint === undefined ? undefined : { resumeHint }),
          timestamp: this.clock.now(),
        },
        pending: "pause",
      };
      return { result: changed, changed };
    });
  }

  /**
   * Resumes a yielded task: the same run, or a new one with the message or state. A run waiting for a person is
   * answered. The same resume again, with its key or that of its question, has no effect (ACK5). Throws `Refusal` for a
   * task in another status, and for a question with another answer.
   */
  async resume(tenant: string, id: string, asked: Resume): Promise<StoredTask> {
    const found = await this.get(tenant, id);
    const resumed = resumeOf(asked);
    if (isResumed(found.task, resumed)) return found.task;
    const { message, state } = asked;
    const added: Added = { message, state, resumed };
    if (message !== undefined && found.task.messages.length >= MAX_MESSAGES)
      throw new Refusal(409, `Task has ${MAX_MESSAGES} messages already: start another one`);
    const { task, run } = found;
    if (run !== undefined && task.yieldPayload === undefined) {
      const { key: named } = resumed;
      const wait =
        named === undefined ? personsWait(run) : await this.#runs.question(tenant, run, named);
      if (wait !== undefined) {
        const text = message === undefined ? undefined : textsOf(message.parts).join("\n");
        const { key, ...answer } = answerOf(wait, { text, state });
        const question = named === undefined || key === undefined ? undefined : { key };
        const answerId = resumed.id === undefined ? undefined : { id: resumed.id };
        await this.#runs.answer(tenant, run, { ...answer, ...question, ...answerId });
        return this.#resumed(task, added);
      }
    }
    return this.#changing(tenant, id, async ({ task: now }) => {
      if (now?.yieldPayload === undefined)
        throw new Refusal(
          409,
          `Task is not yielded: its status is ${statusOf(now ?? task).status}`,
        );
      const { yieldPayload: _, ...rest } = this.#with(now, "working", "Resumed after yield");
      const changed = withAdded(rest, added);
      if (message === undefined && state === undefined)
        return { result: changed, changed: { ...changed, pending: "unpause" } };
      await this.#runs.check(tenant, now.agent, { texts: textsIn(changed), contexts: [] });
      const again: StoredTask = {
        ...changed,
        runId: this.#host.randomId(),
        previousRunId: now.runId,
        pending: "launch",
      };
      return { result: again, changed: again };
    });
  }

  /** Cancels the active task of a session, and drops its queue. */
  async cancelSession(
    tenant: string,
    session: string,
  ): Promise<{ readonly canceledTaskId: string | null; readonly dropped: number }> {
    const timestamp = this.clock.now();
    const dropped = await this.store.tasks.dropQueue(tenant, session, {
      status: "canceled",
      message: "The session was canceled",
      timestamp,
    });
    const active = await this.store.tasks.active(tenant, session);
    const isCanceled = active !== undefined && (await this.cancel(tenant, active.id));
    return { canceledTaskId: isCanceled ? active.id : null, dropped };
  }

  /** Processes a task claimed by the sweeper. */
  async look(task: StoredTask): Promise<void> {
    const { task: now } = await this.refresh(await this.#again(task));
    const { dueAtMs, ...rest } = now;
    const { tenant, session } = now;
    if (dueAtMs === undefined || now.pending !== undefined) return;
    const isNeeded =
      now.state === "active" &&
      session !== undefined &&
      (await this.store.tasks.queued(tenant, session)) > 0;
    // If another change comes first, the task has a new reason for processing.
    if (!isNeeded) await this.store.tasks.change(rest);
  }

  async #repeated(tenant: string, id: string, digest: string): Promise<StoredTask> {
    const known = await this.store.tasks.get(tenant, id);
    if (known === undefined) throw busy(id);
    if (known.digest === digest) return (await this.refresh(known)).task;
    throw new Refusal(409, `Task ${id} exists with another message`);
  }

  /** Performs the pending change, and records its completion. */
  async #perform(task: StoredTask): Promise<StoredTask> {
    try {
      await this.#runs.perform(task);
    } catch (error) {
      if (task.pending !== "launch" || !EngineError.is(error) || error.retryable) throw error;
      const { pending: _, ...failed } = this.#with(task, "failed", errorMessage(error));
      return (await this.#write(failed)) ?? this.#again(task);
    }
    const { pending, dueAtMs, previousRunId: _, ...rest } = task;
    // `look` decides if a session needs further processing.
    const isWatched = task.session !== undefined && dueAtMs !== undefined;
    const performed: StoredTask = isWatched ? { ...rest, dueAtMs } : rest;
    if (await this.store.tasks.change(performed))
      return { ...performed, version: task.version + 1 };
    const now = await this.#again(task);
    // The task was changed meanwhile, so the performed change may be outdated.
    const isYielded = now.yieldPayload !== undefined;
    if (now.runId !== task.runId) return now;
    if (now.state === "ended") await this.#runs.perform({ ...now, pending: "cancel" });
    else if (pending === "pause" && !isYielded)
      await this.#runs.perform({ ...now, pending: "unpause" });
    else if (pending === "unpause" && isYielded)
      await this.#runs.perform({ ...now, pending: "pause" });
    return now;
  }

  /** Continues a queued task's session, whose active task may have ended. */
  async #goOn({ tenant, session }: StoredTask): Promise<void> {
    if (session === undefined) return;
    const active = await this.store.tasks.active(tenant, session);
    if (active !== undefined) await this.refresh(active);
    else {
      const next = await this.store.tasks.promote(tenant, session, this.clock.now());
      if (next !== undefined) await this.refresh(next);
    }
  }

  /** Records the answer to a run, despite concurrent refreshes of the task. */
  async #resumed(task: StoredTask, added: Added): Promise<StoredTask> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const now = await this.#again(task);
      const waits = statusOf(now).status === "input-required";
      const resumed = waits ? this.#with(now, "working", "Resumed after yield") : now;
      const written = await this.#write(withAdded(resumed, added));
      if (written !== undefined) return written;
    }
    throw busy(task.id);
  }

  /** Changes the newest version of a task, with retries after concurrent changes. */
  async #changing<Result>(
    tenant: string,
    id: string,
    decide: (now: Partial<CurrentTask>) => Decision<Result> | Promise<Decision<Result>>,
  ): Promise<Result> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { result, changed } = await decide((await this.find(tenant, id)) ?? {});
      if (changed === undefined) return result;
      const written = await this.#write(changed);
      if (written === undefined) continue;
      if (written.pending !== undefined) await this.#perform(written);
      return result;
    }
    throw busy(id);
  }

  /**
   * Writes a change. A task in a final state ends, and its session continues. Returns undefined if another change came
   * first.
   */
  async #write(task: StoredTask): Promise<StoredTask | undefined> {
    const nowMs = this.clock.now();
    const due = task.pending === undefined ? task : { ...task, dueAtMs: nowMs + GRACE_MS };
    const written = { ...due, version: task.version + 1 };
    if (!isEnded(statusOf(task).status))
      return (await this.store.tasks.change(due)) ? written : undefined;
    const { dueAtMs, ...rest } = due;
    const over: StoredTask = {
      ...(task.pending === undefined || dueAtMs === undefined ? rest : { ...rest, dueAtMs }),
      state: "ended",
    };
    const { changed, next } = await this.store.tasks.end(over, nowMs);
    // Errors of the next task do not belong to this one; the sweeper processes it again.
    if (next !== undefined) await this.refresh(next).catch(this.#host.report);
    return changed ? { ...over, version: task.version + 1 } : undefined;
  }

  #with(task: StoredTask, status: TaskState["status"], message?: string): StoredTask {
    const timestamp = this.clock.now();
    const state = { status, ...(message === undefined ? undefined : { message }), timestamp };
    return { ...task, history: withState(task.history, state) };
  }

  async #again({ tenant, id }: StoredTask): Promise<StoredTask> {
    const task = await this.store.tasks.get(tenant, id);
    if (task !== undefined) return task;
    throw new Refusal(404, "Task not found");
  }
}

type Decision<Result> = { readonly result: Result; readonly changed?: StoredTask };

function busy(id: string): Refusal {
  return new Refusal(409, `Task ${id} is being changed by others; try again`);
}
