// Filters of memory records as SQL conditions on `memories m`.
import type { JsonValue } from "../../base/json.ts";
import type { RecordFilter } from "../../memory/memory-records.ts";
import { canonical } from "../../memory/record-filter.ts";
import { BEGINNING } from "./memory-rows.ts";

export type Bound = string | number | null;
export type Sql = { readonly text: string; readonly values: readonly Bound[] };

/** Returns the conditions for the tenant and for all fields of the filter (MR1, MR6). */
export function recordsWhere(tenant: string, filter: RecordFilter): Sql {
  const { scope, categories, metadata, ids, contents, beforeMs, fromMs, visibleTo } = filter;
  const parts: Sql[] = [{ text: "m.tenant = ?", values: [tenant] }];
  if (scope !== undefined) parts.push(scopeCondition(scope));
  if (ids !== undefined)
    parts.push({
      text: "m.id IN (SELECT value FROM json_each(?))",
      values: [JSON.stringify(ids)],
    });
  if (contents !== undefined)
    parts.push({
      text: `${BEGINNING("m.content")} IN (SELECT ${BEGINNING("value")} FROM json_each(?)) AND m.content IN (SELECT value FROM json_each(?))`,
      values: [JSON.stringify(contents), JSON.stringify(contents)],
    });
  if (categories !== undefined)
    parts.push({
      text: "EXISTS (SELECT 1 FROM json_each(m.categories) c WHERE c.value IN (SELECT value FROM json_each(?)))",
      values: [JSON.stringify(categories)],
    });
  for (const [key, value] of Object.entries(metadata ?? {})) parts.push(fieldCondition(key, value));
  if (beforeMs !== undefined) parts.push({ text: "m.created_at < ?", values: [beforeMs] });
  if (fromMs !== undefined) parts.push({ text: "m.created_at >= ?", values: [fromMs] });
  if (visibleTo !== undefined)
    parts.push({ text: "(m.private = 0 OR m.source IS ?)", values: [visibleTo] });
  return {
    text: parts.map(({ text }) => text).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}

/**
 * Matches a scope and the scopes below it as a range: exact, and served by an index. `0` is the character after `/`.
 */
export function scopeCondition(scope: string): Sql {
  if (scope === "/") return { text: "1", values: [] };
  return {
    text: "(m.scope = ? OR (m.scope >= ? AND m.scope < ?))",
    values: [scope, `${scope}/`, `${scope}0`],
  };
}

function fieldCondition(key: string, value: JsonValue): Sql {
  const field = "EXISTS (SELECT 1 FROM json_each(m.metadata) e WHERE e.key = ? AND ";
  switch (typeof value) {
    case "string":
      return { text: `${field}e.type = 'text' AND e.value = ?)`, values: [key, value] };
    case "number":
      return {
        text: `${field}e.type IN ('integer', 'real') AND e.value = ?)`,
        values: [key, value],
      };
    case "boolean":
      return { text: `${field}e.type = ?)`, values: [key, String(value)] };
    default:
      return value === null
        ? { text: `${field}e.type = 'null')`, values: [key] }
        : {
            text: `${field}e.type IN ('object', 'array') AND e.value = ?)`,
            values: [key, canonical(value)],
          };
  }
}

/** Returns the word in the form of the migration's trigger. */
export function tenantWord(tenant: string): string {
  const bytes = new TextEncoder().encode(tenant);
  return `t${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}q`;
}
