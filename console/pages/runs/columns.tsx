import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunRow } from "../../api-types.ts";
import { formatCost, formatCount, formatDuration, shortId } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age, Duration } from "../../parts/time.tsx";

export type Column = {
  readonly id: string;
  readonly label: string;
  /** Width in the grid. */
  readonly width: string;
  readonly isNumber?: true;
  /** True if the column is hidden by default. */
  readonly isExtra?: true;
  readonly show: (run: RunRow) => ReactNode;
};

const isOver = ({ status }: RunRow): boolean =>
  ["completed", "failed", "cancelled"].includes(status);

export const COLUMNS: readonly Column[] = [
  {
    id: "status",
    label: "Status",
    width: "108px",
    show: (run) => <Status status={run.held ? "held" : run.status} />,
  },
  {
    id: "name",
    label: "Name",
    width: "minmax(150px, 1.6fr)",
    show: ({ id, name }) => (
      <Link to="/runs/$id" params={{ id }} className="run-name cut">
        {name}
      </Link>
    ),
  },
  { id: "kind", label: "Kind", width: "104px", isExtra: true, show: ({ kind }) => kind },
  {
    id: "id",
    label: "Run",
    width: "92px",
    show: ({ id }) => (
      <span className="mono soft cut" title={id}>
        {shortId(id)}
      </span>
    ),
  },
  { id: "begun", label: "Begun", width: "90px", show: ({ createdAt }) => <Age at={createdAt} /> },
  {
    id: "duration",
    label: "Duration",
    width: "98px",
    isNumber: true,
    show: (run) =>
      run.durationMs !== undefined && isOver(run) ? (
        formatDuration(run.durationMs)
      ) : (
        <Duration
          from={run.startedAt ?? run.createdAt}
          to={run.finishedAt ?? (isOver(run) ? run.updatedAt : undefined)}
        />
      ),
  },
  {
    id: "cost",
    label: "Cost",
    width: "66px",
    isNumber: true,
    show: ({ usage }) => formatCost(usage?.costUsd),
  },
  {
    id: "tokens",
    label: "Tokens",
    width: "68px",
    isNumber: true,
    show: ({ usage }) => formatCount(usage?.tokens),
  },
  {
    id: "waits",
    label: "Asks",
    width: "46px",
    isNumber: true,
    show: ({ waits, id }) =>
      (waits ?? 0) > 0 ? (
        <Link to="/inbox" search={{ run: id }} className="badge wait">
          {waits}
        </Link>
      ) : null,
  },
  {
    id: "tags",
    label: "Tags",
    width: "minmax(60px, 0.8fr)",
    show: ({ tags }) => (
      <span className="cut">
        {tags?.map((tag) => (
          <Link key={tag} to="/runs" search={{ tag }} className="badge tag">
            {tag}
          </Link>
        ))}
      </span>
    ),
  },
  {
    id: "trigger",
    label: "Started by",
    width: "110px",
    isExtra: true,
    show: ({ trigger }) => <span className="cut">{trigger ?? "api"}</span>,
  },
  {
    id: "error",
    label: "Error",
    width: "minmax(70px, 1.2fr)",
    show: ({ error }) =>
      error === undefined ? null : (
        <span className="cut soft" title={error.message}>
          <span className="bad-text">{error.code}</span> <PlainText text={error.message} />
        </span>
      ),
  },
];
