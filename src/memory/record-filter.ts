import type { JsonValue } from "../base/json.ts";
import { cursorAfterPlace, placeOfCursor } from "../runtime/page.ts";
import { isInScope } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { RecordFilter } from "./memory-records.ts";

/** True if all conditions of the filter hold (MR1). */
export function passesFilter(record: MemoryRecord, filter: RecordFilter): boolean {
  const { scope, categories, metadata, ids, contents, beforeMs, fromMs, visibleTo } = filter;
  const madeAtMs = Date.parse(record.createdAt);
  return (
    (scope === undefined || isInScope(record.scope, scope)) &&
    (categories === undefined || categories.some((name) => record.categories.includes(name))) &&
    (metadata === undefined ||
      Object.entries(metadata).every(([key, value]) => isEqual(record.metadata[key], value))) &&
    (ids === undefined || ids.includes(record.id)) &&
    (contents === undefined || contents.includes(record.content)) &&
    (beforeMs === undefined || madeAtMs < beforeMs) &&
    (fromMs === undefined || madeAtMs >= fromMs) &&
    (visibleTo === undefined || !record.private || (record.source ?? null) === visibleTo)
  );
}

function isEqual(one: JsonValue | undefined, other: JsonValue): boolean {
  return one !== undefined && canonical(one) === canonical(other);
}

/** Returns JSON with sorted fields. */
export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Place in the order of records, newest first. */
type RecordOrder = { readonly createdAtMs: number; readonly id: string };

/** Returns the cursor of the page after a record. */
export function cursorOf({ createdAt, id }: Pick<MemoryRecord, "createdAt" | "id">): string {
  return cursorAfterPlace([Date.parse(createdAt), id]);
}

/** Fails with `invalid_input` for an invalid cursor. */
export function placeOf(cursor: string): RecordOrder {
  const [createdAtMs, id] = placeOfCursor(cursor, ["number", "string"]);
  return { createdAtMs, id };
}

/** True if a record comes after a place, newest first. */
export function isAfter(record: MemoryRecord, { createdAtMs, id }: RecordOrder): boolean {
  const madeAtMs = Date.parse(record.createdAt);
  return madeAtMs < createdAtMs || (madeAtMs === createdAtMs && record.id < id);
}
