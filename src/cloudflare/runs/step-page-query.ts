import type { StepQuery } from "../../journal/journal-store.ts";
import type { SqlValue } from "./sql-run-store.ts";

/** A query for a page of steps. What lies below a key is found by the index of keys. */
export function stepPageQuery(
  { order, after, limit, under, depth, kinds, states, text }: StepQuery,
  columns: string,
): { readonly sql: string; readonly bindings: readonly SqlValue[] } {
  const conditions: string[] = [];
  const bindings: SqlValue[] = [];
  const where = (condition: string, ...values: readonly SqlValue[]): void => {
    conditions.push(condition);
    bindings.push(...values);
  };
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    if (values !== undefined)
      where(`${column} IN (${values.map(() => "?").join(", ")})`, ...values);
  };
  const inside = under === undefined ? "" : ` WHERE key > ? AND key < ?`;
  const range = under === undefined ? [] : [`${under}/`, `${under}0`]; // 0 is the character after /
  if (depth !== undefined) bindings.push(...range, depth);
  const levels =
    depth === undefined
      ? ""
      : `WITH RECURSIVE inside AS MATERIALIZED (SELECT key AS own, parent AS above FROM steps${inside}),
        level(own, depth) AS (
          SELECT own, 1 FROM inside WHERE above IS NULL OR above NOT IN (SELECT own FROM inside)
          UNION ALL SELECT inside.own, depth + 1 FROM level JOIN inside ON inside.above = level.own WHERE depth < ?) `;
  if (depth !== undefined) where(`key IN (SELECT own FROM level)`);
  else if (under !== undefined) where(`key > ? AND key < ?`, ...range);
  if (after !== undefined) where(`started_seq ${order === "asc" ? ">" : "<"} ?`, after);
  oneOf("kind", kinds);
  oneOf("state", states);
  if (text !== undefined) where(`instr(key, ?) > 0`, text);
  const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return {
    sql: `${levels}SELECT ${columns} FROM steps${filter} ORDER BY started_seq ${order === "asc" ? "ASC" : "DESC"} LIMIT ?`,
    bindings: [...bindings, limit],
  };
}
