import type { StepRecord } from "../journal/journal-store.ts";
import type { Checkpoint } from "../runtime/checkpoints.ts";
import type { ChildReport } from "../runtime/child-run.ts";
import type { ForkPoint, Page } from "../runtime/run-directory.ts";
import type { EventReceipt, OutsideEvent } from "../runtime/outside-events.ts";
import type { ResumeRequest } from "../runtime/run-handle.ts";
import type { ForkRecord } from "../runtime/fork.ts";
import type { Run, RunStart, Step } from "../runtime/run.ts";
import type { RpcResult } from "./rpc-result.ts";

/** What a run's object answers over RPC. Beside it, `fetch` gives the event stream. */
export interface RunObjectApi {
  start(start: RunStart, adopt?: readonly StepRecord[]): Promise<RpcResult<Run>>;
  /** As `start`, for a child; tells nothing of it. */
  begin(start: RunStart): Promise<RpcResult<void>>;
  /** What children of this run are to be started with; undefined for those that nobody waits for. */
  childStarts(runIds: readonly string[]): Promise<RpcResult<ReadonlyArray<RunStart | undefined>>>;
  /** Hears which children have begun, or are not to: their dispatch is not owed any more. */
  childrenBegun(runIds: readonly string[]): Promise<RpcResult<void>>;
  /** Takes the report of a child; a second one changes nothing. */
  childEnded(report: ChildReport): Promise<RpcResult<void>>;
  status(): Promise<RpcResult<Run>>;
  settled(timeoutMs: number): Promise<RpcResult<Run>>;
  steps(options: {
    cursor?: string | undefined;
    limit: number;
    values: boolean;
  }): Promise<RpcResult<Page<Step>>>;
  resume(answer: ResumeRequest): Promise<RpcResult<Run>>;
  sendEvent(event: OutsideEvent): Promise<RpcResult<EventReceipt>>;
  cancel(reason: string | undefined): Promise<RpcResult<Run>>;
  pause(): Promise<RpcResult<Run>>;
  unpause(): Promise<RpcResult<Run>>;
  recordBefore(point: ForkPoint): Promise<RpcResult<ForkRecord>>;
  checkpoints(options: { values: boolean }): Promise<RpcResult<readonly Checkpoint[]>>;
  /** Forgets a finished run whole. */
  forget(): Promise<RpcResult<void>>;
  /** Sees to it that the run goes on; false when there is none. */
  poke(): Promise<RpcResult<boolean>>;
  reindex(): Promise<RpcResult<boolean>>;
}

/** The name of a run's object. Another tenant's run has another name, and so does not exist. */
export function runObjectName(tenant: string, id: string): string {
  return `t:${tenant}/run:${id}`;
}
