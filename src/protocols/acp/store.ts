// Rows of the routes in addition to runs: tasks, sessions, contexts, remote agents. Tenants do not see each other's
// rows.
import type { JsonObject } from "../../base/json.ts";
import type { RemoteAgent } from "./remote-agents.ts";
import type { A2AMessage, TaskState, TextsByName, YieldPayload } from "./task.ts";

/** Pending change of a task's run. */
export type PendingWork = "launch" | "pause" | "unpause" | "cancel";

/** A piece of context for the next task of its sender. */
export type ContextPiece = {
  /** Caller that sent it. Absent in pieces of earlier versions, which are no caller's and expire. */
  readonly sender?: string;
  /** Id of the only session that it is for. */
  readonly session?: string;
  readonly type: string;
  readonly content: string;
  readonly metadata: TextsByName;
  readonly priority: "low" | "medium" | "high";
};

/** A resume of a task. */
export type TaskResume = {
  /** Idempotency key of its request. */
  readonly id?: string;
  /** Key of the question, if the request named it. */
  readonly key?: string;
  /** Digest of its message and state. */
  readonly digest: string;
};

/** Fields of a task that are not searched. */
export type TaskData = {
  readonly agent: string;
  /** Session id in clients' views: the session's id, else the task's. */
  readonly sessionId: string;
  readonly messages: readonly A2AMessage[];
  readonly metadata?: TextsByName;
  readonly contexts: readonly ContextPiece[];
  /** Session whose conversation this task resumes. */
  readonly resumes?: string;
  /** Models stream from the first call on, for readers who come later. */
  readonly streams?: true;
  readonly history: readonly TaskState[];
  readonly yieldPayload?: YieldPayload;
  /** Latest resumes, for repeated ones. */
  readonly resumed?: readonly TaskResume[];
  /** Run to cancel before the present one starts. */
  readonly previousRunId?: string;
};

/** A stored task. */
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

/** Reason to refuse a task. */
export type Objection =
  | "exists"
  | "session_not_found"
  | "session_closed"
  | "queue_full"
  | "contexts_taken";

/** A stored session. */
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
   * Adds a task in one transaction: `active`, or `queued` if its session has others. Removes the contexts it uses.
   * Resolves to the objection if it changes nothing.
   */
  add(
    task: Omit<StoredTask, "state" | "version">,
    options: { readonly contextIds: readonly number[]; readonly maxQueued: number },
  ): Promise<StoredTask | Objection>;
  get(tenant: string, id: string): Promise<StoredTask | undefined>;
  /** Replaces the version the task is based on. False if another change came first. */
  change(task: StoredTask): Promise<boolean>;
  /**
   * Like `change`, for an ended task. The same transaction makes the next task of its session active, if there is one.
   */
  end(task: StoredTask, nowMs: number): Promise<{ changed: boolean; next?: StoredTask }>;
  /** Makes the oldest queued task of a session active, unless one is active. */
  promote(tenant: string, session: string, nowMs: number): Promise<StoredTask | undefined>;
  active(tenant: string, session: string): Promise<StoredTask | undefined>;
  /** Counts the queued tasks of a session, up to and including this one, or all of them. */
  queued(tenant: string, session: string, upTo?: string): Promise<number>;
  /** Ends all queued tasks of a session. Resolves to their number. */
  dropQueue(tenant: string, session: string, state: TaskState): Promise<number>;
  /** Lists the newest tasks of a session, oldest first: all, or only ended ones. */
  ofSession(
    tenant: string,
    session: string,
    page: { readonly limit: number; readonly ended?: boolean },
  ): Promise<readonly StoredTask[]>;
  /** Claims due tasks of all tenants. They are due again at `untilMs`. */
  claim(due: { nowMs: number; untilMs: number; limit: number }): Promise<readonly StoredTask[]>;
  /** Deletes tasks that ended before this time. */
  prune(beforeMs: number, limit: number): Promise<void>;
}

export interface SessionStore {
  /** Adds a session. False for a name in use. Fails with `limit_exceeded` for one too many. */
  add(session: StoredSession): Promise<boolean>;
  get(tenant: string, by: { name: string } | { id: string }): Promise<StoredSession | undefined>;
  /** Lists sessions by name, each with the number of its tasks. */
  list(tenant: string): Promise<ReadonlyArray<StoredSession & { readonly taskCount: number }>>;
  close(tenant: string, name: string, nowMs: number): Promise<void>;
  /**
   * Deletes a session. Its tasks stay, without a session; queued ones end with this state. False for an unknown
   * session.
   */
  delete(tenant: string, name: string, state: TaskState): Promise<boolean>;
}

/** True if the piece is for a task of this caller, in this session or outside of sessions. */
export function isMeantFor(
  { sender, session }: Pick<ContextPiece, "sender" | "session">,
  task: { readonly sender: string; readonly session?: string | undefined },
): boolean {
  return sender === task.sender && (session === undefined || session === task.session);
}

export interface ContextStore {
  /** Adds a context. False if the tenant has no room for it. */
  add(
    tenant: string,
    piece: ContextPiece,
    times: { readonly nowMs: number; readonly expiresAtMs: number },
  ): Promise<boolean>;
  /** Lists the contexts that have not expired, by priority, then the oldest first. */
  list(
    tenant: string,
    nowMs: number,
  ): Promise<ReadonlyArray<{ readonly id: number; readonly piece: ContextPiece }>>;
  prune(nowMs: number): Promise<void>;
}

export interface RemoteStore {
  /** Stores a remote agent. Fails with `limit_exceeded` for one too many. */
  put(tenant: string, name: string, remote: RemoteAgent): Promise<void>;
  list(tenant: string): Promise<ReadonlyArray<RemoteAgent & { readonly name: string }>>;
  get(tenant: string, name: string): Promise<RemoteAgent | undefined>;
  /** Notes a heartbeat. False for an unknown name. */
  touch(tenant: string, name: string, nowMs: number): Promise<boolean>;
  /** Deletes a remote agent. False for an unknown name. */
  delete(tenant: string, name: string): Promise<boolean>;
}

/** All stores of the protocol. */
export type AcpStore = {
  readonly tasks: TaskStore;
  readonly sessions: SessionStore;
  readonly contexts: ContextStore;
  readonly remotes: RemoteStore;
};

/** Returns the fields of a stored task for its JSON column. */
export function dataOf(task: TaskData): JsonObject {
  const { agent, sessionId, messages, metadata, contexts, resumes } = task;
  const { streams, history, yieldPayload, resumed, previousRunId } = task;
  const data = { agent, sessionId, messages, metadata, contexts, resumes };
  return {
    ...data,
    streams,
    history,
    yieldPayload,
    resumed,
    previousRunId,
  } as unknown as JsonObject;
}
