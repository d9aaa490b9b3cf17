// Searches rows in the order of an index, up to a bound.
import { cursorAfterPlace, placeOfCursor, type Page } from "../../runtime/page.ts";
import { fingerprint } from "../../base/hash.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import type { Database } from "../d1.ts";

export type Value = string | number;

/** Condition with the values for its question marks. */
export type Condition = readonly [sql: string, ...values: readonly Value[]];

/** Rows of one index, in one order. */
export type Source = {
  /** Table with its index and joins. */
  readonly from: string;
  /** Conditions served by the index. */
  readonly where: readonly Condition[];
  /** Columns of the order. */
  readonly order: readonly string[];
  readonly descending: boolean;
  /** Maximum number of rows to examine. */
  readonly bound: number;
};

/** Place in an order: the values of its columns. */
export type Place = readonly Value[];

/** Matching rows, and the place at which the search reached its bound. */
export type Scanned<Row> = { readonly rows: readonly Row[]; readonly endedAt?: Place };

export type ScanQuery = {
  /** Selected expressions by name. */
  readonly columns: Readonly<Record<string, string>>;
  readonly filters: readonly Condition[];
  readonly after: Place | undefined;
  /** Number of matches after which the search stops. */
  readonly enough: number;
};

/** Steps in hundredths of the bound. Most searches end within the first ones. */
const STEPS = [10, 30, 60];

/**
 * Returns the matching rows in the order of the source. D1 counts a row once if a query only passes it, but two or three
 * times with a subquery for a count or for the end of the scan. So the query returns each passed row, empty if it does
 * not match.
 */
export async function scan<Row extends object>(
  db: Database,
  source: Source,
  { columns, filters, after, enough }: ScanQuery,
): Promise<Scanned<Row>> {
  const names = Object.keys(columns);
  const steps =
    filters.length === 0 ? [enough] : STEPS.map((step) => Math.floor((source.bound * step) / 100));
  const rows: Row[] = [];
  let place = after;
  for (const step of steps) {
    const { sql, values } = rowsOf(source, place);
    const { results } = await db
      .prepare(
        `SELECT ${source.order.map((column, at) => `${column} AS p${at}`).join(", ")},
           CASE WHEN ${allOf(filters)} THEN json_array(${Object.values(columns).join(", ")}) END AS found ${sql} LIMIT ${step}`,
      )
      .bind(...valuesOf(filters), ...values)
      .all();
    const passed = results as (Readonly<Record<string, Value>> & {
      readonly found: string | null;
    })[];
    for (const { found } of passed) if (found !== null) rows.push(rowOf(names, found) as Row);
    const last = passed.at(-1);
    if (passed.length < step || rows.length >= enough || last === undefined)
      return { rows: rows.slice(0, enough) };
    place = source.order.map((_, at) => last[`p${at}`] ?? "");
  }
  return place === undefined ? { rows } : { rows, endedAt: place };
}

/**
 * Counts the matches among the first `source.bound` rows and sums some of their columns. `isCapped` is true if there
 * may be more rows.
 */
export async function countFitting<Sum extends string>(
  db: Database,
  source: Source,
  { filters, sums }: { filters: readonly Condition[]; sums: Readonly<Record<Sum, string>> },
): Promise<{
  readonly count: number;
  readonly isCapped: boolean;
  readonly sums: Readonly<Record<Sum, number>>;
}> {
  const { sql, values } = rowsOf(source, undefined);
  const summed = Object.entries<string>(sums);
  const row = (await db
    .prepare(
      `SELECT COALESCE(SUM(fits), 0) AS count, COUNT(*) AS seen
         ${summed.map(([name]) => `, COALESCE(SUM(CASE WHEN fits THEN ${name} END), 0) AS ${name}`).join("")} FROM (
         SELECT CASE WHEN ${allOf(filters)} THEN 1 ELSE 0 END AS fits
           ${summed.map(([name, expression]) => `, ${expression} AS ${name}`).join("")} ${sql} LIMIT ${source.bound})`,
    )
    .bind(...valuesOf(filters), ...values)
    .first()) as Record<Sum | "count" | "seen", number>;
  const { count, seen, ...rest } = row;
  return { count, isCapped: seen === source.bound, sums: rest as Record<Sum, number> };
}

function rowsOf(
  { from, where, order, descending }: Source,
  after: Place | undefined,
): { readonly sql: string; readonly values: readonly Value[] } {
  const by = order.map((column) => `${column}${descending ? " DESC" : ""}`).join(", ");
  const beyond = `(${order.join(", ")}) ${descending ? "<" : ">"} (${order.map(() => "?").join(", ")})`;
  const conditions = after === undefined ? where : [...where, [beyond, ...after] as const];
  return {
    sql: `FROM ${from} WHERE ${allOf(conditions)} ORDER BY ${by}`,
    values: valuesOf(conditions),
  };
}

function allOf(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? "1" : conditions.map(([sql]) => `(${sql})`).join(" AND ");
}

function valuesOf(conditions: readonly Condition[]): readonly Value[] {
  return conditions.flatMap(([, ...values]) => values);
}

function rowOf(names: readonly string[], json: string): object {
  const values = JSON.parse(json) as readonly unknown[];
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

/**
 * Merges the results of several sources of one order into a page; each result has one row more than `limit`. The page
 * ends at the earliest place at which a source reached its bound, as later rows are incomplete.
 */
export function pageOfScans<Row, Item>(
  scans: readonly Scanned<Row>[],
  {
    limit,
    descending,
    placeOf,
    item,
    cursor,
  }: {
    readonly limit: number;
    readonly descending: boolean;
    readonly placeOf: (row: Row) => Place;
    readonly item: (row: Row) => Item;
    readonly cursor: (place: Place) => string;
  },
): Page<Item> {
  const compare = (a: Place, b: Place): number => comparePlaces(a, b) * (descending ? -1 : 1);
  const [end] = scans
    .flatMap(({ endedAt }) => (endedAt === undefined ? [] : [endedAt]))
    .toSorted(compare);
  const known = scans
    .flatMap(({ rows }) => rows)
    .filter((row) => end === undefined || compare(placeOf(row), end) <= 0)
    .toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  const shown = known.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(item);
  const next = known.length > limit && last !== undefined ? placeOf(last) : end;
  return next === undefined ? { items } : { items, nextCursor: cursor(next) };
}

function comparePlaces(a: Place, b: Place): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? "";
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/** Returns a fingerprint of a filter. */
export function markOf(filter: object): string {
  return fingerprint(JSON.stringify(filter, Object.keys(filter).toSorted()));
}

/** Returns the cursor after a place in a filtered list. */
export function boundCursor(place: Place, filter: string): string {
  return cursorAfterPlace([...place, filter]);
}

/** Returns the place of a cursor with this filter (L3). Fails with `invalid_input` for a cursor of another filter. */
export function placeOfBoundCursor(
  cursor: string | undefined,
  types: ReadonlyArray<"number" | "string">,
  filter: string,
): Place | undefined {
  if (cursor === undefined) return undefined;
  const place = placeOfCursor(cursor, [...types, "string"]) as readonly Value[];
  if (place.at(-1) === filter) return place.slice(0, -1);
  throw invalidInput("the query does not fit", [
    {
      path: "/cursor",
      message: "expected a nextCursor of a list with the same filter, got one of another",
    },
  ]);
}
