import type { ErrorRecord } from "../base/error.ts";
import { type CALL, methodClass } from "../base/method-class.ts";
import type { ForkRequest } from "./fork-request.ts";
import type { Page } from "./page.ts";
import {
  DIRECTORY_OPERATIONS,
  type DirectoryOperation,
  type OperationInput,
  type OperationMethods,
  type OperationResult,
} from "./run-operations.ts";
import type { Run, RunKind, RunOrigin, RunStart, RunStatus, SpentInAll, Wait } from "./run.ts";

export type { ForkPoint, ForkRequest } from "./fork-request.ts";
export type { Page } from "./page.ts";

/** A run in a listing, from the index over all runs. Rows written by older versions have fewer fields. */
export type RunSummary = Pick<
  Run,
  | "id"
  | "kind"
  | "name"
  | "status"
  | "createdAt"
  | "startedAt"
  | "finishedAt"
  | "parent"
  | "tags"
  | "trigger"
> & {
  readonly updatedAt: string;
  /** Time from start to end of an ended run. */
  readonly durationMs?: number;
  /** Usage of the run and its children, as of its last wait or its end. */
  readonly usage?: SpentInAll;
  /** Number of open waits for an outside answer or event. */
  readonly waits: number;
  /** Failure of the run; the message is cut to 200 characters. */
  readonly error?: Pick<ErrorRecord, "code" | "message">;
  /** Original run of a fork. */
  readonly origin?: Pick<RunOrigin, "runId">;
  /** Set while the run waits for matching code. */
  readonly held?: true;
  /** Deployment of the last drive, if known. */
  readonly codeVersion?: string;
  /** Version of its definition, if the code has several. */
  readonly definitionVersion?: string;
};

export type RunQuery = {
  readonly tenant: string;
  readonly kind?: RunKind | readonly RunKind[] | undefined;
  readonly name?: string | undefined;
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** Only the children of this run. */
  readonly parent?: string | undefined;
  /** Only held runs. */
  readonly held?: boolean | undefined;
  readonly definitionVersion?: string | undefined;
  /** Created at this time or later. ISO 8601. */
  readonly from?: string | undefined;
  /** Created before this time. ISO 8601. */
  readonly to?: string | undefined;
  /** Words of the run: all of them, `"a phrase"`, `begin*`; or how its id begins. */
  readonly q?: string | undefined;
  /** Only runs with all of these tags. */
  readonly tag?: string | readonly string[] | undefined;
  /** Origin of the run: `api`, `schedule`, `hook`, `queue`, or a single one of those: `schedule:<id>`. */
  readonly trigger?: string | undefined;
  /** Only forks and replays of this run. */
  readonly origin?: string | undefined;
  /** Only runs with this failure code. */
  readonly error?: string | undefined;
  /** `person`: only runs with a wait for an outside answer. */
  readonly waiting?: "person" | undefined;
  /** Only runs without a parent. */
  readonly top?: boolean | undefined;
  readonly minCostUsd?: number | undefined;
  /** Only ended runs of at least this duration. */
  readonly minDurationMs?: number | undefined;
  /** Adds the number of runs and their usage to the page. @default false */
  readonly count?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

export type RunPageSums = NonNullable<RunSummary["usage"]>;

/** A page of runs. It may be short or empty and still have a `nextCursor`: one page looks through 5,000 runs at most. */
export type RunPage = Page<RunSummary> & {
  /** Number of matching runs among the newest ones, if requested. */
  readonly count?: number;
  /** True if there may be more: the count scans at most 10,000 runs. */
  readonly countCapped?: boolean;
  /**
   * Usage of the counted runs. Children are left out, because their usage is part of their parents', unless the query
   * selects the children of one run.
   */
  readonly sums?: RunPageSums;
};

/** A wait in the inbox for answering people: its run, its question, its age. */
export type WaitSummary = Wait & {
  readonly openedAt: string;
  readonly run: Pick<Run, "id" | "kind" | "name" | "tags">;
};

export type WaitQuery = {
  readonly tenant: string;
  /** Name of the run's definition. */
  readonly name?: string | undefined;
  /** Kind of the wait, or of the run. */
  readonly kind?: string | undefined;
  /** Only waits of this run. */
  readonly run?: string | undefined;
  /** Tag of the run. */
  readonly tag?: string | undefined;
  /** Words of the prompt: all of them. */
  readonly q?: string | undefined;
  /** `expires`: waits with a time limit first, by their expiry. @default the oldest first */
  readonly order?: "expires" | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

/** Query for finished runs to delete. */
export type PruneQuery = {
  readonly tenant: string;
  /** Only runs unchanged since this time; milliseconds since the epoch. */
  readonly beforeMs: number;
  /** Number of the newest finished runs to exclude. */
  readonly keep: number;
  readonly limit: number;
};

/** Address of a run in a directory. */
export type RunAddress = [tenant: string, id: string];

/** Methods of a directory for one operation of one run each: `pause(tenant, id)`, `resume(tenant, id, answer)`. */
export type DirectoryMethods = OperationMethods<typeof DIRECTORY_OPERATIONS, RunAddress>;

/** Passes one operation to one run of a directory. */
export interface DirectoryCaller {
  [CALL]<Name extends DirectoryOperation>(
    operation: Name,
    input: [...RunAddress, ...OperationInput<Name>],
  ): Promise<OperationResult<Name>>;
}

/**
 * All runs of a deployment. Every method is limited to one tenant; another tenant's run is `not_found`, like an unknown
 * one.
 */
export interface RunDirectory extends DirectoryMethods, DirectoryCaller {
  /**
   * Starts a run, or returns the existing run with its id. With `settleMs`, returns a new run once it is finished or
   * waits, and in any case after this time.
   */
  start(start: RunStart, settleMs?: number): Promise<Run>;
  /** The same as `status`. */
  get(tenant: string, id: string): Promise<Run>;
  /** Newest first. Throws `invalid_input` for an unanswerable query, such as one with another query's cursor. */
  list(query: RunQuery): Promise<RunPage>;
  /**
   * Returns the open waits of runs for outside answers and events, oldest first. Eventually consistent: a new wait
   * appears after a short delay.
   */
  waits(query: WaitQuery): Promise<Page<WaitSummary>>;
  /** Starts a new run that takes over the other run's record up to a point. `inputs` replace the other run's. */
  fork(tenant: string, id: string, request: ForkRequest): Promise<Run>;
  /** Deletes a finished run completely; `conflict` for an unfinished one. Its id is free again. */
  delete(tenant: string, id: string): Promise<void>;
  /** Ids of finished runs, oldest first. */
  prunable(query: PruneQuery): Promise<readonly string[]>;
  /**
   * Returns the live event stream of a run: forwards an HTTP request to the run's host and returns its response. SSE,
   * or a WebSocket if the request asks for an upgrade. `Last-Event-ID` or `?after=` names the last `seq` of the caller;
   * `?types=` is a comma-separated list. `?follow=1` keeps Server-Sent Events open while the run waits.
   */
  events(tenant: string, id: string, request: Request): Promise<Response>;
  /** Has runs write their rows of the index again. Unknown ids are skipped. Returns how many did. */
  reindex(tenant: string, ids: readonly string[]): Promise<number>;
}

/** A directory with the methods of the table, over `[CALL]`. */
export const OperationsDirectory = methodClass<DirectoryCaller & DirectoryMethods>(
  DIRECTORY_OPERATIONS,
);
