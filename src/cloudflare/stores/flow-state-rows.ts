// What both stores of flows' states in SQLite have in common.
import type { JsonObject } from "../../base/json.ts";
import type { FlowSnapshot, FlowSnapshotSummary } from "../../flow/flow-store.ts";

export type SnapshotRow = Omit<SummaryRow, "seq" | "bytes"> & { readonly state: string };

export type SummaryRow = {
  readonly seq: number;
  readonly method: string;
  readonly bytes: number;
  readonly run_id: string;
  readonly key: string;
  readonly created_at: number;
};

type Owner = { readonly flow: string; readonly flowId: string };

export function snapshotOf(owner: Owner, row: SnapshotRow): FlowSnapshot {
  const { method, run_id: runId, key, created_at: createdAtMs, state } = row;
  return { ...owner, method, state: JSON.parse(state) as JsonObject, runId, key, createdAtMs };
}

export function summaryOf(owner: Owner, row: SummaryRow): FlowSnapshotSummary {
  const { seq, method, bytes, run_id: runId, key, created_at: createdAtMs } = row;
  return { ...owner, method, runId, key, createdAtMs, seq, bytes };
}
