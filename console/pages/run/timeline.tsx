import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
} from "react";
import type { RunView } from "../../api-types.ts";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { Empty, Loading } from "../../shell/states.tsx";
import { makeAxis, type Axis, type Span } from "./axis.ts";
import { gridOf, ticksOf, tickText, type Tick } from "./axis-ticks.ts";
import { Brush } from "./brush.tsx";
import { useChildTrees } from "./child-trees.ts";
import type { RunSearch } from "./run-page.tsx";
import type { TreeRow } from "./step-tree.ts";
import { TimelineRow, type RowActions } from "./timeline-row.tsx";
import { useAxis } from "./use-axis.ts";
import { isOver, type LiveRun } from "./use-run.ts";
import "./run.css";

const ROW = 32;
const COLUMNS = ["Step", "State", "Start", "", "Duration", "Tokens", "Cost"] as const;

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly search: RunSearch;
  readonly onChoose: (key: string | undefined) => void;
};

export function Timeline({ run, live, search, onChoose }: Props) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [newestFirst, setNewestFirst] = useState(() => readKept("newestFirst", false));
  const [range, setRange] = useState<Span>();
  // A child run is opened by hand, as it needs another journal.
  const isOpen = (id: string, depth: number, isRun: boolean): boolean =>
    (depth < 3 && !isRun) !== turned.has(id);
  const openRuns = useMemo(
    () => [...turned].filter((id) => id.startsWith(RUN)).map((id) => id.slice(RUN.length)),
    [turned],
  );
  const children = useChildTrees(openRuns);
  const all = useMemo(
    () => live.tree.rows(isOpen, { newestFirst, childTree: children.get }),
    [live.tree, live.version, turned, newestFirst, children.version],
  );
  const { under } = search;
  const rows =
    under === undefined
      ? all
      : all.filter(({ key }) => key === under || key.startsWith(`${under}/`));
  const { axis: whole, busy } = useAxis(run, live);
  const axis = useMemo(
    () => (range === undefined ? whole : makeAxis(busy, range)),
    [whole, busy, range],
  );
  const ticks = useMemo(() => ticksOf(axis, whole.startMs), [axis, whole.startMs]);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const isFollowing = useFollowing(scroller, {
    isWanted: !isOver(run.status) && !newestFirst,
    rowCount: rows.length,
  });
  const turn = (row: TreeRow): void =>
    setTurned((now) => {
      const next = new Set(now);
      const ids = row.childRunId === undefined ? [row.id] : [row.id, RUN + row.childRunId];
      for (const id of ids) if (!next.delete(id)) next.add(id);
      return next;
    });
  const opened = (row: TreeRow): boolean | undefined =>
    row.canOpen ? isOpen(row.id, row.depth, row.childRunId !== undefined) : undefined;
  const choose = (row: TreeRow): void => {
    if (row.runId !== undefined)
      void navigate({ to: "/runs/$id", params: { id: row.runId }, search: { step: row.key } });
    else onChoose(row.key === search.step ? undefined : row.key);
  };
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    isFollowing.current = false;
    setFocused(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => {
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${next}"]`)
        ?.focus({ preventScroll: true });
    });
  };
  const press = (event: KeyboardEvent, row: TreeRow, index: number): void => {
    const isUnfolded = opened(row);
    if (event.key === "ArrowDown" || event.key === "j") move(index + 1);
    else if (event.key === "ArrowUp" || event.key === "k") move(index - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(rows.length - 1);
    else if (event.key === "ArrowRight" && isUnfolded !== undefined) {
      if (isUnfolded) move(index + 1);
      else turn(row);
    } else if (event.key === "ArrowLeft") {
      if (isUnfolded === true) turn(row);
      else move(rows.findLastIndex((each, place) => place < index && each.depth < row.depth));
    } else if (event.key === "Enter" || event.key === " ") choose(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const actions = useRef<RowActions>({ turn, press, choose, focus: setFocused });
  actions.current = { turn, press, choose, focus: setFocused };
  if (rows.length === 0 && !live.isWhole) return <Loading />;
  if (rows.length === 0 && under === undefined)
    return (
      <Empty title={isOver(run.status) ? "This run has no steps" : "The first step has not begun"}>
        <p>
          {isOver(run.status)
            ? "Its journal has no rows."
            : "Rows appear here as soon as there are some."}
        </p>
      </Empty>
    );
  return (
    <div className="card">
      {under !== undefined && (
        <p className="table-foot small">
          Only rows below <code>{under}</code>
          <button
            type="button"
            className="button small plain"
            onClick={() =>
              void navigate({
                to: "/runs/$id",
                params: { id: run.id },
                search: { ...search, under: undefined },
              })
            }
          >
            Show all
          </button>
        </p>
      )}
      <div className="timeline-tools">
        <Brush axis={whole} busy={busy} range={range} onRange={setRange} />
        <button
          type="button"
          className="chip"
          aria-pressed={newestFirst}
          onClick={() => {
            keep("newestFirst", !newestFirst);
            setNewestFirst(!newestFirst);
            scroller.current?.scrollTo({ top: 0 });
          }}
        >
          Newest first
        </button>
      </div>
      <div
        className="timeline"
        style={{ "--grid": gridOf(ticks) } as CSSProperties}
        ref={scroller}
        role="treegrid"
        aria-label="Timeline"
        aria-rowcount={rows.length + 1}
        aria-colcount={7}
      >
        <div className="timeline-head" role="row" aria-rowindex={1}>
          {COLUMNS.map((label, index) => (
            <span
              key={label}
              role="columnheader"
              className={index > 3 || index === 2 ? "number" : undefined}
            >
              {index === 3 ? <Ruler axis={axis} ticks={ticks} /> : label}
            </span>
          ))}
        </div>
        <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <TimelineRow
                  key={row.id}
                  row={row}
                  index={index}
                  topPx={start}
                  axis={axis}
                  isOpen={opened(row)}
                  isChosen={row.runId === undefined && row.key === search.step}
                  hasFocus={index === Math.min(focused, rows.length - 1)}
                  actions={actions}
                />
              )
            );
          })}
        </div>
      </div>
      {live.readMore !== undefined && (
        <p className="table-foot small soft">
          {formatCount(live.tree.size)} steps so far
          <button type="button" className="button small plain" onClick={live.readMore}>
            Read more
          </button>
        </p>
      )}
    </div>
  );
}

/** Marks runs in the set of rows opened by hand. */
const RUN = "run\n";

/**
 * Keeps the newest row in view until the reader scrolls away from it, and again after the reader returns to the end.
 */
function useFollowing(
  scroller: React.RefObject<HTMLDivElement | null>,
  { isWanted, rowCount }: { readonly isWanted: boolean; readonly rowCount: number },
): React.RefObject<boolean> {
  const isFollowing = useRef(true);
  const isThere = rowCount > 0;
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !isThere) return undefined;
    let topPx = element.scrollTop;
    const look = (): void => {
      const isAtEnd = element.scrollHeight - element.clientHeight - element.scrollTop < ROW * 2;
      if (isAtEnd) isFollowing.current = true;
      else if (element.scrollTop < topPx) isFollowing.current = false;
      topPx = element.scrollTop;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller, isThere]);
  useEffect(() => {
    const element = scroller.current;
    if (isWanted && isFollowing.current && element !== null)
      element.scrollTop = element.scrollHeight;
  }, [scroller, isWanted, rowCount]);
  return isFollowing;
}

/** Width of a label on the axis, to keep folds beside it readable. */
const LABEL_WIDTH = 0.16;
/** Place behind which a label would leave the axis. */
const LAST_LABEL = 0.9;

/** Times since the start, and the durations of folds, above the bars. */
function Ruler({ axis, ticks }: { readonly axis: Axis; readonly ticks: readonly Tick[] }) {
  const isFree = ({ place }: Tick): boolean =>
    place <= LAST_LABEL &&
    axis.folds.every(
      ({ from, to }) => to < place || (to > LAST_LABEL ? 0.4 > place : from > place + LABEL_WIDTH),
    );
  return (
    <span className="bar-track">
      <span className="unseen">Bars</span>
      {ticks.filter(isFree).map(({ ms, place }) => (
        <span
          key={ms}
          className="tick-label"
          aria-hidden="true"
          style={{ insetInlineStart: `${place * 100}%` }}
        >
          {tickText(ms)}
        </span>
      ))}
      {axis.folds.map((fold) => (
        <span
          key={fold.startMs}
          className={`fold-label${fold.to > LAST_LABEL ? " at-end" : ""}`}
          title={`No steps for ${formatDuration(fold.endMs - fold.startMs)}`}
          style={{ insetInlineStart: `${((fold.from + fold.to) / 2) * 100}%` }}
        >
          ⋯ {formatDuration(fold.endMs - fold.startMs)} idle
        </span>
      ))}
    </span>
  );
}
