import type { JsonObject } from "../base/json.ts";
import type { ContentPart } from "../llm/language-model.ts";
import type { RunStatus } from "../runtime/run.ts";

/** End of the protocol of a row of a thread itself. */
export const OF_THREADS = "-threads";

/** A run of a thread, or the row of a thread itself: its kind is empty, its protocol ends with `OF_THREADS`. */
export type ThreadRun = {
  readonly runId: string;
  readonly protocol: string;
  readonly threadId: string;
  /** The run's subject. */
  readonly kind: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** The protocol's own data. */
  readonly data: JsonObject;
};

/** A run of a thread, with its state in the index over all runs. */
export type ThreadRunRow = ThreadRun & {
  readonly status: RunStatus;
  /** True if it waits for somebody outside. */
  readonly isAsking: boolean;
  readonly updatedAtMs: number;
};

/** A message of a thread. */
export type ThreadMessage = {
  /** Unique within the run. */
  readonly id: string;
  readonly runId: string;
  readonly role: "user" | "agent";
  readonly content: string | readonly ContentPart[];
  /** The protocol's own data, such as the original message. */
  readonly data?: JsonObject;
  readonly createdAtMs: number;
};

/** Identity of a thread. */
export type ThreadRef = { readonly protocol: string; readonly threadId: string };

export type ThreadRunQuery = {
  readonly protocol: string;
  readonly threadId?: string | undefined;
  readonly subject?: { readonly kind: string; readonly name: string } | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Only runs waiting for somebody outside, or only others. */
  readonly isAsking?: boolean | undefined;
  /** Only runs with this `label` in their own data; null: without a label. */
  readonly label?: string | null | undefined;
  /** Only runs changed at this time or later, milliseconds since the epoch. */
  readonly updatedSinceMs?: number | undefined;
  /** Continues after this row. */
  readonly after?: Pick<ThreadRunRow, "updatedAtMs" | "runId"> | undefined;
  readonly limit: number;
};

/** Threads of all tenants. Each call sees only its tenant's rows. */
export interface ThreadStore {
  /** Adds a run. False, without a change, for an existing one. */
  add(tenant: string, run: ThreadRun): Promise<boolean>;
  get(tenant: string, runId: string): Promise<ThreadRun | undefined>;
  /** Replaces the protocol's own data. */
  setData(tenant: string, runId: string, data: JsonObject): Promise<void>;
  /** Returns the latest run of a thread. */
  latest(tenant: string, thread: ThreadRef): Promise<ThreadRun | undefined>;
  /** Lists runs, the latest change first, with their total number. */
  list(
    tenant: string,
    query: ThreadRunQuery,
  ): Promise<{ readonly items: readonly ThreadRunRow[]; readonly total: number }>;
  /** Lists runs of a thread without stored answers, oldest first. */
  unanswered(tenant: string, thread: ThreadRef, limit: number): Promise<readonly ThreadRun[]>;
  /** Stores messages in this order, without those the run already has. `answered` marks the run's answer as stored. */
  say(
    tenant: string,
    run: ThreadRun,
    said: { readonly messages: readonly ThreadMessage[]; readonly answered?: boolean },
  ): Promise<void>;
  /** Lists the newest messages of a thread, or of one run, oldest of them first. */
  messages(
    tenant: string,
    of: ThreadRef | { readonly runId: string },
    limit: number,
  ): Promise<readonly ThreadMessage[]>;
  /**
   * Deletes threads of deleted runs that began before this time, at most `limit` runs; the row of a thread itself goes
   * after its last run, at the earliest 30 days before this time.
   */
  prune(beforeMs: number, limit: number): Promise<void>;
}
