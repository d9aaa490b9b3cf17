// Pages of a run's journal, in both directions, around a key and below one.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { parsedView } from "../base/recorded.ts";
import { fingerprint } from "../base/hash.ts";
import type { JournalStore, StepKind, StepState, StepSummary } from "../journal/journal-store.ts";
import type { Page } from "./page.ts";
import type { Step } from "./run.ts";
import { stepView, type StepExtras } from "./run-view.ts";
import { ValuePage } from "./value-page.ts";

/** Query for a run's steps, and their shown fields. */
export type JournalQuery = {
  /** `desc`: the last one first. @default "asc" */
  readonly order?: "asc" | "desc" | undefined;
  /** `nextCursor` or `prevCursor` of another page. */
  readonly cursor?: string | undefined;
  /** Key of a step that the page must include. Not together with `cursor`. */
  readonly around?: string | undefined;
  readonly limit: number;
  /** Only steps below this key. */
  readonly under?: string | undefined;
  /** Depth of nesting: 1 for steps directly below `under`. */
  readonly depth?: number | undefined;
  readonly kinds?: readonly StepKind[] | undefined;
  readonly states?: readonly StepState[] | undefined;
  /** A piece of the key. */
  readonly q?: string | undefined;
  /** Adds each step's result; `cut` only its beginning, if it is long. */
  readonly values?: boolean | "cut" | undefined;
  /** Adds a fingerprint of each result. */
  readonly hash?: boolean | undefined;
};

/**
 * A page of steps. `prevCursor` is set if the page was requested by a cursor or a key, and another page comes before
 * it.
 */
export type JournalPage = Page<Step> & { readonly prevCursor?: string };

/** Shown length of a cut result, as JSON text, in UTF-16 units. */
const MAX_CUT_VALUE = 64 * 1024;

/** Returns a page of steps. `extras` reads the fields of the shown steps beyond their rows. */
export function journalPage(
  journal: JournalStore,
  query: JournalQuery,
  extras: (rows: readonly StepSummary[]) => (row: StepSummary) => StepExtras,
): JournalPage {
  const { order = "asc", limit, around } = query;
  const filter = filterOf(query);
  const place = placeOf(journal, query);
  const after = (from: number | undefined, most: number): readonly StepSummary[] =>
    journal.page({ ...filter, order, limit: most, ...(from === undefined ? {} : { after: from }) });
  const before = (from: number, most: number): readonly StepSummary[] =>
    journal
      .page({ ...filter, order: order === "asc" ? "desc" : "asc", limit: most, after: from })
      .toReversed();

  let rows: readonly StepSummary[];
  let anchor = 0; // the row included in any case
  if (place === undefined) rows = after(undefined, limit);
  else if (around !== undefined) {
    const above = before(place, Math.floor((limit - 1) / 2));
    const inclusive = order === "asc" ? place - 1 : place + 1;
    rows = [...above, ...after(inclusive, limit - above.length)];
    anchor = above.length;
  } else if (query.cursor?.startsWith("-")) {
    rows = before(place, limit);
    anchor = rows.length - 1;
  } else rows = after(place, limit);

  const shown = rowsThatFit(journal, { rows, anchor, query });
  const items = shown.rows.map(viewer(shown.bodies, extras(shown.rows)));
  const [first] = shown.rows;
  const last = shown.rows.at(-1);
  const isMore = last !== undefined && after(last.startedSeq, 1).length > 0;
  const isLess =
    place !== undefined && first !== undefined && before(first.startedSeq, 1).length > 0;
  return {
    items,
    ...(isMore ? { nextCursor: String(last.startedSeq) } : undefined),
    ...(isLess ? { prevCursor: `-${first.startedSeq}` } : undefined),
  };
}

function filterOf({ under, depth, kinds, states, q: text }: JournalQuery) {
  return {
    ...(under === undefined ? undefined : { under }),
    ...(depth === undefined ? undefined : { depth }),
    ...(kinds === undefined ? undefined : { kinds }),
    ...(states === undefined ? undefined : { states }),
    ...(text === undefined ? undefined : { text }),
  };
}

/** Returns the beginning or end of the page; undefined for the first one. */
function placeOf(journal: JournalStore, { cursor, around }: JournalQuery): number | undefined {
  if (around !== undefined) {
    if (cursor !== undefined)
      throw new EngineError("invalid_input", "around and cursor name two places: leave one out", {
        issues: [{ path: "/around", message: "expected no cursor beside it" }],
      });
    const row = journal.get(around);
    if (row === undefined)
      throw new EngineError("not_found", `the run has no step ${preview(around)}`);
    return row.startedSeq;
  }
  return cursor === undefined ? undefined : journalPlaceOf(cursor);
}

/** Returns the place of a cursor in the order of starts. */
export function journalPlaceOf(cursor: string): number {
  const place = Math.abs(Number(cursor));
  if (cursor.trim() === "" || !Number.isSafeInteger(place))
    throw new EngineError(
      "invalid_input",
      `cursor must be the nextCursor or prevCursor of another page, got ${preview(cursor)}`,
      { issues: [{ path: "/cursor", message: "expected the nextCursor of another page" }] },
    );
  return place;
}

/** A result, with the request of a model call. */
type Body = Pick<StepExtras, "value" | "truncated" | "request" | "omitted" | "hash">;

/**
 * Returns the rows that fit one answer with their results, from the anchor on to the end, and then towards the
 * beginning.
 */
function rowsThatFit(
  journal: JournalStore,
  {
    rows,
    anchor,
    query,
  }: {
    readonly rows: readonly StepSummary[];
    readonly anchor: number;
    readonly query: JournalQuery;
  },
): { readonly rows: readonly StepSummary[]; readonly bodies: ReadonlyMap<string, Body> } {
  const { values = false, hash = false } = query;
  if (values === false && !hash) return { rows, bodies: new Map() };
  const page = new ValuePage();
  const bodies = new Map<string, Body>();
  const take = (row: StepSummary): boolean => {
    const isCut = values === "cut" && !hash;
    const expected = isCut ? Math.min(row.bytes, MAX_CUT_VALUE) : row.bytes;
    if (page.isFullFor(expected)) return false;
    const { body, length } = bodyOf(journal, row, { values, hash });
    if (page.isFullFor(length)) return false;
    page.add(length);
    bodies.set(row.key, body);
    return true;
  };
  let end = anchor;
  let start = anchor;
  for (let row = rows[end]; row !== undefined && take(row); row = rows[end]) end++;
  if (end === rows.length)
    for (let row = rows[start - 1]; row !== undefined && take(row); row = rows[start - 1]) start--;
  return { rows: rows.slice(start, end), bodies };
}

function bodyOf(
  journal: JournalStore,
  { key, bytes }: StepSummary,
  { values, hash }: { readonly values: boolean | "cut"; readonly hash: boolean },
): { readonly body: Body; readonly length: number } {
  if (values === "cut" && !hash && bytes > MAX_CUT_VALUE) {
    const text = journal.piece(key, 0, MAX_CUT_VALUE) ?? "";
    return { body: { value: text, truncated: bytes }, length: text.length };
  }
  const row = journal.get(key);
  const request = values === false ? null : (row?.request ?? null);
  const value = row?.value ?? null;
  const print = hash && value !== null ? { hash: fingerprint(value) } : undefined;
  if (values === false) return { body: { ...print }, length: bytes };
  if (values === "cut") {
    const fits = request !== null && request.length <= MAX_CUT_VALUE;
    const shown =
      value !== null && value.length > MAX_CUT_VALUE
        ? { value: value.slice(0, MAX_CUT_VALUE), truncated: value.length }
        : parsed("value", value);
    const asked = fits ? parsed("request", request) : undefined;
    return {
      body: { ...shown, ...asked, ...print },
      length: Math.min(bytes, MAX_CUT_VALUE) + (fits ? request.length : 0),
    };
  }
  const length = bytes + (request?.length ?? 0);
  if (new ValuePage().omits(length)) return { body: { omitted: length, ...print }, length: 0 };
  return { body: { ...parsed("value", value), ...parsed("request", request), ...print }, length };
}

function parsed(name: "value" | "request", json: string | null) {
  return json === null ? undefined : ({ [name]: parsedView(json) } as Body);
}

function viewer(
  bodies: ReadonlyMap<string, Body>,
  extras: (row: StepSummary) => StepExtras,
): (row: StepSummary) => Step {
  return (row) => stepView(row, { ...extras(row), ...bodies.get(row.key) });
}
