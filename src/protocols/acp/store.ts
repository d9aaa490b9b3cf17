// What the routes keep beside runs: tasks, sessions, contexts, remote agents. Rows of one tenant are not seen by another.
import type { JsonObject } from "../../base/json.ts";
import type { RemoteAgent } from "./remote-agents.ts";
import type { A2AMessage, TaskState, TextsByName, YieldPayload } from "./task.ts";

/** What is still to be done with the run of a task. */
export type PendingWork = "launch" | "pause" | "unpause" | "cancel";

/** A piece of context for the next task. */
export type ContextPiece = {
  readonly type: string;
  readonly content: string;
  readonly metadata: TextsByName;
  readonly priority: "low" | "medium" | "high";
};

/** The part of a task that is not searched by. */
export type TaskData = {
  readonly agent: string;
  /** As clients are shown it: the session's id, else the task's. */
  readonly sessionId: string;
  readonly messages: readonly A2AMessage[];
  readonly metadata?: TextsByName;
  readonly contexts: readonly ContextPiece[];
  /** The session whose conversation goes on in this task. */
  readonly resumes?: string;
  readonly history: readonly TaskState[];
  readonly yieldPayload?: YieldPayload;
  /** A run that has to be cancelled before the present one starts. */
  readonly previousRunId?: string;
};

/** A task as it is kept. */
export type StoredTask = TaskData & {
  readonly tenant: string;
  readonly id: string;
  /** Absent outside of sessions. */
  readonly session?: string;
  readonly state: "queued" | "active" | "ended";
  readonly runId: string;
  readonly digest: string;
  readonly pending?: PendingWork;
  /** Milliseconds since the epoch. */
  readonly dueAtMs?: number;
  readonly version: number;
  readonly createdAtMs: number;
};

/** Why a task was not added. */
export type Objection =
  | "exists"
  | "session_not_found"
  | "session_closed"
  | "queue_full"
  | "contexts_taken";

/** A session as it is kept. */
export type StoredSession = {
  readonly tenant: string;
  readonly name: string;
  readonly id: string;
  readonly repoScope?: string;
  readonly closed: boolean;
  readonly createdAtMs: number;
  readonly lastActiveMs: number;
};

export interface TaskStore {
  /**
   * Adds a task in one transaction: `active`, or `queued` if its session has others, and takes the contexts away that it has.
   * Resolves to what speaks against it, and then nothing has changed.
   */
  add(
    task: Omit<StoredTask, "state" | "version">,
    options: { readonly contextIds: readonly number[]; readonly maxQueued: number },
  ): Promise<StoredTask | Objection>;
  get(tenant: string, id: string): Promise<StoredTask | undefined>;
  /** Writes all of it over the version that it has. False if another was faster. */
  change(task: StoredTask): Promise<boolean>;
  /** As `change`, for a task that has ended; in the same transaction its session goes on with the task that is next, if there is one. */
  end(task: StoredTask, nowMs: number): Promise<{ changed: boolean; next?: StoredTask }>;
  /** Makes the oldest queued task of a session active if none is. */
  promote(tenant: string, session: string, nowMs: number): Promise<StoredTask | undefined>;
  active(tenant: string, session: string): Promise<StoredTask | undefined>;
  /** How many queued tasks a session has, up to and including this one, or all of them. */
  queued(tenant: string, session: string, upTo?: string): Promise<number>;
  /** Ends all queued tasks of a session. Resolves to their number. */
  dropQueue(tenant: string, session: string, state: TaskState): Promise<number>;
  /** The newest tasks of a session, oldest first: all, or those that have ended. */
  ofSession(
    tenant: string,
    session: string,
    page: { readonly limit: number; readonly ended?: boolean },
  ): Promise<readonly StoredTask[]>;
  /** Tasks that are due, of all tenants; they are due again at `untilMs`. */
  claim(due: { nowMs: number; untilMs: number; limit: number }): Promise<readonly StoredTask[]>;
  /** Forgets tasks that have ended before. */
  prune(beforeMs: number, limit: number): Promise<void>;
}

export interface SessionStore {
  /** False if the name is in use. Throws `limit_exceeded` for one too many. */
  add(session: StoredSession): Promise<boolean>;
  get(tenant: string, by: { name: string } | { id: string }): Promise<StoredSession | undefined>;
  /** By name, each with the number of its tasks. */
  list(tenant: string): Promise<ReadonlyArray<StoredSession & { readonly taskCount: number }>>;
  close(tenant: string, name: string, nowMs: number): Promise<void>;
  /** Its tasks stay, in no session; queued ones end with this state. False if there is none. */
  delete(tenant: string, name: string, state: TaskState): Promise<boolean>;
}

export interface ContextStore {
  /** False if the tenant has no room for it. */
  add(
    tenant: string,
    piece: ContextPiece,
    times: { readonly nowMs: number; readonly expiresAtMs: number },
  ): Promise<boolean>;
  /** Those that have not expired, by priority, then the oldest first. */
  list(
    tenant: string,
    nowMs: number,
  ): Promise<ReadonlyArray<{ readonly id: number; readonly piece: ContextPiece }>>;
  prune(nowMs: number): Promise<void>;
}

export interface RemoteStore {
  /** Throws `limit_exceeded` for one too many. */
  put(tenant: string, name: string, remote: RemoteAgent): Promise<void>;
  list(tenant: string): Promise<ReadonlyArray<RemoteAgent & { readonly name: string }>>;
  get(tenant: string, name: string): Promise<RemoteAgent | undefined>;
  /** False for an unknown name. */
  touch(tenant: string, name: string, nowMs: number): Promise<boolean>;
  /** False for an unknown name. */
  delete(tenant: string, name: string): Promise<boolean>;
}

/** All of it. */
export type AcpStore = {
  readonly tasks: TaskStore;
  readonly sessions: SessionStore;
  readonly contexts: ContextStore;
  readonly remotes: RemoteStore;
};

/** The part of a stored task that goes into one JSON text. */
export function dataOf(task: TaskData): JsonObject {
  const { agent, sessionId, messages, metadata, contexts, resumes } = task;
  const { history, yieldPayload, previousRunId } = task;
  const data = { agent, sessionId, messages, metadata, contexts, resumes };
  return { ...data, history, yieldPayload, previousRunId } as unknown as JsonObject;
}
