// The tasks of one agent in this process.
//
//   AG1. A canceled task stays canceled: later results of its executor are ignored.
//   AG2. A task waiting for input keeps waiting after the end of its executor: its resume ends it.
//   AG3. An executor may set a task to failed, canceled or input-required itself; this status is respected.
//   AG4. An id is used once. The same message again is the same task; another message is a conflict.
//   AG5. Only the latest execution of a task changes its status, not one overtaken by a message or a resume.
//   - With `compat: "code-buddy"` none of them applies; see the table in docs/acp.md.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { canonicalJson, preview } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { systemClock } from "../../base/system.ts";
import { TaskEmitter } from "./task-events.ts";
import {
  isEnded,
  type A2AMessage,
  type AgentCard,
  type Task,
  type TaskExecutor,
  type TaskStatus,
  type YieldPayload,
} from "./task.ts";

/** Implementation to follow even in its defects: Code Buddy. */
export type Compat = "code-buddy";

/** Options of `A2AAgentServer`. */
export type AgentServerOptions = {
  /** Follows Code Buddy's behaviour, defects included. @default undefined */
  readonly compat?: Compat;
  /** Maximum number of stored tasks. A new task replaces the oldest ended one. @default 1000 */
  readonly maxTasks?: number;
  /** @default the system's clock */
  readonly clock?: Clock;
};

/** Data of a submitted task. */
export type TaskRequest = {
  readonly id: string;
  /** @default the id */
  readonly sessionId?: string;
  readonly message: A2AMessage;
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A task, with the execution that may change it. */
type Entry = {
  readonly task: Task;
  readonly request: string;
  execution?: { readonly abort: AbortController; readonly done: Promise<Task> };
};

const MAX_TASKS = 1000;

const OPTIONS = definitionOptions<AgentServerOptions>("new A2AAgentServer()", {
  compat: true,
  maxTasks: true,
  clock: true,
});

/** Runs the tasks of one agent and keeps them in this process. */
export class A2AAgentServer extends TaskEmitter {
  readonly #card: AgentCard;
  readonly #executor: TaskExecutor;
  readonly #isCompat: boolean;
  readonly #maxTasks: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(card: AgentCard, executor: TaskExecutor, options: AgentServerOptions = {}) {
    super();
    refuseUnknownOptions(options, OPTIONS, new.target !== A2AAgentServer);
    const { compat, maxTasks = MAX_TASKS, clock = systemClock } = options;
    if (!Number.isInteger(maxTasks) || maxTasks < 1)
      throw new EngineError(
        "invalid_definition",
        `maxTasks must be an integer >= 1, got ${preview(maxTasks)}`,
      );
    this.#card = card;
    this.#executor = executor;
    this.#isCompat = compat === "code-buddy";
    this.#maxTasks = maxTasks;
    this.#clock = clock;
  }

  getAgentCard(): AgentCard {
    return this.#card;
  }

  getTask(id: string): Task | undefined {
    return this.#entries.get(id)?.task;
  }

  /**
   * Resolves when the executor has ended, with any status of the task. Fails with `conflict` for an id in use (AG4).
   */
  async submitTask(request: TaskRequest): Promise<Task> {
    const { id, sessionId = id, message, metadata } = request;
    const text = canonicalJson(toJson({ sessionId, message, metadata }));
    const known = this.#isCompat ? undefined : this.#entries.get(id);
    if (known !== undefined) {
      if (known.request === text) return known.execution?.done ?? known.task;
      throw new EngineError(
        "conflict",
        `task ${preview(id)} exists with another message: use another id, or send a message to it`,
      );
    }
    this.#makeRoom();
    const task: Task = {
      id,
      sessionId,
      status: { status: "submitted", timestamp: this.#clock.now() },
      messages: [message],
      artifacts: [],
      ...(metadata === undefined ? undefined : { metadata: { ...metadata } }),
      history: [],
    };
    task.history.push({ ...task.status });
    const entry: Entry = { task, request: text };
    this.#entries.set(id, entry);
    this.emit("task:submitted", { taskId: id });
    // A listener may have canceled it.
    if (!this.#isCompat && isEnded(task.status.status)) return task;
    this.#set(task, "working");
    return this.#execute(entry);
  }

  /** False for an unknown, completed or failed task. */
  cancelTask(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    const { task, execution } = entry;
    const { status } = task.status;
    if (status === "completed" || status === "failed") return false;
    if (status === "canceled" && !this.#isCompat) return true;
    this.#set(task, "canceled");
    if (!this.#isCompat) {
      delete task.yieldPayload;
      execution?.abort.abort(new EngineError("run_cancelled", `task ${id} was canceled`));
    }
    this.emit("task:canceled", { taskId: id });
    return true;
  }

  /** Answers a task waiting for input. Fails with `not_found`, or with `conflict` for a task in another status. */
  async sendMessage(id: string, message: A2AMessage): Promise<Task> {
    const entry = this.#find(id);
    const { task } = entry;
    if (task.status.status !== "input-required")
      throw new EngineError(
        "conflict",
        `task ${preview(id)} is not awaiting input: its status is ${task.status.status}`,
      );
    task.messages.push(message);
    if (this.#isCompat) {
      this.#set(task, "working");
      return this.#executor(task, new AbortController().signal);
    }
    delete task.yieldPayload;
    this.#set(task, "working");
    return this.#execute(entry);
  }

  /** Makes a working task wait for `resumeTask`. False for any other. Its executor is not interrupted. */
  yieldTask(id: string, { reason, state, resumeHint }: Omit<YieldPayload, "timestamp">): boolean {
    const task = this.getTask(id);
    if (task?.status.status !== "working") return false;
    task.yieldPayload = {
      reason,
      ...(state === undefined ? undefined : { state }),
      ...(resumeHint === undefined ? undefined : { resumeHint }),
      timestamp: this.#clock.now(),
    };
    this.#set(task, "input-required", `Yielded: ${reason}`);
    this.emit("task:yielded", { taskId: id, reason });
    return true;
  }

  /**
   * Executes a yielded task again, with the additions of the resume. Fails with `not_found`, or with `conflict` if it
   * was not yielded.
   */
  async resumeTask(id: string, message?: A2AMessage, injectedState?: unknown): Promise<Task> {
    const entry = this.#find(id);
    const { task } = entry;
    const waits = this.#isCompat || task.status.status === "input-required";
    if (task.yieldPayload === undefined || !waits)
      throw new EngineError(
        "conflict",
        `task ${preview(id)} was not yielded: its status is ${task.status.status}`,
      );
    if (injectedState !== undefined)
      task.metadata = { ...task.metadata, __yield_state: JSON.stringify(injectedState) };
    delete task.yieldPayload;
    if (message !== undefined) task.messages.push(message);
    this.#set(task, "working", "Resumed after yield");
    this.emit("task:resumed", { taskId: id });
    return this.#execute(entry);
  }

  #execute(entry: Entry): Promise<Task> {
    const abort = new AbortController();
    if (!this.#isCompat)
      entry.execution?.abort.abort(new EngineError("run_cancelled", "another execution took over"));
    const execution = { abort, done: this.#outcome(entry, abort) };
    entry.execution = execution;
    return execution.done;
  }

  async #outcome(entry: Entry, abort: AbortController): Promise<Task> {
    const { task } = entry;
    const isStale = (): boolean => !this.#isCompat && entry.execution?.abort !== abort;
    try {
      await Promise.resolve(); // sets `execution` before the executor can see the task
      const before = task.status;
      const returned = await this.#executor(task, abort.signal);
      if (this.#isCompat) return this.#complete(returned);
      return isStale() ? task : this.#finish(entry, returned, before);
    } catch (error) {
      if (isStale() || (!this.#isCompat && entry.task.status.status === "canceled")) return task;
      return this.#fail(task, errorMessage(error));
    }
  }

  /** Applies the executor's result to the task, within AG1 to AG3. */
  #finish({ task }: Entry, returned: Task, before: Task["status"]): Task {
    const recorded = task.history.at(-1) ?? before;
    if (recorded.status === "canceled") {
      task.status = recorded;
      return task;
    }
    const chosen = returned.status;
    if (returned !== task) {
      const { messages, artifacts, metadata } = returned;
      Object.assign(task, { messages, artifacts }, metadata === undefined ? {} : { metadata });
    }
    const isYielded = task.yieldPayload !== undefined;
    task.status = recorded;
    switch (chosen.status) {
      case "failed":
        return this.#fail(task, chosen.message ?? "");
      case "canceled":
        delete task.yieldPayload;
        this.#set(task, "canceled", chosen.message);
        this.emit("task:canceled", { taskId: task.id });
        return task;
      case "input-required":
        if (recorded.status !== "input-required") this.#set(task, "input-required", chosen.message);
        return task;
      default:
        return isYielded ? task : this.#complete(task);
    }
  }

  #complete(task: Task): Task {
    this.#set(task, "completed");
    this.emit("task:completed", { taskId: task.id });
    return task;
  }

  #fail(task: Task, error: string): Task {
    if (!this.#isCompat) delete task.yieldPayload;
    this.#set(task, "failed", error);
    this.emit("task:failed", { taskId: task.id, error });
    return task;
  }

  #set(task: Task, status: TaskStatus, message?: string): void {
    const timestamp = this.#clock.now();
    task.status = { status, ...(message === undefined ? undefined : { message }), timestamp };
    task.history.push({ ...task.status });
  }

  #find(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    throw new EngineError("not_found", `task ${preview(id)} was not found`);
  }

  #makeRoom(): void {
    if (this.#isCompat || this.#entries.size < this.#maxTasks) return;
    for (const [id, { task }] of this.#entries)
      if (isEnded(task.status.status)) return void this.#entries.delete(id);
    throw new EngineError(
      "limit_exceeded",
      `the agent has ${this.#maxTasks} tasks that have not ended; wait for one, or cancel one`,
    );
  }
}
