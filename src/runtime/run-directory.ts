import type { Checkpoint } from "./checkpoints.ts";
import type { EventReceipt, OutsideEvent } from "./outside-events.ts";
import type { ResumeRequest } from "./run-handle.ts";
import type { Run, RunKind, RunStart, RunStatus, Step, Wait } from "./run.ts";

/** A page of a listing. `nextCursor` is opaque; it is absent on the last page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };

/** A run as a listing shows it: what the index over all runs knows. */
export type RunSummary = Pick<Run, "id" | "kind" | "name" | "status" | "createdAt" | "parent"> & {
  readonly updatedAt: string;
};

export type RunQuery = {
  readonly tenant: string;
  readonly kind?: RunKind | undefined;
  readonly name?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Only the children of this run. */
  readonly parent?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

/** A wait as the inbox of those who answer shows it: which run waits, for what, since when. */
export type WaitSummary = Wait & {
  readonly openedAt: string;
  readonly run: Pick<Run, "id" | "kind" | "name">;
};

export type WaitQuery = {
  readonly tenant: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

/**
 * Where a new run takes over another one's record: before a step, before a task, which is the step of that name, or up to a
 * checkpoint.
 */
export type ForkPoint =
  | { readonly fromStep: string }
  | { readonly fromTask: string }
  | { readonly fromCheckpoint: string };

export type ForkRequest = {
  readonly newId: string;
  readonly from: ForkPoint;
  readonly inputs?: RunStart["inputs"] | undefined;
  /** A name for the fork. @default its id */
  readonly branch?: string | undefined;
};

/** Which finished runs may be forgotten. */
export type PruneQuery = {
  readonly tenant: string;
  /** Those that have not changed since; milliseconds since the epoch. */
  readonly beforeMs: number;
  /** Never the newest so many of the finished ones. */
  readonly keep: number;
  readonly limit: number;
};

/**
 * All runs of a deployment. Every method is bounded to one tenant; another tenant's run is `not_found`, as one that never was.
 */
export interface RunDirectory {
  /** Starts a run, or answers the one that has its id. */
  start(start: RunStart): Promise<Run>;
  get(tenant: string, id: string): Promise<Run>;
  /** Resolves when the run is finished or waits, and in any case after `timeoutMs`. */
  settled(tenant: string, id: string, timeoutMs: number): Promise<Run>;
  list(query: RunQuery): Promise<Page<RunSummary>>;
  /** What runs wait for from outside, the oldest first. Told a moment after it has begun. */
  waits(query: WaitQuery): Promise<Page<WaitSummary>>;
  steps(
    tenant: string,
    id: string,
    options: { cursor?: string | undefined; limit: number; values: boolean },
  ): Promise<Page<Step>>;
  resume(tenant: string, id: string, answer: ResumeRequest): Promise<Run>;
  /** See `RunHandle.sendEvent`. */
  sendEvent(tenant: string, id: string, event: OutsideEvent): Promise<EventReceipt>;
  cancel(tenant: string, id: string, reason: string | undefined): Promise<Run>;
  pause(tenant: string, id: string): Promise<Run>;
  unpause(tenant: string, id: string): Promise<Run>;
  /** A new run that takes over what the other had on record before a point. `inputs` replace the other run's. */
  fork(tenant: string, id: string, request: ForkRequest): Promise<Run>;
  /** The finished tasks, oldest first. `values` adds what they gave. */
  checkpoints(
    tenant: string,
    id: string,
    options: { values: boolean },
  ): Promise<readonly Checkpoint[]>;
  /** Forgets a finished run whole; `conflict` for one that is not finished. Its id is free again. */
  delete(tenant: string, id: string): Promise<void>;
  /** Ids of finished runs, oldest first. */
  prunable(query: PruneQuery): Promise<readonly string[]>;
  /**
   * The live event stream of a run: passes an HTTP request on to where the run lives and answers its response. SSE, or a
   * WebSocket when the request asks for an upgrade. `Last-Event-ID` or `?after=` names the last `seq` the caller has;
   * `?types=` is a comma-separated list.
   */
  events(tenant: string, id: string, request: Request): Promise<Response>;
  /** Has runs tell the index anew. Unknown ids are skipped. Returns how many did. */
  reindex(tenant: string, ids: readonly string[]): Promise<number>;
}
