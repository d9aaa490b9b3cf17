// Shared code of the two SQLite stores of flow states.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type {
  FlowSessionSummary,
  FlowSnapshot,
  FlowSnapshotSummary,
} from "../../flow/flow-store.ts";

export type SnapshotRow = Omit<SummaryRow, "seq" | "bytes"> & { readonly state: string };

export type SummaryRow = {
  readonly seq: number;
  readonly method: string;
  readonly bytes: number;
  readonly run_id: string;
  readonly key: string;
  readonly created_at: number;
};

/** Session row with its selected values as JSON texts in the columns `value_0`, `value_1`, … */
export type SessionRow = SummaryRow & {
  readonly flow_id: string;
  readonly oldest_at: number;
  readonly [value: `value_${number}`]: string | null | undefined;
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

export function sessionOf(row: SessionRow, names: readonly string[]): FlowSessionSummary {
  const { flow: _, ...summary } = summaryOf({ flow: "", flowId: row.flow_id }, row);
  const values = names.flatMap((name, index): ReadonlyArray<readonly [string, JsonValue]> => {
    const text = row[`value_${index}`];
    return typeof text === "string" ? [[name, JSON.parse(text) as JsonValue]] : [];
  });
  return { ...summary, oldestAtMs: row.oldest_at, values: Object.fromEntries(values) };
}
