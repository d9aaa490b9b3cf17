import { EngineError } from "../base/error.ts";
import type { Page } from "../runtime/run-directory.ts";

/** A page of what was read with one more than it holds. The cursor is the last name, in the clear. */
export function pageOf<Item, View>(
  rows: readonly Item[],
  limit: number,
  { view, keyOf }: { view: (item: Item) => View; keyOf: (item: Item) => string },
): Page<View> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const page = { items: items.map(view) };
  return rows.length > limit && last !== undefined ? { ...page, nextCursor: keyOf(last) } : page;
}

/** Throws `invalid_input` for what is no cursor of ours. */
export function checkedCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(cursor)) return cursor;
  throw new EngineError(
    "invalid_input",
    "the cursor is not one of ours; leave it out to begin anew",
    { issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }] },
  );
}
