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
import type { Run, RunKind, RunStart, RunStatus, Wait } from "./run.ts";

export type { ForkPoint, ForkRequest } from "./fork-request.ts";
export type { Page } from "./page.ts";

/** A run as a listing shows it: what the index over all runs knows. */
export type RunSummary = Pick<Run, "id" | "kind" | "name" | "status" | "createdAt" | "parent"> & {
  readonly updatedAt: string;
  /** The run waits for code that fits it. */
  readonly held?: true;
  /** The version of its definition, where the code has several. */
  readonly definitionVersion?: string;
};

export type RunQuery = {
  readonly tenant: string;
  readonly kind?: RunKind | undefined;
  readonly name?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Only the children of this run. */
  readonly parent?: string | undefined;
  /** Only held runs. */
  readonly held?: boolean | undefined;
  readonly definitionVersion?: string | undefined;
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
  /** Starts a run, or returns the one that has its id. */
  start(start: RunStart): Promise<Run>;
  /** The same as `status`. */
  get(tenant: string, id: string): Promise<Run>;
  list(query: RunQuery): Promise<Page<RunSummary>>;
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
