import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { RunRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { formatCost, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Status } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age, Duration } from "../../parts/time.tsx";
import { Answered } from "../../shell/states.tsx";
import { FirstRun, StartAgain } from "./targets.tsx";
import "./home.css";
import { costOfDays, sumOf } from "./sums.ts";

const DAY_MS = 86_400_000;
const newest = (status: RunRow["status"]) =>
  client.runs.list({ status, limit: 10 }).then(({ items }) => items);

async function readHome() {
  const [running, queued, failed, recent, waits] = await Promise.all([
    newest("running"),
    newest("queued"),
    newest("failed"),
    client.runs.list({ limit: 8 }).then(({ items }) => items),
    client.waits.list({ limit: 5 }),
  ]);
  const since = Date.now() - DAY_MS;
  return {
    going: [...running, ...queued].filter(({ parent }) => parent === undefined),
    failed: failed.filter(({ updatedAt }) => Date.parse(updatedAt) > since),
    recent,
    waits: waits.items,
  };
}

export function HomePage() {
  const query = useQuery({ queryKey: ["home", "now"], queryFn: readHome });
  useEffect(() => {
    document.title = "Edgecrew";
  }, []);
  return (
    <div className="page">
      <h1>Home</h1>
      <Missing />
      <Answered query={query}>
        {({ going, failed, recent, waits }) =>
          recent.length === 0 ? (
            <FirstRun />
          ) : (
            <>
              <Sums going={going.length} failed={failed.length} />
              <div className="home-columns">
                <Box title="Newest" to="/runs" search={{}} empty="" runs={recent} />
                <div className="stack">
                  <section className="card">
                    <header>
                      <h2>Open questions</h2>
                      <Link to="/inbox" className="small">
                        Inbox
                      </Link>
                    </header>
                    {waits.length === 0 ? (
                      <p className="card-body soft">No open questions.</p>
                    ) : (
                      <ul className="rows">
                        {waits.map((wait) => (
                          <li key={wait.run.id + wait.key}>
                            <Link
                              to="/inbox"
                              search={{ run: wait.run.id, key: wait.key }}
                              className="row-link"
                            >
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
                    )}
                  </section>
                  <Box
                    title="Running"
                    to="/runs"
                    search={{ status: "running" }}
                    empty="No run is active."
                    runs={going}
                  />
                  <Box
                    title="Failed in 24 hours"
                    to="/runs"
                    search={{ status: "failed", period: "day" }}
                    empty="No failed runs."
                    runs={failed}
                  />
                </div>
              </div>
              <StartAgain />
            </>
          )
        }
      </Answered>
    </div>
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

/** Runs and costs of the last 24 hours. Empty if the Worker keeps no sums. */
function Sums({ going, failed }: { readonly going: number; readonly failed: number }) {
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
  return (
    <dl className="sums">
      <div>
        <dt>Running</dt>
        <dd>{going}</dd>
      </div>
      <div>
        <dt>Failed, 24 h</dt>
        <dd className={failed > 0 ? "bad-text" : undefined}>{failed}</dd>
      </div>
      {stats.data !== undefined && (
        <div>
          <dt>Started, 24 h</dt>
          <dd>{sumOf(stats.data.items, "started")}</dd>
        </div>
      )}
      {stats.data !== undefined && (
        <div>
          <dt>Completed, 24 h</dt>
          <dd>{sumOf(stats.data.items, "completed")}</dd>
        </div>
      )}
      {cost !== undefined && (
        <div>
          <dt>Cost today</dt>
          <dd>
            {formatCost(cost.today)}{" "}
            <span className="soft small">yesterday {formatCost(cost.yesterday)}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

type BoxProps = {
  readonly title: string;
  readonly to: "/runs";
  readonly search: Readonly<Record<string, string>>;
  readonly empty: string;
  readonly runs: readonly RunRow[];
};

function Box({ title, to, search, empty, runs }: BoxProps) {
  return (
    <section className="card">
      <header>
        <h2>{title}</h2>
        <Link to={to} search={search} className="small">
          All
        </Link>
      </header>
      {runs.length === 0 ? (
        <p className="card-body soft">{empty}</p>
      ) : (
        <ul className="rows">
          {runs.slice(0, 8).map((run) => (
            <li key={run.id}>
              <Link to="/runs/$id" params={{ id: run.id }} className="row-link">
                <Status status={run.held ? "held" : run.status} />
                <span className="cut">
                  <strong>{run.name}</strong> <span className="mono soft">{shortId(run.id)}</span>
                </span>
                <span className="soft small number">
                  {run.status === "running" ? (
                    <Duration from={run.startedAt ?? run.createdAt} />
                  ) : (
                    <Age at={run.createdAt} />
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
