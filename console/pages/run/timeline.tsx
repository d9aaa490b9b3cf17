import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { RunView } from "../../api-types.ts";
import { formatCost, formatCount, formatDuration } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { StepStatus } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { useNow } from "../../parts/time.tsx";
import { Empty } from "../../shell/states.tsx";
import { makeAxis, type Axis, type Span } from "./axis.ts";
import type { RunSearch } from "./run-page.tsx";
import type { TreeRow } from "./step-tree.ts";
import { isOver, type LiveRun } from "./use-run.ts";

const ROW = 32;
const ICONS: Readonly<Record<string, IconName>> = {
  task: "completed",
  method: "flow",
  agent: "agent",
  model: "model",
  tool: "tool",
  wait: "clock",
  turn: "conversation",
};
/** Kinds whose own work is only to run other steps: they are no sign that something runs. */
const GROUPS: ReadonlySet<string> = new Set(["task", "method", "agent", "group", "turn"]);

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly search: RunSearch;
  readonly onChoose: (key: string | undefined) => void;
};

export function Timeline({ run, live, search, onChoose }: Props) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (key: string, depth: number): boolean => depth < 3 !== turned.has(key);
  const all = useMemo(
    () => live.tree.rows(isOpen),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the version says when the tree changed
    [live.tree, live.version, turned],
  );
  const { under } = search;
  const rows =
    under === undefined
      ? all
      : all.filter(({ key }) => key === under || key.startsWith(`${under}/`));
  const axis = useAxis(run, live);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const turn = (key: string): void =>
    setTurned((now) => {
      const next = new Set(now);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setFocused(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => {
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${next}"]`)
        ?.focus({ preventScroll: true });
    });
  };
  const press = (event: KeyboardEvent, row: TreeRow, index: number): void => {
    const opened = row.childCount > 0 && isOpen(row.key, row.depth);
    if (event.key === "ArrowDown" || event.key === "j") move(index + 1);
    else if (event.key === "ArrowUp" || event.key === "k") move(index - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(rows.length - 1);
    else if (event.key === "ArrowRight" && row.childCount > 0) {
      if (opened) move(index + 1);
      else turn(row.key);
    } else if (event.key === "ArrowLeft") {
      if (opened) turn(row.key);
      else move(rows.findLastIndex((each, place) => place < index && each.depth < row.depth));
    } else if (event.key === "Enter" || event.key === " ") onChoose(row.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (rows.length === 0 && live.isWhole)
    return (
      <Empty title={isOver(run.status) ? "This run did nothing" : "The first step has not begun"}>
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
          Only what is below <code>{under}</code>
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
      <div
        className="timeline"
        ref={scroller}
        role="treegrid"
        aria-label="Timeline"
        aria-rowcount={rows.length + 1}
        aria-colcount={7}
      >
        <div className="timeline-head" role="row" aria-rowindex={1}>
          {["Step", "State", "Start", "", "Duration", "Tokens", "Cost"].map((label, index) => (
            <span
              key={label}
              role="columnheader"
              className={index > 3 || index === 2 ? "number" : undefined}
            >
              {index === 3 ? <Folds axis={axis} /> : label}
            </span>
          ))}
        </div>
        <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const opened = row.childCount > 0 ? isOpen(row.key, row.depth) : undefined;
            return (
              <div
                key={row.key}
                role="row"
                data-index={index}
                data-key={row.key}
                aria-level={row.depth + 1}
                aria-rowindex={index + 2}
                aria-expanded={opened}
                aria-selected={row.key === search.step}
                tabIndex={index === Math.min(focused, rows.length - 1) ? 0 : -1}
                className="timeline-row"
                style={{ transform: `translateY(${start}px)` }}
                onFocus={() => setFocused(index)}
                onKeyDown={(event) => press(event, row, index)}
                onClick={() => onChoose(row.key === search.step ? undefined : row.key)}
              >
                <span
                  role="rowheader"
                  className="step-name"
                  style={{ paddingInlineStart: 8 + row.depth * 18 }}
                >
                  {row.childCount > 0 ? (
                    <button
                      type="button"
                      tabIndex={-1}
                      className={`twist${opened ? " open" : ""}`}
                      aria-label={opened ? "Fold" : "Unfold"}
                      onClick={(event) => {
                        event.stopPropagation();
                        turn(row.key);
                      }}
                    />
                  ) : (
                    <span className="twist-space" />
                  )}
                  <Icon name={ICONS[row.kind] ?? "queued"} size={14} />
                  <span className="cut" title={row.key}>
                    <PlainText text={row.label} />
                  </span>
                  {row.step?.edited === true && <span className="badge">edited</span>}
                  {(row.step?.attempt ?? 1) > 1 && (
                    <span className="badge wait" title="Attempts">
                      ×{row.step?.attempt}
                    </span>
                  )}
                </span>
                <span role="gridcell">
                  <StepStatus state={row.state} />
                </span>
                <span role="gridcell" className="number soft">
                  +{formatDuration(row.startMs - axis.startMs)}
                </span>
                <span role="gridcell" className="bar-cell">
                  <Bar row={row} axis={axis} />
                </span>
                <span role="gridcell" className="number">
                  {formatDuration((row.endMs ?? axis.endMs) - row.startMs)}
                </span>
                <span role="gridcell" className="number">
                  {row.tokens === 0 ? "" : formatCount(row.tokens)}
                </span>
                <span role="gridcell" className="number">
                  {row.costUsd === 0 ? "" : formatCost(row.costUsd)}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** From the start of the run to its end, or to now; what waits is no work, so a long wait is folded. */
function useAxis(run: RunView, live: LiveRun): Axis {
  const now = useNow();
  const steps = live.tree.steps;
  return useMemo(() => {
    const startMs = Math.min(
      Date.parse(run.startedAt ?? run.createdAt),
      ...steps.map(({ startedAt }) => Date.parse(startedAt)).slice(0, 1),
    );
    const endMs =
      run.finishedAt === undefined ? Math.max(now, startMs + 1) : Date.parse(run.finishedAt);
    const busy: Span[] = steps
      .filter(({ kind }) => !GROUPS.has(kind) && kind !== "wait")
      .map(({ startedAt, endedAt }) => ({
        startMs: Date.parse(startedAt),
        endMs: endedAt === undefined ? endMs : Date.parse(endedAt),
      }));
    return makeAxis(busy, { startMs, endMs });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the version says when the steps changed
  }, [run, live.version, run.finishedAt === undefined ? now : 0]);
}

function Bar({ row, axis }: { readonly row: TreeRow; readonly axis: Axis }) {
  const from = axis.at(row.startMs);
  const to = axis.at(row.endMs ?? axis.endMs);
  const look = GROUPS.has(row.kind)
    ? "group"
    : row.kind === "wait" || row.state === "waiting"
      ? "wait"
      : row.state === "error"
        ? "bad"
        : row.kind === "model"
          ? "model"
          : "work";
  return (
    <span className="bar-track" aria-hidden="true">
      {axis.folds.map((fold) => (
        <span
          key={fold.startMs}
          className="fold-band"
          style={{
            insetInlineStart: `${fold.from * 100}%`,
            width: `${(fold.to - fold.from) * 100}%`,
          }}
        />
      ))}
      <span
        className={`bar ${look}${row.endMs === undefined ? " going" : ""}`}
        style={{ insetInlineStart: `${from * 100}%`, width: `max(3px, ${(to - from) * 100}%)` }}
      />
    </span>
  );
}

/** The lengths of what is folded, over the bars. */
function Folds({ axis }: { readonly axis: Axis }) {
  return (
    <span className="bar-track">
      <span className="unseen">Bars</span>
      {axis.folds.map((fold) => (
        <span
          key={fold.startMs}
          className="fold-label"
          title={`Nothing ran for ${formatDuration(fold.endMs - fold.startMs)}`}
          style={{ insetInlineStart: `${((fold.from + fold.to) / 2) * 100}%` }}
        >
          ⋯ {formatDuration(fold.endMs - fold.startMs)} idle
        </span>
      ))}
    </span>
  );
}
