// The records of tasks: their runs, their stored notes, and their views for callers.
import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { PartHost } from "../../parts/part.ts";
import type { Viewer } from "../../parts/rights.ts";
import type { RunSnapshot } from "../../runtime/run.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { type ProtocolCaller, type ProtocolRuns } from "../protocol-runs.ts";
import { maySeeRun } from "../started-by.ts";
import type { ThreadRun } from "../thread-store.ts";
import { A2AError } from "./errors.ts";
import { ARTIFACT_EVENT } from "./push.ts";
import { messageAgain } from "./read-message.ts";
import type { Message, Task, WireState } from "./schema.ts";
import { artifactsOf, statusOf, type TaskNotes, type TaskSource } from "./task-view.ts";

/** One call of an operation. */
export type A2ACall = {
  readonly caller: ProtocolCaller & Viewer;
  readonly exposed: ExposedSubject;
  /** Extensions activated by the caller. */
  readonly extensions: readonly string[];
  /** Webhook format of the protocol version. */
  readonly pushFormat: string;
};
/** Maximum number of messages in a task's history. */
export const MAX_HISTORY = 100;
const MAX_ATTEMPTS = 4;
const ATTEMPT_PAUSE_MS = 250;

export class TaskRecords {
  readonly #runs: ProtocolRuns;
  readonly #host: PartHost;
  readonly #filter: TaskSource["filter"];

  constructor(
    runs: ProtocolRuns,
    { host, filter }: { readonly host: PartHost; readonly filter: TaskSource["filter"] },
  ) {
    this.#runs = runs;
    this.#host = host;
    this.#filter = filter;
  }

  /** Fails with `not_found` for a task of another agent or out of the caller's sight, as for an unknown one. */
  async find({ caller, exposed }: A2ACall, id: string): Promise<ThreadRun> {
    const thread = /^[\w-]{1,64}$/.test(id)
      ? await this.#runs.threads.get(caller.tenant, id)
      : undefined;
    const isHere =
      thread?.protocol === "a2a" && thread.kind === exposed.kind && thread.name === exposed.name;
    if (thread === undefined || !isHere || !maySeeRun(caller, thread))
      throw new A2AError("TaskNotFound", `there is no task ${id.slice(0, 100)}`);
    return thread;
  }

  /** Returns the run with its artifacts. */
  snapshot(tenant: string, id: string): Promise<RunSnapshot> {
    return this.#again(() => this.#host.runs.snapshot(tenant, id, [ARTIFACT_EVENT]));
  }

  async settled(tenant: string, id: string, timeoutMs: number): Promise<void> {
    const { clock } = this.#host;
    const untilMs = clock.now() + timeoutMs;
    await this.#again(() => this.#runs.settled(tenant, id, Math.max(0, untilMs - clock.now())));
  }

  /** Retries after a run was moved or restarted during the request. */
  async #again<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++)
      try {
        return await ask();
      } catch (error) {
        const isMoved = EngineError.is(error) && error.code === "unavailable" && error.retryable;
        if (!isMoved || attempt === MAX_ATTEMPTS) throw error;
        await sleep(this.#host.clock, ATTEMPT_PAUSE_MS * attempt);
      }
  }

  async source(tenant: string, thread: ThreadRun): Promise<TaskSource & { snapshot: RunSnapshot }> {
    const snapshot = await this.snapshot(tenant, thread.runId);
    return { ...this.sourceOf(thread, snapshot), snapshot };
  }

  sourceOf(
    thread: ThreadRun,
    snapshot: TaskSource["snapshot"],
  ): TaskSource & { thread: ThreadRun } {
    const filter = this.#filter === undefined ? undefined : { filter: this.#filter };
    return { snapshot, contextId: thread.threadId, notes: notesOf(thread), ...filter, thread };
  }

  async task(
    tenant: string,
    source: TaskSource & { readonly thread?: ThreadRun },
    {
      historyLength,
      includeArtifacts = true,
    }: { historyLength?: number | undefined; includeArtifacts?: boolean },
  ): Promise<Task> {
    const { snapshot, contextId, notes } = source;
    const { ignored = [] } = notes;
    const { id } = snapshot.run;
    const artifacts = includeArtifacts ? artifactsOf(source) : [];
    const history =
      historyLength === 0 ? [] : await this.#history(tenant, { id, contextId }, historyLength);
    const status = statusOf(source);
    await this.#label(tenant, source, status.state);
    return {
      id,
      contextId,
      status,
      ...(artifacts.length === 0 ? undefined : { artifacts }),
      ...(history.length === 0 ? undefined : { history }),
      ...(ignored.length === 0 ? undefined : { metadata: { ignoredSettings: ignored } }),
    };
  }

  /** Notes an end that differs from the run's status, for the filter of lists. */
  async #label(
    tenant: string,
    { snapshot: { run }, thread }: TaskSource & { thread?: ThreadRun },
    state: WireState,
  ): Promise<void> {
    if (thread === undefined || run.status !== "completed" || state === "TASK_STATE_COMPLETED")
      return;
    if (thread.data["label"] === state) return;
    await this.#runs.threads.setData(tenant, run.id, { ...thread.data, label: state });
  }

  async #history(
    tenant: string,
    { id, contextId }: { id: string; contextId: string },
    length = MAX_HISTORY,
  ): Promise<readonly Message[]> {
    const limit = Math.min(length, MAX_HISTORY);
    const messages = await this.#runs.threads.messages(tenant, { runId: id }, MAX_HISTORY + 1);
    return messages
      .filter((message) => message.id !== "answer")
      .slice(-limit)
      .map((message): Message => {
        const { content, data, role } = message;
        const ids = { contextId, taskId: id };
        if (data?.["message"] !== undefined)
          return { ...messageAgain(data["message"] as JsonObject, content), ...ids };
        const text = typeof content === "string" ? content : JSON.stringify(content);
        return {
          messageId: `${id}:${message.id}`,
          role: role === "user" ? "ROLE_USER" : "ROLE_AGENT",
          parts: [{ text }],
          ...ids,
        };
      });
  }
}

/** Stored notes of a task. */
export function notesOf({ data }: Pick<ThreadRun, "data">): TaskNotes {
  return data as unknown as TaskNotes;
}
