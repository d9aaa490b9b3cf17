// Changes of memory records in D1, as statements of one batch, which D1 runs as one transaction.
//
// The first statements note the name of the change and decide if it is open. The other statements take effect only if
// it is.
import { EngineError } from "../../base/error.ts";
import type { MemoryRecord } from "../../memory/memory-record.ts";
import type { RecordChange } from "../../memory/memory-records.ts";
import { recordsWhere, scopeCondition, type Bound, type Sql } from "./memory-conditions.ts";
import { inJson, INSERT_ROWS, IS_OPEN, UPDATE_ROWS } from "./memory-rows.ts";
import { forgetNeighbour, writeWords } from "./memory-words.ts";

/** Lifetime of the names of changes. */
const OP_LIFETIME_MS = 90 * 86_400_000;

/** Returns the statements of a change. `around` are neighbours of its records that are stored already. */
export function changeStatements(
  tenant: string,
  { op, atMs, since, needs = [], deletes = [], updates = [], inserts = [] }: RecordChange,
  around: readonly MemoryRecord[],
): readonly Sql[] {
  const named: readonly Bound[] = [tenant, op];
  const before = since === undefined ? undefined : scopeCondition(since.scope);
  const isOvertaken =
    before === undefined
      ? "0"
      : `EXISTS (SELECT 1 FROM memories m WHERE m.tenant = ? AND m.version > ? AND ${before.text})`;
  const areThere =
    "(SELECT count(*) FROM memories m WHERE m.tenant = ? AND m.id IN (SELECT value FROM json_each(?)))";
  const isConflict = `${isOvertaken} OR ${areThere} < ?`;
  return [
    { text: "INSERT OR IGNORE INTO memory_state (tenant, seq) VALUES (?, 0)", values: [tenant] },
    {
      text: `INSERT OR IGNORE INTO memory_writes (tenant, op, state, result, at) SELECT ?, ?, CASE WHEN ${isConflict} THEN 'conflict' ELSE 'open' END, 0, ?`,
      values: [
        ...named,
        ...(before === undefined ? [] : [tenant, since?.mark ?? 0, ...before.values]),
        tenant,
        JSON.stringify(needs),
        new Set(needs).size,
        atMs,
      ],
    },
    {
      text: `UPDATE memory_state SET seq = seq + 1 WHERE tenant = ?1 AND ${IS_OPEN}`,
      values: named,
    },
    ...(deletes.length === 0
      ? []
      : [
          forgetNeighbour(tenant, recordsWhere(tenant, { ids: deletes }), isOpen(tenant, op)),
          {
            text: `DELETE FROM memories WHERE tenant = ?1 AND id IN (SELECT value FROM json_each(?3)) AND ${IS_OPEN}`,
            values: [...named, JSON.stringify(deletes)],
          },
        ]),
    ...inJson(updates).map((json) => ({ text: UPDATE_ROWS, values: [...named, json] })),
    ...inJson(inserts).map((json) => ({ text: INSERT_ROWS, values: [...named, json] })),
    ...writeWords(tenant, op, { records: [...updates, ...inserts], around }),
    {
      text: `UPDATE memory_writes SET state = 'done', result = (SELECT seq FROM memory_state WHERE tenant = ?1) WHERE tenant = ?1 AND op = ?2 AND state = 'open'`,
      values: named,
    },
    ...readOutcome(tenant, op, atMs),
  ];
}

/** Returns the statements that delete all records meeting `where`. */
export function deletionStatements(
  tenant: string,
  { op, atMs, where }: { readonly op: string; readonly atMs: number; readonly where: Sql },
): readonly Sql[] {
  const open = isOpen(tenant, op);
  return [
    {
      text: `INSERT OR IGNORE INTO memory_writes (tenant, op, state, result, at)
        SELECT ?, ?, 'open', (SELECT count(*) FROM memories m WHERE ${where.text}), ?`,
      values: [tenant, op, ...where.values, atMs],
    },
    forgetNeighbour(tenant, where, open),
    {
      text: `DELETE FROM memories AS m WHERE ${where.text} AND ${open.text}`,
      values: [...where.values, ...open.values],
    },
    {
      text: "UPDATE memory_writes SET state = 'done' WHERE tenant = ? AND op = ? AND state = 'open'",
      values: [tenant, op],
    },
    ...readOutcome(tenant, op, atMs),
  ];
}

function isOpen(tenant: string, op: string): Sql {
  return {
    text: "EXISTS (SELECT 1 FROM memory_writes w WHERE w.tenant = ? AND w.op = ? AND w.state = 'open')",
    values: [tenant, op],
  };
}

/** Reads the outcome of a change and deletes names of old changes. */
function readOutcome(tenant: string, op: string, atMs: number): readonly Sql[] {
  return [
    {
      text: "DELETE FROM memory_writes WHERE tenant = ? AND at < ?",
      values: [tenant, atMs - OP_LIFETIME_MS],
    },
    {
      text: "SELECT state, result FROM memory_writes WHERE tenant = ? AND op = ?",
      values: [tenant, op],
    },
  ];
}

/** Reads the result of the last statement of a change. */
export function outcomeOf(rows: ReadonlyArray<readonly unknown[]>): {
  state: string;
  result: number;
} {
  const [outcome] = rows.at(-1) ?? [];
  if (outcome !== undefined) return outcome as { state: string; result: number };
  throw new EngineError("internal", "a change of memory records left no trace");
}
