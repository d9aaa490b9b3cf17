import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { RunView } from "../../api-types.ts";
import { formatCost, formatCount, formatDuration, inWords } from "../../parts/format.ts";
import { GraphView } from "../../parts/graph-view.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Status } from "../../parts/status.tsx";
import { Moment } from "../../parts/time.tsx";
import { SESSION_KEY } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import Conversation from "../run/conversation.tsx";
import Raw from "../run/raw.tsx";
import { RunBody } from "../run/run-body.tsx";
import { Timeline } from "../run/timeline.tsx";
import Usage from "../run/usage.tsx";
import { useLiveRun, type LiveRun } from "../run/use-run.ts";
import { serveFile } from "./file-server.ts";
import type { OpenedRun } from "./read-export.ts";
import { pictureOf } from "./run-picture.ts";

const TABS = ["overview", "timeline", "conversation", "picture", "usage", "raw"] as const;
type Tab = (typeof TABS)[number];

/**
 * A run from its file, in the components of the run page. The file answers their requests, and the cache is separate
 * from the server's.
 */
export function OpenedRunView({ opened }: { readonly opened: OpenedRun }) {
  const queries = useMemo(() => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    // A file is read-only: components that change a run stay hidden.
    const reader = { authenticated: true, mode: "open", methods: [], scopes: ["read"] };
    client.setQueryData(SESSION_KEY, reader);
    return client;
  }, []);
  const [isServed, setServed] = useState(false);
  useEffect(() => {
    const stop = serveFile(opened);
    setServed(true);
    return () => {
      stop();
      queries.clear();
    };
  }, [opened, queries]);
  if (!isServed) return null;
  return (
    <QueryClientProvider client={queries}>
      <Run id={opened.run.id} />
    </QueryClientProvider>
  );
}

function Run({ id }: { readonly id: string }) {
  const live = useLiveRun(id);
  const [tab, setTab] = useState<Tab>("overview");
  const [step, choose] = useState<string>();
  return (
    <Answered query={live.query}>
      {(run) => (
        <>
          <Facts run={run} />
          {run.error !== undefined && (
            <div className="note bad">
              <Icon name="failed" />
              <div>
                <strong>{run.error.code}</strong> <span className="value">{run.error.message}</span>
              </div>
            </div>
          )}
          <Tabs label="Views of this run" chosen={tab}>
            {TABS.map((each) => (
              <button
                key={each}
                type="button"
                aria-current={each === tab ? "page" : undefined}
                onClick={() => setTab(each)}
              >
                {each === "conversation" ? "Model calls" : inWords(each)}
              </button>
            ))}
          </Tabs>
          <RunBody
            run={run}
            live={live}
            step={step}
            isOverview={tab === "overview"}
            onChoose={choose}
          >
            <Shown tab={tab} run={run} live={live} step={step} onChoose={choose} />
          </RunBody>
        </>
      )}
    </Answered>
  );
}

type ShownProps = {
  readonly tab: Tab;
  readonly run: RunView;
  readonly live: LiveRun;
  readonly step: string | undefined;
  readonly onChoose: (step: string | undefined) => void;
};

function Shown({ tab, run, live, step, onChoose }: ShownProps) {
  const search = step === undefined ? {} : { step };
  switch (tab) {
    case "overview":
    case "timeline":
      return <Timeline run={run} live={live} search={search} onChoose={onChoose} />;
    case "conversation":
      return <Conversation run={run} live={live} onChoose={onChoose} />;
    case "picture":
      return <Picture run={run} live={live} onChoose={onChoose} />;
    case "usage":
      return <Usage run={run} live={live} onChoose={onChoose} />;
    default:
      return <Raw run={run} live={live} search={search} onChoose={onChoose} />;
  }
}

function Picture({ run, live, onChoose }: Pick<ShownProps, "run" | "live" | "onChoose">) {
  const graph = pictureOf(run, live.tree.steps);
  if (graph.nodes.length === 0) return <Empty title="This run has no tasks or methods" />;
  return (
    <div className="card card-body stack">
      <GraphView graph={graph} onChoose={({ key }) => onChoose(key)} />
      {graph.warnings.map((warning) => (
        <p key={warning} className="small soft">
          {warning}
        </p>
      ))}
    </div>
  );
}

function Facts({ run }: { readonly run: RunView }) {
  const begun = run.startedAt ?? run.createdAt;
  return (
    <dl className="run-facts">
      <Fact label="Run">
        <span className="mono">{run.id}</span>
      </Fact>
      <Fact label="Status">
        <Status status={run.status} />
      </Fact>
      <Fact label="Kind">{run.kind}</Fact>
      <Fact label="Begun">
        <Moment at={begun} />
      </Fact>
      {run.finishedAt !== undefined && (
        <Fact label="Duration">
          {formatDuration(Date.parse(run.finishedAt) - Date.parse(begun))}
        </Fact>
      )}
      <Fact label="Cost">{formatCost(run.usage.costUsd)}</Fact>
      <Fact label="Tokens">{formatCount(run.usage.totalTokens)}</Fact>
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
