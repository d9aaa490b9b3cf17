import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import type { RunSum, UsageSum } from "../../../src/usage/usage-sums.ts";
import { EngineError } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { formatCost, formatCount, inWords, plural } from "../../parts/format.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import {
  barsOf,
  GROUPS,
  MEASURES,
  PERIODS,
  readUsageQuery,
  shownMeasure,
  totalOf,
  withoutPrice,
  type Bar,
  type Measure,
  type Period,
  type UsageQuery,
} from "./sums.ts";
import "./usage.css";
import { BarChart, type ChartBar } from "../../parts/chart/bar-chart.tsx";
import { formatShort } from "../../parts/chart/trends.ts";
import { RunTable, UsageTable } from "./usage-tables.tsx";

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
  const shown = query.show ?? shownMeasure(totalOf(answer.data?.items ?? []));
  const isOff = EngineError.is(answer.error) && answer.error.code === "not_found";
  return (
    <div className="page">
      <div className="page-head">
        <h1>Usage</h1>
      </div>
      <Choices query={query} shown={shown} />
      {query.dropped.length > 0 && (
        <p className="note" role="status">
          Not understood in the address, and left out: {query.dropped.join(", ")}.
        </p>
      )}
      {isOff ? (
        <Empty title="This app does not count its usage">
          <p>
            Name the part: <code>{"defineApp({ parts: [usage()] })"}</code>. Runs count from then
            on.
          </p>
        </Empty>
      ) : (
        <Answered query={answer}>
          {(data) => <Shown query={query} shown={shown} {...data} />}
        </Answered>
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

function Choices({ query, shown }: { readonly query: UsageQuery; readonly shown: Measure }) {
  const navigate = useNavigate();
  const choose = (changed: Partial<UsageQuery>): void => {
    const { dropped: _, show, ...search } = { ...query, ...changed };
    void navigate({ to: "/usage", search: { ...search, ...(show && { show }) } });
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
          aria-pressed={show === shown}
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
  readonly shown: Measure;
  readonly items: readonly UsageSum[];
  readonly models: readonly UsageSum[];
  readonly runs: readonly RunSum[];
};

function Shown({ query, shown, items, models, runs }: ShownProps) {
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
                {inWords(shown)} by {query.by}
              </h2>
            </header>
            <div className="card-body">
              <BarChart
                label={`${inWords(shown)} by ${query.by}`}
                bars={barsOf(items, { ...timesOf(query.period), by: query.by }).map((bar) =>
                  chartBar(bar, shown),
                )}
                unit={shown === "cost" ? "amount" : "count"}
                write={shown === "cost" ? formatCost : formatShort}
                isTall
              />
            </div>
          </section>
          <UsageTable query={query} shown={shown} items={items} />
        </>
      )}
      {runs.length > 0 && <RunTable runs={runs} group={query.group} />}
    </>
  );
}

function chartBar({ at, totals }: Bar, shown: Measure): ChartBar {
  const amount = shown === "cost" ? totals.costUsd : totals.totalTokens;
  const text = shown === "cost" ? formatCost(amount) : formatCount(amount);
  return { at, parts: [{ tone: "accent", amount }], text: amount === 0 ? "" : text };
}
