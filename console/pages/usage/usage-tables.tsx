import { Link } from "@tanstack/react-router";
import type { RunSum, UsageSum } from "../../../src/usage/usage-sums.ts";
import { formatCost, formatCount, formatDuration, inWords } from "../../parts/format.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";
import { KINDS, type Filters } from "../runs/filters.ts";
import { byGroup, csvOf, groupOf, type Group, type Measure, type UsageQuery } from "./sums.ts";

type GroupLinkProps = {
  readonly by: Group;
  readonly sum: { readonly label: string; readonly group: string; readonly kind?: string };
};

/** Links to the runs of a group. Runs have no list by model. */
function GroupLink({ by, sum: { label, group, kind } }: GroupLinkProps) {
  const runKind = by === "kind" ? group : kind;
  if (by === "model" || !KINDS.some((each) => each === runKind)) return label;
  return (
    <Link
      to="/runs"
      search={{ kind: runKind, ...(by === "name" ? { name: group } : undefined) } as Filters}
      className="in-text"
    >
      {label}
    </Link>
  );
}

type UsageTableProps = {
  readonly query: UsageQuery;
  readonly shown: Measure;
  readonly items: readonly UsageSum[];
};

export function UsageTable({ query, shown, items }: UsageTableProps) {
  const sums = byGroup(items);
  const csv = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(items, query.group))}`;
  const of = shown === "cost" ? "costUsd" : "totalTokens";
  const most = Math.max(...sums.map(({ totals }) => totals[of]), Number.MIN_VALUE);
  return (
    <section className="card">
      <header>
        <h2>By {query.group}</h2>
        <a
          className="button small"
          href={csv}
          download={`usage-${query.period}-${query.group}.csv`}
        >
          CSV
        </a>
      </header>
      <TableScroll label={`Usage by ${query.group}`}>
        <table aria-label={`Usage by ${query.group}`}>
          <thead>
            <tr>
              <th>{inWords(query.group)}</th>
              <th className="share">{inWords(shown)}</th>
              <th className="number">Calls</th>
              <th className="number">In</th>
              <th className="number">Out</th>
              <th className="number">Tokens</th>
              <th className="number">Cost</th>
            </tr>
          </thead>
          <tbody>
            {sums.map(({ totals, ...sum }) => (
              <tr key={sum.label}>
                <td>
                  <GroupLink by={query.group} sum={sum} />
                </td>
                <td className="share">
                  <span className="share-bar" style={{ width: `${(totals[of] / most) * 100}%` }} />
                </td>
                <td className="number">{formatCount(totals.requests)}</td>
                <td className="number">{formatCount(totals.promptTokens)}</td>
                <td className="number">{formatCount(totals.completionTokens)}</td>
                <td className="number">{formatCount(totals.totalTokens)}</td>
                <td className="number">{formatCost(totals.costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

type RunTableProps = { readonly runs: readonly RunSum[]; readonly group: Group };

export function RunTable({ runs, group }: RunTableProps) {
  const by = group === "kind" ? "kind" : "name";
  const names = [
    ...Map.groupBy(runs, (run) => (run.kind ? `${run.kind} ${run.group}` : run.group)),
  ];
  const sums = names.map(([label, rows]) => ({
    label,
    ...groupOf(rows),
    ...rows.reduce(
      (sum, each) => ({
        started: sum.started + each.started,
        completed: sum.completed + each.completed,
        failed: sum.failed + each.failed,
        cancelled: sum.cancelled + each.cancelled,
        runMs: sum.runMs + each.runMs,
      }),
      { started: 0, completed: 0, failed: 0, cancelled: 0, runMs: 0 },
    ),
  }));
  return (
    <section className="card">
      <header>
        <h2>Runs</h2>
      </header>
      <TableScroll label="Runs">
        <table aria-label="Runs">
          <thead>
            <tr>
              <th>Target</th>
              <th className="number">Begun</th>
              <th className="number">Completed</th>
              <th className="number">Failed</th>
              <th className="number">Cancelled</th>
              <th className="number">Average time</th>
            </tr>
          </thead>
          <tbody>
            {sums.map(({ started, completed, failed, cancelled, runMs, ...sum }) => {
              const ended = completed + failed + cancelled;
              return (
                <tr key={sum.label}>
                  <td>
                    <GroupLink by={by} sum={sum} />
                  </td>
                  <td className="number">{formatCount(started)}</td>
                  <td className="number">{formatCount(completed)}</td>
                  <td className={failed > 0 ? "number bad-text" : "number"}>
                    {formatCount(failed)}
                  </td>
                  <td className="number">{formatCount(cancelled)}</td>
                  <td className="number">{ended === 0 ? "–" : formatDuration(runMs / ended)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}
