import type { JsonObject } from "../base/json.ts";
import type { ContentPart } from "../llm/language-model.ts";
import type { RunStatus } from "../runtime/run.ts";

/** A run that belongs to a thread. */
export type ThreadRun = {
  readonly runId: string;
  readonly protocol: string;
  readonly threadId: string;
  /** The subject that it is of. */
  readonly kind: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** What the protocol keeps of its own. */
  readonly data: JsonObject;
};

/** A thread run with where its run stands, as the index over all runs knows it. */
export type ThreadRunRow = ThreadRun & {
  readonly status: RunStatus;
  /** True if it waits for somebody outside. */
  readonly isAsking: boolean;
  readonly updatedAtMs: number;
};

/** Something that was said in a thread. */
export type ThreadMessage = {
  /** Unique within the run. */
  readonly id: string;
  readonly runId: string;
  readonly role: "user" | "agent";
  readonly content: string | readonly ContentPart[];
  /** What the protocol keeps of its own, such as the message as it came. */
  readonly data?: JsonObject;
  readonly createdAtMs: number;
};

/** Which thread is meant. */
export type ThreadRef = { readonly protocol: string; readonly threadId: string };

export type ThreadRunQuery = {
  readonly protocol: string;
  readonly threadId?: string | undefined;
  readonly subject?: { readonly kind: string; readonly name: string } | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Only runs that wait for somebody outside, or only others. */
  readonly isAsking?: boolean | undefined;
  /** Only runs whose own data has this `label`; null: none. */
  readonly label?: string | null | undefined;
  /** Only runs that changed then or later, milliseconds since the epoch. */
  readonly updatedSinceMs?: number | undefined;
  /** Continues after this row. */
  readonly after?: Pick<ThreadRunRow, "updatedAtMs" | "runId"> | undefined;
  readonly limit: number;
};

/** Threads of all tenants. What belongs to another tenant is not there. */
export interface ThreadStore {
  /** Adds a run; false, and nothing changes, if it is there. */
  add(tenant: string, run: ThreadRun): Promise<boolean>;
  get(tenant: string, runId: string): Promise<ThreadRun | undefined>;
  /** Replaces what the protocol keeps of its own. */
  setData(tenant: string, runId: string, data: JsonObject): Promise<void>;
  /** The latest run of a thread. */
  latest(tenant: string, thread: ThreadRef): Promise<ThreadRun | undefined>;
  /** The latest change first, with how many there are in all. */
  list(
    tenant: string,
    query: ThreadRunQuery,
  ): Promise<{ readonly items: readonly ThreadRunRow[]; readonly total: number }>;
  /** Runs of a thread whose answers are not among its messages, oldest first. */
  unanswered(tenant: string, thread: ThreadRef, limit: number): Promise<readonly ThreadRun[]>;
  /** Keeps messages in this order; those that the run already has are left out. `answered` marks the run's answer as kept. */
  say(
    tenant: string,
    run: ThreadRun,
    said: { readonly messages: readonly ThreadMessage[]; readonly answered?: boolean },
  ): Promise<void>;
  /** The newest messages of a thread, or of one run, oldest of them first. */
  messages(
    tenant: string,
    of: ThreadRef | { readonly runId: string },
    limit: number,
  ): Promise<readonly ThreadMessage[]>;
  /** Forgets threads whose runs are gone and began before then; at most `limit` runs. */
  prune(beforeMs: number, limit: number): Promise<void>;
}
