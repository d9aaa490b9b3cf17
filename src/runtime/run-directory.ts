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

/** A run as a listing shows it: what the index over all runs knows. Rows that older versions have written say less. */
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
  /** Of a run that has ended: from its start to its end. */
  readonly durationMs?: number;
  /** What it has consumed, its children included, as of when it last waited or ended. */
  readonly usage?: SpentInAll;
  /** Open waits that somebody outside can end: with an answer, or with an event. */
  readonly waits: number;
  /** Why it failed; the message is cut to 200 characters. */
  readonly error?: Pick<ErrorRecord, "code" | "message">;
  /** The run that it was forked from. */
  readonly origin?: Pick<RunOrigin, "runId">;
  /** The run waits for code that fits it. */
  readonly held?: true;
  /** The deployment that last drove it, where that is known. */
  readonly codeVersion?: string;
  /** The version of its definition, where the code has several. */
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
  /** Runs that have all of these tags. */
  readonly tag?: string | readonly string[] | undefined;
  /** What started it: `api`, `schedule`, `hook`, `queue`, or one of those: `schedule:<id>`. */
  readonly trigger?: string | undefined;
  /** Only forks and replays of this run. */
  readonly origin?: string | undefined;
  /** Only runs that failed with this code. */
  readonly error?: string | undefined;
  /** `person`: only runs with a wait that somebody outside can end. */
  readonly waiting?: "person" | undefined;
  /** Only runs that are no children. */
  readonly top?: boolean | undefined;
  readonly minCostUsd?: number | undefined;
  /** Only runs that have ended and took so long. */
  readonly minDurationMs?: number | undefined;
  /** Whether the page says how many runs there are, and what they consumed. @default false */
  readonly count?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

export type RunPageSums = NonNullable<RunSummary["usage"]>;

/** A page of runs. It may be short or empty and still have a `nextCursor`: one page looks through 5,000 runs at most. */
export type RunPage = Page<RunSummary> & {
  /** How many of the newest runs fit, if that was asked for. */
  readonly count?: number;
  /** There may be more than those: the count looks through 10,000 runs at most. */
  readonly countCapped?: boolean;
  /**
   * What the counted runs have consumed. What children consumed is part of their parents', so children are left out, unless those of
   * one run are asked for.
   */
  readonly sums?: RunPageSums;
};

/** A wait as the inbox of those who answer shows it: which run waits, for what, since when. */
export type WaitSummary = Wait & {
  readonly openedAt: string;
  readonly run: Pick<Run, "id" | "kind" | "name" | "tags">;
};

export type WaitQuery = {
  readonly tenant: string;
  /** The name of what the run runs. */
  readonly name?: string | undefined;
  /** Of the wait, or of the run. */
  readonly kind?: string | undefined;
  /** Only those of this run. */
  readonly run?: string | undefined;
  /** Of the run. */
  readonly tag?: string | undefined;
  /** Words of the prompt: all of them. */
  readonly q?: string | undefined;
  /** `expires`: those that end by themselves first, the soonest first. @default the oldest first */
  readonly order?: "expires" | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
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

/** Which run of a directory is meant. */
export type RunAddress = [tenant: string, id: string];

/** The methods of a directory that pass one operation to one run: `pause(tenant, id)`, `resume(tenant, id, answer)`. */
export type DirectoryMethods = OperationMethods<typeof DIRECTORY_OPERATIONS, RunAddress>;

/** Passes one operation to one run of a directory. */
export interface DirectoryCaller {
  [CALL]<Name extends DirectoryOperation>(
    operation: Name,
    input: [...RunAddress, ...OperationInput<Name>],
  ): Promise<OperationResult<Name>>;
}

/**
 * All runs of a deployment. Every method is bounded to one tenant; another tenant's run is `not_found`, as one that never was.
 */
export interface RunDirectory extends DirectoryMethods, DirectoryCaller {
  /**
   * Starts a run, or returns the one that has its id. With `settleMs`, a run that is new is returned when it is finished or waits, in any
   * case after that time.
   */
  start(start: RunStart, settleMs?: number): Promise<Run>;
  /** The same as `status`. */
  get(tenant: string, id: string): Promise<Run>;
  /** Newest first. Throws `invalid_input` for a query that cannot be answered, such as a cursor of another one. */
  list(query: RunQuery): Promise<RunPage>;
  /** What runs wait for from outside, the oldest first. Eventually consistent: a new wait appears after a short delay. */
  waits(query: WaitQuery): Promise<Page<WaitSummary>>;
  /** A new run that takes over what the other had on record before a point. `inputs` replace the other run's. */
  fork(tenant: string, id: string, request: ForkRequest): Promise<Run>;
  /** Forgets a finished run whole; `conflict` for one that is not finished. Its id is free again. */
  delete(tenant: string, id: string): Promise<void>;
  /** Ids of finished runs, oldest first. */
  prunable(query: PruneQuery): Promise<readonly string[]>;
  /**
   * The live event stream of a run: passes an HTTP request on to where the run lives and returns its response. SSE, or a
   * WebSocket when the request asks for an upgrade. `Last-Event-ID` or `?after=` names the last `seq` the caller has;
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
