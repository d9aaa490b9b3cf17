// A task of a member: its goal, progress and result.
//
//   NTK1. A task is one step of its run. The steps of its work are its checkpoints, so a crash repeats none of them.
//   NTK2. A task is running from its start. It completes with the return value of its work, fails with its error,
//         expires after its time limit, and is cancelled by its work. After its end it does not change.
//   NTK3. Progress is merged, and each report emits an event.
import { errorMessage } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { endsRun } from "../../base/run-ending-error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { here } from "../chats/conversation-run.ts";
import { durationMs } from "../../base/duration.ts";
import type { NetworkView } from "./network-view.ts";
import { checkTasks } from "./network-rules.ts";
import type { TaskRecord } from "./task-record.ts";

/** Description of a task. */
export type TaskOptions = {
  /** The member that does it. */
  readonly agent: string | ConversableAgent;
  readonly title: string;
  readonly description?: string;
  readonly payload?: JsonValue;
  /** Capability that it demonstrates; see `Network.passport`. */
  readonly capability?: string;
  /**
   * Time limit: `30s`, `5m`, `2h`, `1d`, or a number of seconds; 0 is no limit. @default the limit in its agent's rule,
   * if any
   */
  readonly ttl?: string | number;
};

/** A running task. */
export type RunningTask = Omit<TaskOptions, "agent" | "ttl"> & {
  readonly id: string;
  readonly agent: ConversableAgent;
  /** Reports progress: fields are merged into earlier ones. */
  progress(fields: JsonObject): void;
  /** Ends it as cancelled. */
  cancel(reason?: string): never;
};

/** Does the task: with chats, channels, crews, or code of your own. */
export type TaskWork<Result extends JsonValue = JsonValue> = (task: RunningTask) => Promise<Result>;

type Ending<Result> = Pick<TaskRecord, "state"> & {
  readonly result?: Result;
  readonly error?: string;
};

/** Thrown only by `cancel`. */
class Cancelled extends Error {}

export function runTask<Result extends JsonValue>(
  network: NetworkView,
  options: TaskOptions,
  work: TaskWork<Result>,
): Promise<TaskRecord<Result>> {
  const { agent, ttl, title } = options;
  const name = typeof agent === "string" ? agent : agent.name;
  const member = network.agent(name);
  const rule = network.ruleOf(name);
  const ttlMs = ttl === undefined ? (rule?.limits.taskTtlMs ?? 0) : durationMs(ttl);
  return here(
    `task:${title}`,
    async (_, scope) => {
      const { tasks } = network.openIn(scope.drive);
      const openTasks = tasks.get(name) ?? 0;
      checkTasks(name, { ruleOf: network.ruleOf, openTasks });
      tasks.set(name, openTasks + 1);
      const place = scope.at(keySegment(name));
      try {
        return await place.group<TaskRecord<Result>>(
          "group",
          (inside) => new Execution(inside, { ...options, agent: member }, work).run(ttlMs),
          { label: title },
        );
      } finally {
        tasks.set(name, (tasks.get(name) ?? 1) - 1);
      }
    },
    {},
  );
}

class Execution<Result extends JsonValue> {
  readonly #place: RunScope;
  readonly #options: TaskOptions & { readonly agent: ConversableAgent };
  readonly #work: TaskWork<Result>;
  readonly #id: string;
  #progress: JsonObject = {};
  #reports = 0;
  #isOver = false;

  constructor(
    place: RunScope,
    options: TaskOptions & { readonly agent: ConversableAgent },
    work: TaskWork<Result>,
  ) {
    this.#place = place;
    this.#options = options;
    this.#work = work;
    this.#id = place.path;
  }

  async run(ttlMs: number): Promise<TaskRecord<Result>> {
    const { agent, ttl: _, ...about } = this.#options;
    const { title, capability } = about;
    const shown = { title, ...(capability === undefined ? undefined : { capability }) };
    const place = this.#place;
    const scope = place.open("chat_task_started", { task: this.#id, agent: agent.name, ...shown });
    const startedAtMs = place.at("started").now();
    const expired = { state: "expired" } as const;
    const timer =
      ttlMs === 0
        ? []
        : [
            place
              .at("ttl")
              .wait<null>({ kind: "timer", dueAtMs: startedAtMs + ttlMs })
              .then((): Ending<Result> => expired),
          ];
    const ending = await Promise.race([this.#ended(scope), ...timer]);
    this.#isOver = true;
    const endedAtMs = ending.state === "expired" ? startedAtMs + ttlMs : place.at("ended").now();
    const { state, error } = ending;
    const why = error === undefined ? undefined : { error };
    scope.emit("chat_task_ended", { task: this.#id, state, ...why });
    const progress = this.#progress;
    return {
      ...about,
      id: this.#id,
      agent: agent.name,
      ...ending,
      progress,
      startedAtMs,
      endedAtMs,
    };
  }

  async #ended(scope: RunScope): Promise<Ending<Result>> {
    const { ttl: _, ...about } = this.#options;
    const task: RunningTask = {
      ...about,
      id: this.#id,
      progress: (fields) => this.#report(scope, fields),
      cancel: (reason = "cancelled") => {
        throw new Cancelled(reason);
      },
    };
    try {
      const result = await scope.at("work").run(() => this.#work(task));
      return { state: "completed", result };
    } catch (error) {
      if (error instanceof Cancelled) return { state: "cancelled", error: error.message };
      if (endsRun(error)) throw error;
      return { state: "failed", error: errorMessage(error) };
    }
  }

  #report(scope: RunScope, fields: JsonObject): void {
    if (this.#isOver) return;
    this.#progress = { ...this.#progress, ...(toJson(fields) as JsonObject) };
    const about = { task: this.#id, progress: this.#progress };
    scope.emit("chat_task_progressed", about, ++this.#reports);
  }
}
