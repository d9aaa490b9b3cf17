// A run's row in the index: its columns and its public form.
import { isoTime } from "../../base/clock.ts";
import type { ErrorCode } from "../../base/error.ts";
import type { RunSummary } from "../../runtime/run-directory.ts";
import type { ListedFacts, RunIndexRow, RunKind, RunStatus } from "../../runtime/run.ts";

type Value = string | number | null;

export type RunRow = {
  readonly id: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly status: RunStatus;
  readonly created_at: number;
  readonly updated_at: number;
  readonly parent_id: string | null;
  readonly parent_key: string | null;
  readonly held_version: string | null;
  readonly definition_version: string | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly requests: number | null;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly waits: number;
  readonly error_code: ErrorCode | null;
  readonly error: string | null;
  readonly tags: string | null;
  readonly started_by: string | null;
  readonly origin_id: string | null;
  readonly code_version: string | null;
};

/** Columns of `RunRow`. */
export const SUMMARY_COLUMNS = [
  "id",
  "kind",
  "name",
  "status",
  "created_at",
  "updated_at",
  "parent_id",
  "parent_key",
  "held_version",
  "definition_version",
  "started_at",
  "finished_at",
  "requests",
  "tokens",
  "cost",
  "waits",
  "error_code",
  "error",
  "tags",
  "started_by",
  "origin_id",
  "code_version",
] as const satisfies readonly (keyof RunRow)[];

/**
 * Expression for the next place in a tenant's order of changes; `?1` is the tenant. A partial index serves only queries
 * that repeat its condition.
 */
export const NEXT_CHANGE = `1 + MAX(
  COALESCE((SELECT MAX(change) FROM runs WHERE tenant = ?1 AND change IS NOT NULL), 0),
  COALESCE((SELECT MAX(change) FROM run_tombstones WHERE tenant = ?1), 0))`;

/** Columns present only in some rows. A row without one leaves the stored value unchanged. */
const KEPT: ReadonlySet<string> = new Set(["requests", "tokens", "cost", "usage", "text"]);

/** Version of a run at the start of its first drive; it was queued before. */
const FIRST_DRIVE = 2;

/**
 * Columns of a run that never change. Setting a column costs a row in each of its indexes, even if the value stays the
 * same.
 */
const FIXED = ["kind", "name", "created_at", "parent_id", "parent_key", "origin_id"] as const;

/**
 * Returns the statement for entering a run, and its values. The statement returns the stored constant columns of the
 * run, or no row if the report is not newer. `?1` is the tenant. `withChanges`: the row gets a place in the order of
 * changes from its first report on; an announced run may never start, and a place costs a row.
 */
export function runStatement(
  row: RunIndexRow,
  { withText, withChanges }: { readonly withText: boolean; readonly withChanges: boolean },
): { readonly sql: string; readonly values: readonly Value[] } {
  const columns: Record<string, Value> = { ...columnsOf(row) };
  if (row.sums !== undefined) columns["usage"] = JSON.stringify(row.sums.spent);
  if (withText && row.listed?.text !== undefined) columns["text"] = row.listed.text;
  const names = Object.keys(columns);
  const fixed = new Set<string>(isFirstReport(row) ? [...FIXED, "lease_until"] : FIXED);
  const set = names
    .filter((name) => name !== "tenant" && name !== "id" && !fixed.has(name))
    .map((name) =>
      KEPT.has(name)
        ? `${name} = COALESCE(excluded.${name}, runs.${name})`
        : `${name} = excluded.${name}`,
    );
  const marks = names.map((_, at) => `?${at + 1}`);
  if (withChanges && row.version > 0) {
    names.push("change");
    marks.push(NEXT_CHANGE);
    set.push("change = excluded.change");
  }
  return {
    sql: `INSERT INTO runs (${names.join(", ")}) VALUES (${marks.join(", ")})
      ON CONFLICT (tenant, id) DO UPDATE SET ${set.join(", ")} WHERE excluded.version > runs.version
      RETURNING ${FIXED.join(", ")}`,
    values: Object.values(columns),
  };
}

/** True for the first report of a run. The lease of its announcement continues. */
function isFirstReport({ status, version }: RunIndexRow): boolean {
  return status === "running" && version === FIRST_DRIVE;
}

/**
 * True if the columns returned by `runStatement` are this run's; false if another start of the same id announced them.
 */
export function isOfSameStart(row: RunIndexRow, entered: unknown): boolean {
  const columns = columnsOf(row);
  const found = entered as Readonly<Record<string, Value>>;
  return FIXED.every((name) => found[name] === columns[name]);
}

/**
 * Corrects the announcement of a run if another start of the same id began it. Runs after the statement for entering
 * the run if its result differed or, for a report that is not newer, was empty. Writes only if there is a difference.
 */
export function correction(row: RunIndexRow): {
  readonly sql: string;
  readonly values: readonly Value[];
} {
  const columns = columnsOf(row);
  const [set, names] = [
    FIXED.map((name, at) => `${name} = ?${at + 4}`).join(", "),
    FIXED.join(", "),
  ];
  return {
    sql: `UPDATE runs SET ${set} WHERE tenant = ?1 AND id = ?2 AND version = ?3 AND (${names}) IS NOT (${FIXED.map((_, at) => `?${at + 4}`).join(", ")})`,
    values: [row.tenant, row.id, row.version, ...FIXED.map((name) => columns[name] ?? null)],
  };
}

function columnsOf(row: RunIndexRow): Readonly<Record<string, Value>> {
  const listed: ListedFacts = row.listed ?? {}; // absent in rows from older versions
  return {
    tenant: row.tenant,
    id: row.id,
    kind: row.kind,
    name: row.name,
    status: row.status,
    created_at: row.createdAtMs,
    updated_at: row.updatedAtMs,
    version: row.version,
    lease_until: row.leaseUntilMs,
    parent_id: row.parent?.id ?? null,
    parent_key: row.parent?.key ?? null,
    held_version: row.heldVersion ?? null,
    definition_version: row.definitionVersion ?? null,
    started_at: listed.startedAtMs ?? null,
    finished_at: listed.finishedAtMs ?? null,
    requests: listed.usage?.requests ?? null,
    tokens: listed.usage?.tokens ?? null,
    cost: listed.usage?.costUsd ?? null,
    waits: listed.waits ?? 0,
    error_code: listed.error?.code ?? null,
    error: listed.error?.message ?? null,
    tags: tagsOf(row),
    started_by: listed.startedBy ?? null,
    origin_id: listed.originId ?? null,
    code_version: listed.codeVersion ?? null,
  };
}

/** Returns the tags as stored in the row. */
export function tagsOf({ listed }: RunIndexRow): string | null {
  return listed?.tags === undefined || listed.tags.length === 0
    ? null
    : JSON.stringify(listed.tags);
}

export function toSummary(row: RunRow): RunSummary {
  const { id, kind, name, status, started_at: startedAt, finished_at: finishedAt } = row;
  return {
    id,
    kind,
    name,
    status,
    ...(row.held_version === null ? undefined : { held: true }),
    ...(row.definition_version === null
      ? undefined
      : { definitionVersion: row.definition_version }),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    ...(startedAt === null ? undefined : { startedAt: isoTime(startedAt) }),
    ...(finishedAt === null
      ? undefined
      : {
          finishedAt: isoTime(finishedAt),
          durationMs: Math.max(0, finishedAt - (startedAt ?? row.created_at)),
        }),
    ...(row.tokens === null
      ? undefined
      : { usage: { tokens: row.tokens, costUsd: row.cost ?? 0, requests: row.requests ?? 0 } }),
    waits: row.waits,
    ...(row.error_code === null
      ? undefined
      : { error: { code: row.error_code, message: row.error ?? "" } }),
    ...(row.tags === null ? undefined : { tags: JSON.parse(row.tags) as readonly string[] }),
    ...(row.started_by === null ? undefined : { trigger: row.started_by }),
    ...(row.origin_id === null ? undefined : { origin: { runId: row.origin_id } }),
    ...(row.code_version === null ? undefined : { codeVersion: row.code_version }),
    ...(row.parent_id === null
      ? undefined
      : { parent: { id: row.parent_id, key: row.parent_key ?? "" } }),
  };
}
