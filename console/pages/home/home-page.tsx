import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, type ReactNode } from "react";
import type { RunRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { formatCost, formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { Failed, Loading } from "../../shell/states.tsx";
import { RunRows } from "../runs/run-rows.tsx";
import { FirstRun, StartAgain } from "./targets.tsx";
import "./home.css";
import { costOfDays, sumOf } from "./sums.ts";

const TrendCharts = lazy(() => import("../../parts/chart/trend-charts.tsx"));
const DAY_MS = 86_400_000;
const newest = (status: RunRow["status"]) =>
  client.runs.list({ status, limit: 10 }).then(({ items }) => items);

async function readHome() {
  const [running, queued, failed, recent, waits] = await Promise.all([
    newest("running"),
    newest("queued"),
    newest("failed"),
    client.runs.list({ limit: 8 }).then(({ items }) => items),
    client.waits.list({ limit: 8 }),
  ]);
  const since = Date.now() - DAY_MS;
  return {
    active: [...running, ...queued].filter(({ parent }) => parent === undefined).length,
    failed: failed.filter(({ updatedAt }) => Date.parse(updatedAt) > since).length,
    recent,
    waits: waits.items,
  };
}

type Home = Awaited<ReturnType<typeof readHome>>;

export function HomePage() {
  const query = useQuery({ queryKey: ["home", "now"], queryFn: readHome });
  useEffect(() => {
    document.title = "Edgecrew";
  }, []);
  const { data } = query;
  return (
    <div className="page home">
      <h1>Home</h1>
      <Missing />
      {data === undefined && query.error !== null ? (
        <Failed error={query.error} again={() => void query.refetch()} />
      ) : data?.recent.length === 0 ? (
        <FirstRun />
      ) : (
        <Overview home={data} />
      )}
    </div>
  );
}

/** Every part has its place from the start; parts without data yet show grey lines. */
function Overview({ home }: { readonly home: Home | undefined }) {
  return (
    <>
      <Sums home={home} />
      <StartAgain />
      <Suspense fallback={<div className="trends-space" aria-busy="true" />}>
        <TrendCharts />
      </Suspense>
      <div className="home-columns">
        <section className="card">
          <header>
            <h2>Newest runs</h2>
            <Link to="/runs" className="small">
              All runs
            </Link>
          </header>
          {home === undefined ? <Rows /> : <RunRows runs={home.recent} />}
        </section>
        <section className="card">
          <header>
            <h2>Open questions</h2>
            <Link to="/inbox" className="small">
              Inbox
            </Link>
          </header>
          {home === undefined ? <Rows /> : <WaitRows waits={home.waits} />}
        </section>
      </div>
    </>
  );
}

function Rows() {
  return (
    <div className="card-body">
      <Loading lines={7} />
    </div>
  );
}

function WaitRows({ waits }: Pick<Home, "waits">) {
  if (waits.length === 0) return <p className="card-body soft">No open questions.</p>;
  return (
    <ul className="rows">
      {waits.map((wait) => (
        <li key={wait.run.id + wait.key}>
          <Link to="/inbox" search={{ run: wait.run.id, key: wait.key }} className="row-link">
            <span className="cut">
              <strong>{wait.run.name}</strong>{" "}
              <span className="soft">
                <PlainText text={(wait.prompt ?? "").slice(0, 160)} />
              </span>
            </span>
            <span className="soft small">
              <Age at={wait.openedAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Missing features of this Worker, each with the command to add it. */
function Missing() {
  const { data } = useQuery({
    queryKey: ["about"],
    queryFn: () => client.about(),
    staleTime: 60_000,
  });
  return data?.missing.map(({ code, message, fix }) => (
    <div key={code} className="note wait">
      <Icon name="failed" />
      <div>
        {message.charAt(0).toUpperCase() + message.slice(1)}.{" "}
        {fix !== undefined && (
          <span className="fix">
            <code>{fix}</code>
            <CopyButton text={fix} label="Copy the command" />
          </span>
        )}
      </div>
    </div>
  ));
}

/** Runs and costs of the last 24 hours, each with a link to its list. */
function Sums({ home }: { readonly home: Home | undefined }) {
  const now = Date.now();
  const stats = useQuery({
    queryKey: ["home", "stats"],
    queryFn: () => client.usage.runs({ by: "hour", from: new Date(now - DAY_MS).toISOString() }),
    retry: false,
  });
  const usage = useQuery({
    queryKey: ["home", "usage"],
    queryFn: () =>
      client.usage.models({ by: "day", from: new Date(now - DAY_MS).toISOString().slice(0, 10) }),
    retry: false,
  });
  const cost = usage.data && costOfDays(usage.data.items, new Date(now));
  const ended = (field: "started" | "completed"): string =>
    stats.data === undefined ? "–" : formatCount(sumOf(stats.data.items, field));
  const failed = home?.failed ?? 0;
  return (
    <div className="sums">
      <SumCard label="Running" search={{ status: "running,queued" }}>
        {home?.active ?? "–"}
      </SumCard>
      <SumCard label="Failed, 24 h" search={{ status: "failed", period: "day" }}>
        <span className={failed > 0 ? "bad-text" : undefined}>{home?.failed ?? "–"}</span>
      </SumCard>
      <SumCard label="Started, 24 h" search={{ period: "day" }}>
        {ended("started")}
      </SumCard>
      <SumCard label="Completed, 24 h" search={{ status: "completed", period: "day" }}>
        {ended("completed")}
      </SumCard>
      <Link to="/usage" className="sum">
        <span>Cost today</span>
        <strong>
          {cost === undefined ? "–" : formatCost(cost.today)}
          {cost !== undefined && (
            <span className="soft small"> yesterday {formatCost(cost.yesterday)}</span>
          )}
        </strong>
      </Link>
    </div>
  );
}

type SumCardProps = {
  readonly label: string;
  readonly search: Readonly<Record<string, string>>;
  readonly children: ReactNode;
};

function SumCard({ label, search, children }: SumCardProps) {
  return (
    <Link to="/runs" search={search} className="sum">
      <span>{label}</span>
      <strong>{children}</strong>
    </Link>
  );
}
