import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import type { RunSum, UsageSum } from "../../../src/usage/usage-sums.ts";
import { EngineError } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { formatCost, formatCount, formatDuration, inWords, plural } from "../../parts/format.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { UsageBars } from "./usage-bars.tsx";
import {
  barsOf,
  byGroup,
  csvOf,
  GROUPS,
  MEASURES,
  PERIODS,
  readUsageQuery,
  totalOf,
  withoutPrice,
  type Period,
  type UsageQuery,
} from "./sums.ts";
import "./usage.css";
import { TableScroll } from "../../parts/table-scroll.tsx";

const DAY_MS = 86_400_000;

/** The first day of the period, and now. */
function timesOf(period: Period): { readonly fromMs: number; readonly toMs: number } {
  const now = Date.now();
  const today = now - (now % DAY_MS);
  return { fromMs: today - (PERIODS[period] - 1) * DAY_MS, toMs: now };
}

export function UsagePage() {
  const query = readUsageQuery(useSearch({ from: "/usage" }));
  const { period, by, group } = query;
  useEffect(() => {
    document.title = "Usage · Edgecrew";
  }, []);
  const from = new Date(timesOf(period).fromMs).toISOString();
  const answer = useQuery({
    queryKey: ["usage", period, by, group],
    queryFn: async () => {
      const [shown, models, runs] = await Promise.all([
        client.usage.models({ from, by, group }),
        client.usage.models({ from, by: "month", group: "model" }),
        client.usage.runs({ from, by: "day", group: group === "kind" ? "kind" : "name" }),
      ]);
      return { items: shown.items, models: models.items, runs: runs.items };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  const isOff = EngineError.is(answer.error) && answer.error.code === "not_found";
  return (
    <div className="page">
      <div className="page-head">
        <h1>Usage</h1>
      </div>
      <Choices query={query} />
      {query.dropped.length > 0 && (
        <p className="note" role="status">
          Not understood in the address, and left out: {query.dropped.join(", ")}.
        </p>
      )}
      {isOff ? (
        <Empty title="This app keeps no sums">
          <p>
            Name the part: <code>{"defineApp({ parts: [usage()] })"}</code>. Runs count from then
            on.
          </p>
        </Empty>
      ) : (
        <Answered query={answer}>{(data) => <Shown query={query} {...data} />}</Answered>
      )}
    </div>
  );
}

const PERIOD_WORDS: Readonly<Record<Period, string>> = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "400d": "400 days",
};

function Choices({ query }: { readonly query: UsageQuery }) {
  const navigate = useNavigate();
  const choose = (changed: Partial<UsageQuery>): void => {
    const { dropped: _, ...search } = { ...query, ...changed };
    void navigate({ to: "/usage", search });
  };
  return (
    <div className="cluster usage-choices">
      <select
        className="chip"
        aria-label="Period"
        value={query.period}
        onChange={(event) => {
          const period = event.target.value as Period;
          choose({ period, by: period === "400d" ? "month" : query.by });
        }}
      >
        {Object.entries(PERIOD_WORDS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        className="chip"
        aria-label="Step"
        value={query.by}
        onChange={(event) => choose({ by: event.target.value as "day" | "month" })}
      >
        <option value="day">By day</option>
        <option value="month">By month</option>
      </select>
      {GROUPS.map((group) => (
        <button
          key={group}
          type="button"
          className="chip"
          aria-pressed={group === query.group}
          onClick={() => choose({ group })}
        >
          By {group}
        </button>
      ))}
      <span className="spread" />
      {MEASURES.map((show) => (
        <button
          key={show}
          type="button"
          className="chip"
          aria-pressed={show === query.show}
          onClick={() => choose({ show })}
        >
          {inWords(show)}
        </button>
      ))}
    </div>
  );
}

type ShownProps = {
  readonly query: UsageQuery;
  readonly items: readonly UsageSum[];
  readonly models: readonly UsageSum[];
  readonly runs: readonly RunSum[];
};

function Shown({ query, items, models, runs }: ShownProps) {
  const total = totalOf(items);
  const unknown = withoutPrice(models);
  return (
    <>
      <dl className="sums">
        <div>
          <dt>Cost</dt>
          <dd data-sum="cost">{formatCost(total.costUsd)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd data-sum="tokens">{formatCount(total.totalTokens)}</dd>
        </div>
        <div>
          <dt>Model calls</dt>
          <dd data-sum="requests">{formatCount(total.requests)}</dd>
        </div>
        <div>
          <dt>Runs begun</dt>
          <dd>{formatCount(runs.reduce((sum, { started }) => sum + started, 0))}</dd>
        </div>
      </dl>
      {unknown.length > 0 && (
        <p className="note wait">
          <span>
            {plural(unknown.length, "model")} without a price: {unknown.join(", ")}. Their cost is
            not included.
          </span>
        </p>
      )}
      {items.length === 0 ? (
        <Empty title="No model was called in this time">
          <p>Runs count when they wait and when they end.</p>
        </Empty>
      ) : (
        <>
          <section className="card">
            <header>
              <h2>
                {inWords(query.show)} by {query.by}
              </h2>
            </header>
            <div className="card-body">
              <UsageBars
                bars={barsOf(items, { ...timesOf(query.period), by: query.by })}
                show={query.show}
              />
            </div>
          </section>
          <UsageTable query={query} items={items} />
        </>
      )}
      {runs.length > 0 && <RunTable runs={runs} />}
    </>
  );
}

function UsageTable({ query, items }: Pick<ShownProps, "query" | "items">) {
  const sums = byGroup(items);
  const csv = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(items, query.group))}`;
  const of = query.show === "cost" ? "costUsd" : "totalTokens";
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
              <th className="share">{inWords(query.show)}</th>
              <th className="number">Calls</th>
              <th className="number">In</th>
              <th className="number">Out</th>
              <th className="number">Tokens</th>
              <th className="number">Cost</th>
            </tr>
          </thead>
          <tbody>
            {sums.map(({ label, totals }) => (
              <tr key={label}>
                <td>{label}</td>
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

function RunTable({ runs }: { readonly runs: readonly RunSum[] }) {
  const names = [...Map.groupBy(runs, ({ kind, group }) => (kind ? `${kind} ${group}` : group))];
  const sums = names.map(([label, rows]) => ({
    label,
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
            {sums.map(({ label, started, completed, failed, cancelled, runMs }) => {
              const ended = completed + failed + cancelled;
              return (
                <tr key={label}>
                  <td>{label}</td>
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
