// Lists of open waits.
import { isoTime } from "../../base/clock.ts";
import type { Page } from "../../runtime/page.ts";
import type { WaitQuery, WaitSummary } from "../../runtime/run-directory.ts";
import type { RunKind, Wait } from "../../runtime/run.ts";
import type { Database } from "../d1.ts";
import {
  boundCursor,
  markOf,
  pageOfScans,
  placeOfBoundCursor,
  scan,
  type Condition,
  type Place,
  type Scanned,
  type Source,
} from "./bounded-scan.ts";

type WaitRow = {
  readonly run_id: string;
  readonly run_kind: RunKind;
  readonly run_name: string;
  readonly key: string;
  readonly wait: string;
  readonly opened_at: number;
  readonly expires_at: number | null;
  readonly tags: string | null;
};

/** Maximum number of rows to examine. Each needs a lookup of its run for the tags. */
const MAX_SCANNED = 2_500;
/** Sort value of waits without an expiry. */
const NEVER = Number.MAX_SAFE_INTEGER;

const COLUMNS = {
  run_id: "waits.run_id",
  run_kind: "waits.run_kind",
  run_name: "waits.run_name",
  key: "waits.key",
  wait: "waits.wait",
  opened_at: "waits.opened_at",
  expires_at: "waits.expires_at",
  tags: "runs.tags",
};
const OLDEST_FIRST = ["waits.opened_at", "waits.run_id", "waits.key"];

/** Returns a page of open waits: the oldest first, or the ones expiring first. */
export async function listWaits(
  db: Database,
  { cursor, limit, order, ...filter }: WaitQuery,
): Promise<Page<WaitSummary>> {
  const byExpiry = order === "expires";
  const mark = markOf({ ...filter, order });
  const after = placeOfBoundCursor(cursor, ["number", "number", "string", "string"], mark);
  const placeOf = (row: WaitRow): Place => [
    byExpiry ? (row.expires_at ?? NEVER) : 0,
    row.opened_at,
    row.run_id,
    row.key,
  ];
  const filters = conditionsOf(filter);
  const enough = limit + 1;
  const scans: Scanned<WaitRow>[] = [];
  let rest = after?.slice(1);
  if (byExpiry && after?.[0] !== NEVER) {
    const query = { columns: COLUMNS, filters, after, enough };
    scans.push(await scan<WaitRow>(db, expiring(filter.tenant), query));
    rest = undefined;
  }
  const [soon] = scans;
  if (soon === undefined || (soon.endedAt === undefined && soon.rows.length < enough)) {
    const others: readonly Condition[] = byExpiry ? [["waits.expires_at IS NULL"]] : [];
    const query = { columns: COLUMNS, filters: [...filters, ...others], after: rest, enough };
    scans.push(await scan<WaitRow>(db, oldestFirst(filter.tenant), query));
  }
  return pageOfScans(scans, {
    limit,
    descending: false,
    placeOf,
    item: summaryOf,
    cursor: (place) => boundCursor(place, mark),
  });
}

const FROM = "LEFT JOIN runs ON runs.tenant = waits.tenant AND runs.id = waits.run_id";

function expiring(tenant: string): Source {
  return {
    from: `waits INDEXED BY waits_by_expiry ${FROM}`,
    where: [["waits.tenant = ?", tenant], ["waits.expires_at IS NOT NULL"]],
    order: ["waits.expires_at", ...OLDEST_FIRST],
    descending: false,
    bound: MAX_SCANNED,
  };
}

function oldestFirst(tenant: string): Source {
  return {
    from: `waits INDEXED BY waits_by_time ${FROM}`,
    where: [["waits.tenant = ?", tenant]],
    order: OLDEST_FIRST,
    descending: false,
    bound: MAX_SCANNED,
  };
}

function conditionsOf({ name, kind, run, tag, q }: Partial<WaitQuery>): readonly Condition[] {
  const words = q?.split(/\s+/).filter((word) => word !== "") ?? [];
  return [
    ...(name === undefined ? [] : ([["waits.run_name = ?", name]] as const)),
    ...(kind === undefined
      ? []
      : ([["waits.wait ->> 'kind' = ? OR waits.run_kind = ?", kind, kind]] as const)),
    ...(run === undefined ? [] : ([["waits.run_id = ?", run]] as const)),
    ...(tag === undefined ? [] : ([["instr(runs.tags, ?) > 0", JSON.stringify(tag)]] as const)),
    ...words.map((word): Condition => [
      "instr(lower(waits.wait ->> 'prompt'), lower(?)) > 0",
      word,
    ]),
  ];
}

function summaryOf(row: WaitRow): WaitSummary {
  const tags = row.tags === null ? {} : { tags: JSON.parse(row.tags) as readonly string[] };
  return {
    ...(JSON.parse(row.wait) as Wait),
    openedAt: isoTime(row.opened_at),
    run: { id: row.run_id, kind: row.run_kind, name: row.run_name, ...tags },
  };
}
