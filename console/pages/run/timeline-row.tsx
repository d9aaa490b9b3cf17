import { Link } from "@tanstack/react-router";
import { memo, type KeyboardEvent, type RefObject } from "react";
import { formatCost, formatCount, formatDuration, shortId } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { StepStatus } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import type { Axis } from "./axis.ts";
import type { TreeRow } from "./step-tree.ts";
import { GROUPS } from "./use-axis.ts";

const ICONS: Readonly<Record<string, IconName>> = {
  task: "task",
  method: "flow",
  agent: "agent",
  model: "model",
  tool: "tool",
  wait: "clock",
  turn: "conversation",
};

/** Actions of the timeline. All rows share one object, so a row renders again only if it changed. */
export type RowActions = {
  readonly turn: (row: TreeRow) => void;
  readonly focus: (index: number) => void;
  readonly press: (event: KeyboardEvent, row: TreeRow, index: number) => void;
  readonly choose: (row: TreeRow) => void;
};

type Props = {
  readonly row: TreeRow;
  readonly index: number;
  readonly topPx: number;
  readonly axis: Axis;
  /** Undefined for a row without children. */
  readonly isOpen: boolean | undefined;
  readonly isChosen: boolean;
  readonly hasFocus: boolean;
  readonly actions: RefObject<RowActions>;
};

export const TimelineRow = memo(({ row, index, topPx, axis, isOpen, actions, ...props }: Props) => {
  const { step } = row;
  const isOwn = row.takenFrom === undefined;
  return (
    <div
      role="row"
      data-index={index}
      data-key={row.key}
      data-run={row.runId}
      aria-level={row.depth + 1}
      aria-rowindex={index + 2}
      aria-expanded={isOpen}
      aria-selected={props.isChosen}
      tabIndex={props.hasFocus ? 0 : -1}
      className="timeline-row"
      style={{ transform: `translateY(${topPx}px)` }}
      onFocus={() => actions.current.focus(index)}
      onKeyDown={(event) => actions.current.press(event, row, index)}
      onClick={() => actions.current.choose(row)}
    >
      <span
        role="rowheader"
        className="step-name"
        style={{ paddingInlineStart: 8 + row.depth * 18 }}
      >
        {isOpen === undefined ? (
          <span className="twist-space" />
        ) : (
          <button
            type="button"
            tabIndex={-1}
            className={`twist${isOpen ? " open" : ""}`}
            aria-label={isOpen ? "Fold" : "Unfold"}
            onClick={(event) => {
              event.stopPropagation();
              actions.current.turn(row);
            }}
          />
        )}
        <Icon name={ICONS[row.kind] ?? "queued"} size={14} />
        <span className="cut" title={row.key}>
          <PlainText text={row.label} />
        </span>
        {row.childRunId !== undefined && <span className="badge">run</span>}
        {step?.edited === true && <span className="badge">edited</span>}
        {(step?.attempt ?? 1) > 1 && (
          <span className="badge wait" title="Attempts">
            ×{step?.attempt}
          </span>
        )}
      </span>
      <span role="gridcell">
        {row.takenFrom === undefined ? (
          <StepStatus state={row.state} />
        ) : (
          <span className="status calm">
            <Icon name="fork" size={15} />
            <span className="status-word">Taken over</span>
          </span>
        )}
      </span>
      <span role="gridcell" className="number soft">
        {isOwn && `+${formatDuration(Math.max(0, row.startMs - axis.startMs))}`}
      </span>
      <span role="gridcell" className="bar-cell">
        {row.takenFrom === undefined ? (
          <Bar row={row} axis={axis} />
        ) : (
          <Link
            className="small cut"
            to="/runs/$id"
            params={{ id: row.takenFrom }}
            search={row.step === undefined ? {} : { step: row.key }}
            tabIndex={-1}
            title={`Taken over from run ${row.takenFrom}`}
            onClick={(event) => event.stopPropagation()}
          >
            from {shortId(row.takenFrom)}
          </Link>
        )}
      </span>
      <span role="gridcell" className="number">
        {isOwn ? (
          formatDuration(Math.max(0, (row.endMs ?? axis.endMs) - row.startMs))
        ) : (
          <span className="taken-word soft">taken over</span>
        )}
      </span>
      <span role="gridcell" className="number">
        {row.tokens === 0 ? "" : formatCount(row.tokens)}
      </span>
      <span role="gridcell" className="number">
        {row.costUsd === 0 ? "" : formatCost(row.costUsd)}
      </span>
    </div>
  );
});

function Bar({ row, axis }: { readonly row: TreeRow; readonly axis: Axis }) {
  const endMs = row.endMs ?? Infinity;
  const from = axis.at(row.startMs);
  const to = axis.at(endMs);
  const isSeen = row.startMs <= axis.endMs && endMs >= axis.startMs;
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
      {isSeen && (
        <span
          className={`bar ${look}${row.endMs === undefined ? " going" : ""}`}
          style={{
            insetInlineStart: `min(calc(100% - 3px), ${from * 100}%)`,
            width: `max(3px, ${(to - from) * 100}%)`,
          }}
        />
      )}
    </span>
  );
}
