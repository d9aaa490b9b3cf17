// Lists of runs.
//
//   RLS1. One page examines at most 5,000 rows, in the order of one index. It may be short or empty and still have a
//         `nextCursor`.
//   RLS2. The newest run comes first, by creation time and id.
//   RLS3. A cursor is valid only with its filter.
import { invalidInput } from "../../base/invalid-input.ts";
import type { RunPage, RunPageSums, RunQuery, RunSummary } from "../../runtime/run-directory.ts";
import { searchedTexts } from "../../runtime/run-text.ts";
import type { RunStatus } from "../../runtime/run.ts";
import type { Database } from "../d1.ts";
import {
  boundCursor,
  countFitting,
  markOf,
  pageOfScans,
  placeOfBoundCursor,
  scan,
  type Condition,
  type Source,
} from "./bounded-scan.ts";
import { SUMMARY_COLUMNS, toSummary, type RunRow } from "./run-row.ts";

const MAX_SCANNED = 5_000;
const MAX_COUNTED = 10_000;

const COLUMNS = Object.fromEntries(SUMMARY_COLUMNS.map((name) => [name, `runs.${name}`]));

const OPEN: ReadonlySet<RunStatus> = new Set(["queued", "running", "waiting"]);
const IS_OPEN = "status IN ('queued', 'running', 'waiting')";
const MIN_ID_LENGTH = 6;

type Filter = Omit<RunQuery, "cursor" | "limit" | "count" | "kind" | "status" | "tag"> & {
  readonly kinds: readonly string[];
  readonly statuses: readonly RunStatus[];
  readonly tags: readonly string[];
};

/** Returns a page of runs, newest first. `withText`: the rows include the words of runs. */
export async function listRuns(
  db: Database,
  { cursor, limit, count = false, kind, status, tag, ...query }: RunQuery,
  { withText }: { readonly withText: boolean },
): Promise<RunPage> {
  const filter: Filter = {
    ...query,
    kinds: listOf(kind),
    statuses: listOf(status),
    tags: listOf(tag),
  };
  if (filter.q !== undefined && !withText)
    throw invalidInput("the query does not fit", [
      { path: "/q", message: "this Worker keeps no words of runs: it needs the part runFeed()" },
    ]);
  const mark = markOf(filter);
  const after = placeOfBoundCursor(cursor, ["number", "string"], mark);
  const filters = conditionsOf(filter);
  if (filters === undefined)
    return { items: [], ...(count ? { count: 0, countCapped: false, sums: NOTHING } : {}) };
  const sources = sourcesOf(filter);
  const enough = limit + 1;
  const scans = await Promise.all(
    sources.map((source) => scan<RunRow>(db, source, { columns: COLUMNS, filters, after, enough })),
  );
  const page = pageOfScans(scans, {
    limit,
    descending: true,
    placeOf: (row) => [row.created_at, row.id],
    item: (row): RunSummary => toSummary(row),
    cursor: (place) => boundCursor(place, mark),
  });
  return count ? { ...page, ...(await counted(db, sources, { filter, filters })) } : page;
}

const NOTHING: RunPageSums = { tokens: 0, costUsd: 0, requests: 0 };

async function counted(
  db: Database,
  sources: readonly Source[],
  { filter, filters }: { readonly filter: Filter; readonly filters: readonly Condition[] },
): Promise<Pick<RunPage, "count" | "countCapped" | "sums">> {
  // A parent's row includes the consumption of its children.
  const counts = (column: string): string =>
    filter.parent === undefined
      ? `CASE WHEN runs.parent_id IS NULL THEN runs.${column} END`
      : `runs.${column}`;
  const sums = { tokens: counts("tokens"), costUsd: counts("cost"), requests: counts("requests") };
  const scans = await Promise.all(
    sources.map((source) => countFitting(db, { ...source, bound: MAX_COUNTED }, { filters, sums })),
  );
  const count = scans.reduce((sum, each) => sum + each.count, 0);
  const total = (name: keyof RunPageSums): number =>
    scans.reduce((sum, each) => sum + each.sums[name], 0);
  return {
    count: Math.min(count, MAX_COUNTED),
    countCapped: count > MAX_COUNTED || scans.some(({ isCapped }) => isCapped),
    sums: { tokens: total("tokens"), costUsd: total("costUsd"), requests: total("requests") },
  };
}

/** Returns the indexes to search: the narrowest that fits; for open runs, one for each status. */
function sourcesOf({ tenant, parent, origin, held, name, ...filter }: Filter): readonly Source[] {
  const { tags, statuses, from, to } = filter;
  const [tag] = tags;
  const source = (index: string, ...where: readonly Condition[]): Source => ({
    from: `runs INDEXED BY ${index}`,
    where: [["runs.tenant = ?", tenant], ...where, ...period("runs.created_at", { from, to })],
    order: ["runs.created_at", "runs.id"],
    descending: true,
    bound: MAX_SCANNED,
  });
  if (parent !== undefined) return [source("runs_by_parent", ["runs.parent_id = ?", parent])];
  if (origin !== undefined) return [source("runs_by_origin", ["runs.origin_id = ?", origin])];
  if (tag !== undefined) return [taggedWith(tenant, tag, { from, to })];
  if (held === true) return [source("runs_held", ["runs.held_version IS NOT NULL"])];
  if (name !== undefined) return [source("runs_by_name", ["runs.name = ?", name])];
  if (statuses.length > 0 && statuses.every((status) => OPEN.has(status)))
    return statuses.map((status) => ({
      ...source("runs_open", ["runs.status = ?", status], [`runs.${IS_OPEN}`]),
      bound: Math.floor(MAX_SCANNED / statuses.length),
    }));
  return [source("runs_by_time")];
}

/** Looks up each row by the run id of its tag. */
function taggedWith(tenant: string, tag: string, times: Pick<RunQuery, "from" | "to">): Source {
  return {
    from: "run_tags AS tagged CROSS JOIN runs ON runs.tenant = tagged.tenant AND runs.id = tagged.run_id",
    where: [
      ["tagged.tenant = ?", tenant],
      ["tagged.tag = ?", tag],
      ...period("tagged.created_at", times),
    ],
    order: ["tagged.created_at", "tagged.run_id"],
    descending: true,
    bound: MAX_SCANNED / 2,
  };
}

function period(column: string, { from, to }: Pick<RunQuery, "from" | "to">): readonly Condition[] {
  return [
    ...(from === undefined ? [] : ([[`${column} >= ?`, Date.parse(from)]] as const)),
    ...(to === undefined ? [] : ([[`${column} < ?`, Date.parse(to)]] as const)),
  ];
}

/** Returns the conditions for the rows; undefined if no row can match. */
function conditionsOf(filter: Filter): readonly Condition[] | undefined {
  const { kinds, statuses, tags, q } = filter;
  const searched = q === undefined ? [] : searchedTexts(q);
  const ids: readonly Condition[] =
    q !== undefined && q.length >= MIN_ID_LENGTH && /^[\w-]+$/.test(q)
      ? [["substr(runs.id, 1, ?) = ?", q.length, q]]
      : [];
  if (searched === undefined && ids.length === 0) return undefined;
  const equal: readonly (readonly [string, string | undefined])[] = [
    ["runs.name = ?", filter.name],
    ["runs.parent_id = ?", filter.parent],
    ["runs.origin_id = ?", filter.origin],
    ["runs.definition_version = ?", filter.definitionVersion],
    ["runs.error_code = ?", filter.error],
  ];
  return [
    ...equal.flatMap(([sql, value]): readonly Condition[] =>
      value === undefined ? [] : [[sql, value]],
    ),
    ...(kinds.length === 0 ? [] : [anyOf("runs.kind", kinds)]),
    ...(statuses.length === 0 ? [] : [anyOf("runs.status", statuses)]),
    ...tags.map((tag): Condition => [`instr(runs.tags, ?) > 0`, JSON.stringify(tag)]),
    ...startedBy(filter.trigger),
    ...atLeast("runs.cost", filter.minCostUsd),
    ...atLeast(
      "runs.finished_at - COALESCE(runs.started_at, runs.created_at)",
      filter.minDurationMs,
    ),
    ...(filter.held === true ? ([["runs.held_version IS NOT NULL"]] as const) : []),
    ...(filter.waiting === undefined ? [] : ([["runs.waits > 0"]] as const)),
    ...(filter.top === true ? ([["runs.parent_id IS NULL"]] as const) : []),
    ...(q === undefined ? [] : [found(searched ?? [], ids)]),
  ];
}

function anyOf(column: string, values: readonly string[]): Condition {
  return [`${column} IN (${values.map(() => "?").join(", ")})`, ...values];
}

function atLeast(expression: string, least: number | undefined): readonly Condition[] {
  return least === undefined ? [] : [[`${expression} >= ?`, least]];
}

function startedBy(trigger: string | undefined): readonly Condition[] {
  if (trigger === undefined) return [];
  if (trigger === "api") return [["runs.started_by IS NULL AND runs.parent_id IS NULL"]];
  if (trigger.includes(":")) return [["runs.started_by = ?", trigger]];
  return [["substr(runs.started_by, 1, ?) = ?", trigger.length + 1, `${trigger}:`]];
}

/** Matches all of the texts, each in one of its forms, or the beginning of the id. */
function found(texts: ReadonlyArray<readonly string[]>, ids: readonly Condition[]): Condition {
  const words: readonly Condition[] =
    texts.length === 0 ? [] : [[texts.map(anyForm).join(" AND "), ...texts.flat()]];
  const ways = [...words, ...ids];
  return [ways.map(([sql]) => `(${sql})`).join(" OR "), ...ways.flatMap(([, ...values]) => values)];
}

function anyForm(forms: readonly string[]): string {
  return `(${forms.map(() => "instr(runs.text, ?) > 0").join(" OR ")})`;
}

function listOf<Item extends string>(value: Item | readonly Item[] | undefined): readonly Item[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : [...new Set(value)].toSorted();
}
