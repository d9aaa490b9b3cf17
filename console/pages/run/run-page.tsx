import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, memo, Suspense, useEffect, useRef } from "react";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { inWords } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { PlainText } from "../../parts/text.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useKeys } from "../../shell/keys.ts";
import { useMay } from "../../shell/session.ts";
import { readKept } from "../../shell/preferences.ts";
import { Answered, Loading } from "../../shell/states.tsx";
import { RunBody } from "./run-body.tsx";
import { RunHeader } from "./run-header.tsx";
import { Timeline } from "./timeline.tsx";
import { useLiveRun, type LiveRun } from "./use-run.ts";

const Conversation = lazy(() => import("./conversation.tsx"));
const Picture = lazy(() => import("./picture.tsx"));
const Usage = lazy(() => import("./usage.tsx"));
const Raw = lazy(() => import("./raw.tsx"));
const RunMessages = lazy(() => import("./messages.tsx"));
const WaitForms = lazy(() => import("../inbox/wait-forms.tsx"));

/** Components without journal data do not render again with each of its rows. */
const Header = memo(RunHeader);
const KeptNotes = memo(Notes);

const TABS = ["overview", "timeline", "conversation", "graph", "usage", "raw"] as const;
type Tab = (typeof TABS)[number];
const LABELS: Readonly<Record<Tab, string>> = {
  overview: "Overview",
  timeline: "Timeline",
  conversation: "Model calls",
  graph: "Graph",
  usage: "Usage",
  raw: "Raw",
};

export type RunSearch = {
  readonly tab?: string;
  readonly step?: string;
  readonly under?: string;
  readonly q?: string;
};

export function RunPage() {
  const { id } = useParams({ from: "/runs/$id" });
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { readonly id: string }) {
  const search: RunSearch = useSearch({ from: "/runs/$id" });
  const live = useLiveRun(id);
  const navigate = useNavigate();
  const name = live.query.data?.name;
  useEffect(() => {
    document.title = `${name ?? "Run"} · Edgecrew`;
  }, [name]);
  const beside = (step: number): void => {
    const ids = readKept<readonly string[]>("lastRuns", []);
    const next = ids[ids.indexOf(id) + step];
    if (ids.includes(id) && next !== undefined)
      void navigate({ to: "/runs/$id", params: { id: next }, search: { tab: search.tab } });
  };
  useKeys({ "[": () => beside(-1), "]": () => beside(1) });
  const tab = TABS.find((each) => each === search.tab) ?? "overview";
  const choose = (step: string | undefined): void =>
    void navigate({ to: "/runs/$id", params: { id }, search: { ...search, step }, replace: true });
  return (
    <div className="page run-page">
      <Answered query={live.query}>
        {(run) => (
          <>
            <Header run={run} connection={live.connection} tokens={live.tree.tokens} />
            <KeptNotes key={id} run={run} />
            {run.kind !== "conversation" && (
              <Suspense>
                <RunMessages run={run} />
              </Suspense>
            )}
            <Tabs label="Views of this run" chosen={tab}>
              {TABS.map((each) => (
                <Link
                  key={each}
                  to="/runs/$id"
                  params={{ id }}
                  search={{ ...search, tab: each === "overview" ? undefined : each }}
                  aria-current={each === tab ? "page" : undefined}
                  activeOptions={{ exact: true }}
                >
                  {each === "graph" && (run.kind === "flow" || run.kind === "crew")
                    ? inWords(run.kind)
                    : LABELS[each]}
                </Link>
              ))}
            </Tabs>
            <Body run={run} live={live} search={search} tab={tab} onChoose={choose} />
          </>
        )}
      </Answered>
    </div>
  );
}

type ShownProps = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly search: RunSearch;
  readonly tab: Tab;
  readonly onChoose: (step: string | undefined) => void;
};

function Body(props: ShownProps) {
  const { run, live, search, tab, onChoose } = props;
  return (
    <RunBody
      run={run}
      live={live}
      step={search.step}
      isOverview={tab === "overview"}
      onChoose={onChoose}
    >
      <Suspense fallback={<Loading />}>
        <Shown {...props} />
      </Suspense>
    </RunBody>
  );
}

function Shown({ run, live, search, tab, onChoose }: ShownProps) {
  switch (tab) {
    case "conversation":
      return <Conversation run={run} live={live} onChoose={onChoose} />;
    case "graph":
      return <Picture run={run} version={live.version} onChoose={onChoose} />;
    case "usage":
      return <Usage run={run} live={live} onChoose={onChoose} />;
    case "raw":
      return <Raw run={run} live={live} search={search} onChoose={onChoose} />;
    default:
      return <Timeline run={run} live={live} search={search} onChoose={onChoose} />;
  }
}

/** Continues a stopped run without losing its work: starts a new run from one of its steps, or from the failed one. */
function GoOn({ runId, stepKey }: { readonly runId: string; readonly stepKey?: string }) {
  const mayRun = useMay("run");
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const run = client.runs.handle(runId);
      return stepKey === undefined ? run.retry() : run.fork({ fromStep: stepKey });
    },
    onSuccess: ({ id }) => void navigate({ to: "/runs/$id", params: { id } }),
  });
  if (!mayRun) return null;
  return (
    <p className="cluster">
      <button type="button" className="button small" disabled={isPending} onClick={() => mutate()}>
        <Icon name="fork" size={13} />{" "}
        {stepKey === undefined ? "Try again from where it failed" : "Fork from this step"}
      </button>
      {error !== null && (
        <span className="fault" role="alert">
          {errorText(error)}
        </span>
      )}
    </p>
  );
}

/** Keeps the place of a question while its form loads. */
function ComingQuestion() {
  return (
    <section className="card asks" aria-label="Questions of this run">
      <header>
        <h2>This run asks</h2>
      </header>
      <div className="card-body">
        <Loading lines={4} />
      </div>
    </section>
  );
}

/** Important notes for the reader: the reason of a failure or a hold, and open questions. */
function Notes({ run }: { readonly run: RunView }) {
  const asked = run.waits.filter(({ kind }) => kind === "human" || kind === "input");
  // Timers without a prompt have no note.
  const away = run.waits.filter(({ kind, prompt }) => kind === "timer" && prompt !== undefined);
  const hasAsked = useRef(false);
  if (asked.length > 0) hasAsked.current = true;
  return (
    <>
      {run.error !== undefined && (
        <div className="note bad" role="alert">
          <Icon name="failed" />
          <div>
            <strong>{run.error.code}</strong> <span className="value">{run.error.message}</span>
            {run.error.code === "model_unavailable" && <GoOn runId={run.id} />}
          </div>
        </div>
      )}
      {away.map(({ key, prompt = "" }) => (
        <div className="note wait" key={key}>
          <Icon name="waiting" />
          <div>
            <strong>A server is away; the run goes on by itself.</strong>{" "}
            <PlainText text={prompt} />
          </div>
        </div>
      ))}
      {run.held !== undefined && (
        <div className="note wait">
          <Icon name="held" />
          <div>
            <strong>Held: the deployed code does not fit this run.</strong> {run.held.message}
            {run.held.key !== undefined && (
              <>
                {" "}
                At step <code>{run.held.key}</code>.
              </>
            )}
            <p className="small">
              Deploy code that fits and it goes on by itself; or fork it, so that this step is done
              by the code of now; or cancel it.
            </p>
            {run.held.key !== undefined && <GoOn runId={run.id} stepKey={run.held.key} />}
          </div>
        </div>
      )}
      {hasAsked.current && (
        <Suspense fallback={<ComingQuestion />}>
          <WaitForms runId={run.id} waits={asked} />
        </Suspense>
      )}
    </>
  );
}
