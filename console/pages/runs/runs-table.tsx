import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useState, type RefObject } from "react";
import type { RunRow } from "../../api-types.ts";
import { useKeys } from "../../shell/keys.ts";
import type { Column } from "./columns.tsx";

const ROW = 36;

type Props = {
  readonly rows: readonly RunRow[];
  readonly columns: readonly Column[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string) => void;
  readonly onEnd: () => void;
  readonly scroller: RefObject<HTMLDivElement | null>;
};

/** Renders only the visible runs of a long list. */
export function RunsTable({ rows, columns, selected, onSelect, onEnd, scroller }: Props) {
  const navigate = useNavigate();
  const [current, setCurrent] = useState(-1);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastShown >= rows.length - 15) onEnd();
  }, [lastShown, rows.length, onEnd]);
  const go = (step: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, current + step));
    setCurrent(next);
    virtual.scrollToIndex(next);
  };
  const open = (run: RunRow | undefined): void => {
    if (run !== undefined) void navigate({ to: "/runs/$id", params: { id: run.id } });
  };
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    x: () => rows[current] && onSelect(rows[current].id),
    ...(current >= 0 && { Enter: () => open(rows[current]) }),
  });
  const template = `34px ${columns.map(({ width }) => width).join(" ")}`;
  return (
    <div
      className="table-scroll"
      ref={scroller}
      role="table"
      aria-label="Runs"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      style={{ "--template": template } as React.CSSProperties}
    >
      <div className="table-head" role="row" aria-rowindex={1}>
        <span role="columnheader">
          <span className="unseen">Select</span>
        </span>
        {columns.map(({ id, label, isNumber }) => (
          <span key={id} role="columnheader" className={isNumber ? "number" : undefined}>
            {label}
          </span>
        ))}
      </div>
      <div role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const run = rows[index];
          if (run === undefined) return null;
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              data-run={run.id}
              className={`table-row${index === current ? " current" : ""}${selected.has(run.id) ? " selected" : ""}`}
              style={{ transform: `translateY(${start}px)` }}
              onClick={(event) => {
                if (!(event.target as Element).closest("a, input, label, button")) open(run);
              }}
            >
              <span role="cell">
                <label className="tick">
                  <input
                    type="checkbox"
                    checked={selected.has(run.id)}
                    aria-label={`Select ${run.name} ${run.id}`}
                    onChange={() => onSelect(run.id)}
                  />
                </label>
              </span>
              {columns.map(({ id, show, isNumber }) => (
                <span role="cell" key={id} data-column={id} className={isNumber ? "number" : "cut"}>
                  {show(run)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
