// Looks for rows in the order of an index, and no further than a bound.
import { cursorAfterPlace, placeOfCursor, type Page } from "../../runtime/page.ts";
import { fingerprint } from "../../base/hash.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import type { Database } from "../d1.ts";

export type Value = string | number;

/** A condition, and what is bound to its question marks. */
export type Condition = readonly [sql: string, ...values: readonly Value[]];

/** Rows of one index, in one order. */
export type Source = {
  /** The table with its index, and what is joined to it. */
  readonly from: string;
  /** What the index is searched by. */
  readonly where: readonly Condition[];
  /** Columns of the order. */
  readonly order: readonly string[];
  readonly descending: boolean;
  /** Rows that are looked at. */
  readonly bound: number;
};

/** A place in an order: the values of its columns. */
export type Place = readonly Value[];

/** What was found, and where the search ended for its bound. */
export type Scanned<Row> = { readonly rows: readonly Row[]; readonly endedAt?: Place };

export type ScanQuery = {
  /** What is selected, by name. */
  readonly columns: Readonly<Record<string, string>>;
  readonly filters: readonly Condition[];
  readonly after: Place | undefined;
  /** Found rows that are enough. */
  readonly enough: number;
};

/** Most searches end with the first steps. In hundredths of the bound. */
const STEPS = [10, 30, 60];

/**
 * The rows that fit, in the order of the source. D1 counts each row once that a query passes; one with a subquery that counts, or
 * that looks up where it ended, two or three times. So each row passed comes back, empty where it does not fit.
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

/** How many of the first `source.bound` rows fit, the sums of some columns of these, and whether there may be more. */
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
 * A page of what several sources of one order have found, each with one more than `limit`. Beyond the place where the first of them
 * ended for its bound, not everything is known: there the page ends.
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

/** What tells filters apart. */
export function markOf(filter: object): string {
  return fingerprint(JSON.stringify(filter, Object.keys(filter).toSorted()));
}

/** The cursor after a place in the list that a filter selects. */
export function boundCursor(place: Place, filter: string): string {
  return cursorAfterPlace([...place, filter]);
}

/** The place of a cursor of this filter (L3). Throws `invalid_input` for another one's. */
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
