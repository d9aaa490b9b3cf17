import { useQuery } from "@tanstack/react-query";
import { EngineError } from "../../../src/client/index.ts";
import type { TargetKind } from "../../api-types.ts";
import { client } from "../../api.ts";
import { Failed } from "../../shell/states.tsx";
import { BarChart } from "./bar-chart.tsx";
import { TREND_DAYS, trendsOf, trendStart, type Trend } from "./trends.ts";

type Props = {
  /** Shows the runs of one crew, flow, agent or conversation; without it, all runs. */
  readonly of?: { readonly kind: TargetKind; readonly name: string };
};

/** Success, duration, tokens and cost of the last 14 days. Nothing if the Worker keeps no sums. */
export default function TrendCharts({ of }: Props) {
  const query = useQuery({
    queryKey: ["trends", of?.kind, of?.name],
    queryFn: async () => {
      // Grouped by kind, so that the number of rows does not grow with the number of names.
      const which = { from: trendStart(Date.now()), by: "day", group: "kind", ...of } as const;
      const [runs, usage] = await Promise.all([
        client.usage.runs(which),
        client.usage.models(which),
      ]);
      return { runs: runs.items, usage: usage.items };
    },
    refetchInterval: 60_000,
    retry: false,
  });
  if (EngineError.is(query.error) && query.error.code === "not_found") return null;
  if (query.error !== null && query.data === undefined) return <Failed error={query.error} />;
  if (query.data?.runs.length === 0 && query.data.usage.length === 0)
    return <p className="soft">No runs in the last {TREND_DAYS} days.</p>;
  const trends = trendsOf(query.data ?? { runs: [], usage: [] }, Date.now());
  return (
    <section aria-label={`Last ${TREND_DAYS} days`} className="stack tight">
      <h2>Last {TREND_DAYS} days</h2>
      <div className="trends" aria-busy={query.data === undefined}>
        {trends.map((trend) => (
          <TrendCard key={trend.label} trend={trend} isLoading={query.data === undefined} />
        ))}
      </div>
    </section>
  );
}

function TrendCard({ trend, isLoading }: { readonly trend: Trend; readonly isLoading: boolean }) {
  return (
    <div className="card card-body trend">
      <p className="trend-head">
        <span>{trend.label}</span>
        <strong>{isLoading ? "…" : trend.total}</strong>
        {trend.note !== undefined && <span className="soft small">{trend.note}</span>}
      </p>
      <BarChart {...trend} />
    </div>
  );
}
