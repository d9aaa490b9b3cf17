// Pages of lists, and cursors for places in an order.
import { EngineError } from "../base/error.ts";

/** A page of a listing. `nextCursor` is opaque; it is absent on the last page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };

/** The values by which a list is ordered, of one of its items. */
type Place<Types extends ReadonlyArray<"number" | "string">> = {
  -readonly [Index in keyof Types]: Types[Index] extends "number" ? number : string;
};

/** Returns the first `limit` of `rows`, read with one extra row to detect another page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { item, cursor }: { item: (row: Row) => Item; cursor: (last: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(item);
  return rows.length > limit && last !== undefined
    ? { items, nextCursor: cursor(last) }
    : { items };
}

/** Returns the cursor of the page after a place. */
export function cursorAfterPlace(place: ReadonlyArray<string | number>): string {
  return btoa(JSON.stringify(place)).replaceAll("=", "");
}

/** Returns the place of a cursor: values of these types. Throws `invalid_input` for any other text. */
export function placeOfCursor<const Types extends ReadonlyArray<"number" | "string">>(
  cursor: string,
  types: Types,
): Place<Types> {
  try {
    const parsed: unknown = JSON.parse(atob(cursor));
    const fits =
      Array.isArray(parsed) &&
      parsed.length === types.length &&
      types.every((type, index) => typeof parsed[index] === type);
    if (fits) return parsed as Place<Types>;
  } catch {
    // refused below, like any other invalid cursor
  }
  throw new EngineError(
    "invalid_input",
    "cursor must be the nextCursor of an earlier page, got something else",
    { issues: [{ path: "/cursor", message: "expected the nextCursor of an earlier page" }] },
  );
}
