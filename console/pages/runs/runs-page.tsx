import { Link, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { asCurl, CopyAs } from "../../parts/copy.tsx";
import { plural } from "../../parts/format.ts";
import { useKeys } from "../../shell/keys.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { writeSearch } from "../../shell/search-text.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { COLUMNS } from "./columns.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { isFiltered, toQuery, type Filters } from "./filters.ts";
import { useRunList } from "./run-list.ts";
import { RunSums } from "./run-sums.tsx";
import { RunsTable } from "./runs-table.tsx";

const STANDARD = COLUMNS.filter(({ isExtra }) => isExtra !== true).map(({ id }) => id);

export function RunsPage() {
  const filters: Filters = useSearch({ from: "/runs" });
  const scroller = useRef<HTMLDivElement>(null);
  const isAtTop = useCallback(() => (scroller.current?.scrollTop ?? 0) < 4, []);
  const { query, rows, freshCount, takeIn } = useRunList(filters, isAtTop);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<readonly string[]>(() => readKept("columns", STANDARD));
  const columns = useMemo(() => COLUMNS.filter(({ id }) => shown.includes(id)), [shown]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useEffect(
    () => (document.title !== "Runs" ? void (document.title = "Runs · Edgecrew") : undefined),
    [],
  );
  useEffect(
    () =>
      keep(
        "lastRuns",
        rows.slice(0, 500).map(({ id }) => id),
      ),
    [rows],
  );
  useKeys({ ".": takeIn });
  const select = useCallback((id: string) => {
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const chosen = rows.filter(({ id }) => selected.has(id));
  const address = `/runs${writeSearch(toQuery(filters, Date.now()))}`;
  return (
    <div className="page runs">
      <div className="page-head">
        <h1>Runs</h1>
        <ColumnMenu
          shown={shown}
          onChange={(next) => {
            keep("columns", next);
            setShown(next);
          }}
        />
        <CopyAs
          forms={{
            Link: location.href,
            curl: asCurl(address),
            "Command line": "edgecrew runs list",
          }}
        />
      </div>
      <FilterBar filters={filters} />
      {chosen.length > 0 && <BulkActions runs={chosen} onDone={() => setSelected(new Set())} />}
      <Answered query={query}>
        {() => (
          <div className="card runs-card">
            {freshCount > 0 && (
              <button
                type="button"
                className="fresh"
                onClick={() => {
                  takeIn();
                  scroller.current?.scrollTo({ top: 0 });
                }}
              >
                {freshCount} new
              </button>
            )}
            {rows.length === 0 && !hasNextPage ? (
              <NoRuns isFiltered={isFiltered(filters)} />
            ) : (
              <RunsTable
                rows={rows}
                columns={columns}
                selected={selected}
                onSelect={select}
                onEnd={more}
                scroller={scroller}
              />
            )}
            <p className="table-foot small soft">
              {plural(rows.length, "run")}
              {hasNextPage && " so far"}
              {hasNextPage && (
                <button
                  type="button"
                  className="button small plain"
                  onClick={more}
                  disabled={isFetchingNextPage}
                >
                  {isFetchingNextPage ? "Looking …" : "Look further back"}
                </button>
              )}
              <span className="spread" />
              <RunSums filters={filters} />
            </p>
          </div>
        )}
      </Answered>
    </div>
  );
}

function NoRuns({ isFiltered: filtered }: { readonly isFiltered: boolean }) {
  if (filtered)
    return (
      <Empty title="No run fits these filters">
        <Link to="/runs" search={{}} className="button">
          Clear the filters
        </Link>
      </Empty>
    );
  return (
    <Empty title="No runs yet">
      <p>A run starts from a form, from a program, or by the clock.</p>
      <Link to="/crews" className="button main">
        Choose a crew to run
      </Link>
      <p className="small">
        <code>{asCurl("/crews/<name>/kickoff", { inputs: {} })}</code>
      </p>
      <p className="small">
        A schedule is one line of the app:{" "}
        <code>{'triggers({ schedules: { daily: { cron: "0 7 * * *", target } } })'}</code>
      </p>
    </Empty>
  );
}

function ColumnMenu({
  shown,
  onChange,
}: {
  readonly shown: readonly string[];
  readonly onChange: (shown: readonly string[]) => void;
}) {
  const id = useId();
  return (
    <>
      <button type="button" className="button plain" popoverTarget={id}>
        Columns
      </button>
      <div id={id} popover="auto">
        {COLUMNS.map((column) => (
          <label key={column.id} className="menu-item">
            <input
              type="checkbox"
              checked={shown.includes(column.id)}
              disabled={column.id === "name"}
              onChange={() =>
                onChange(
                  shown.includes(column.id)
                    ? shown.filter((each) => each !== column.id)
                    : [...shown, column.id],
                )
              }
            />
            {column.label}
          </label>
        ))}
      </div>
    </>
  );
}
