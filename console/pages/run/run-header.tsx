import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { asCurl, CopyAs } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCost, formatCount, shortId } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { KillWorker } from "../../parts/kill-worker.tsx";
import { RetryIn } from "../../parts/retry-in.tsx";
import { Status } from "../../parts/status.tsx";
import { Duration, Moment } from "../../parts/time.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { isOver, type LiveRun } from "./use-run.ts";

type Props = { readonly run: RunView; readonly connection: LiveRun["connection"] };

export function RunHeader({ run, connection }: Props) {
  const shown = run.held !== undefined ? "held" : run.paused ? "paused" : run.status;
  return (
    <header className="run-head">
      <div className="page-head">
        <h1>{run.name}</h1>
        <Actions run={run} />
      </div>
      <dl className="run-facts">
        <Fact label="Status">
          <Status status={shown} />
        </Fact>
        <Fact label="Run">
          <span className="mono" title={run.id}>
            {shortId(run.id)}
          </span>
        </Fact>
        <Fact label="Kind">{run.kind}</Fact>
        <Fact label="Begun">
          <Moment at={run.startedAt ?? run.createdAt} />
        </Fact>
        <Fact label="Duration">
          <Duration from={run.startedAt ?? run.createdAt} to={run.finishedAt} />
        </Fact>
        <Fact label="Cost">
          <span data-fact="cost">{formatCost(run.usage.costUsd)}</span>
          {run.budget?.maxCostUsd !== undefined && (
            <meter
              min={0}
              max={run.budget.maxCostUsd}
              high={run.budget.maxCostUsd * 0.8}
              value={run.usage.costUsd}
              title={`of ${formatCost(run.budget.maxCostUsd)}`}
            />
          )}
        </Fact>
        <Fact label="Tokens">
          <span data-fact="tokens">{formatCount(run.usage.totalTokens)}</span>
        </Fact>
        {run.parent !== undefined && (
          <Fact label="Parent">
            <Link to="/runs/$id" params={{ id: run.parent.id }} search={{ step: run.parent.key }}>
              {shortId(run.parent.id)}
            </Link>
          </Fact>
        )}
        {run.children !== undefined && run.children.total > 0 && (
          <Fact label="Children">
            <Link to="/runs" search={{ parent: run.id }}>
              {run.children.total}
            </Link>
          </Fact>
        )}
        {run.origin !== undefined && (
          <Fact label="Forked from">
            <Link to="/runs/$id" params={{ id: run.origin.runId }}>
              {shortId(run.origin.runId)}
            </Link>
          </Fact>
        )}
        {run.trigger !== undefined && <Fact label="Started by">{run.trigger}</Fact>}
        {run.tags !== undefined && run.tags.length > 0 && (
          <Fact label="Tags">
            {run.tags.map((tag) => (
              <Link key={tag} to="/runs" search={{ tag }} className="badge">
                {tag}
              </Link>
            ))}
          </Fact>
        )}
        {run.version?.definition !== undefined && (
          <Fact label="Version">{run.version.definition}</Fact>
        )}
        {!isOver(run.status) && (
          <Fact label="Stream">
            <span
              className={`connection ${connection.state}`}
              data-run-connection={connection.state}
            >
              {connection.state === "retrying" ? (
                <RetryIn pause={connection} />
              ) : (
                STREAM[connection.state]
              )}
            </span>
          </Fact>
        )}
      </dl>
    </header>
  );
}

const STREAM = {
  connecting: "Connecting",
  live: "Live",
  polling: "Live",
  offline: "Offline",
  paused: "Paused",
  ended: "Ended",
  retrying: "",
};

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type Action = {
  readonly label: string;
  readonly icon: IconName;
  readonly act: () => Promise<unknown>;
  readonly asks?: string;
  /** True for secondary facts: shown last, without a frame. */
  readonly isPlain?: true;
};

function Actions({ run }: { readonly run: RunView }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRun = useMay("run");
  const mayDelete = useMay("admin");
  const [asked, ask] = useState<Action>();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: Action) => action.act(),
    onSuccess: () => {
      ask(undefined);
      void queries.invalidateQueries({ queryKey: ["run", run.id] });
    },
  });
  const ended = isOver(run.status);
  const steer = (how: "cancel" | "pause" | "unpause") => () => client.runs.handle(run.id)[how]();
  const actions: readonly Action[] = [
    ...(mayRun && !ended
      ? [
          run.paused
            ? { label: "Go on", icon: "play" as const, act: steer("unpause") }
            : { label: "Pause", icon: "pause" as const, act: steer("pause") },
          {
            label: "Cancel",
            icon: "cancelled" as const,
            act: steer("cancel"),
            asks: "The run ends now. Its record stays.",
          },
        ]
      : []),
    ...(mayRun
      ? [
          {
            label: "Rerun",
            icon: "again" as const,
            act: async () => {
              const { id } = await client.runs.handle(run.id).fork({ fromStart: true });
              await navigate({ to: "/runs/$id", params: { id } });
            },
          },
        ]
      : []),
    ...(mayDelete && ended
      ? [
          {
            label: "Delete",
            icon: "delete" as const,
            isPlain: true as const,
            asks: "The run, its journal and its events are deleted. This cannot be taken back.",
            act: async () => {
              await client.runs.handle(run.id).delete();
              await navigate({ to: "/runs" });
            },
          },
        ]
      : []),
  ];
  const button = (action: Action) => (
    <button
      key={action.label}
      type="button"
      className={`button${action.isPlain === true ? " plain" : ""}`}
      disabled={isPending}
      onClick={() => (action.asks === undefined ? mutate(action) : ask(action))}
    >
      <Icon name={action.icon} size={15} /> {action.label}
    </button>
  );
  return (
    <div className="cluster">
      {actions.filter(({ isPlain }) => isPlain !== true).map(button)}
      {!ended && <KillWorker />}
      {run.origin !== undefined && (
        <Link className="button" to="/compare" search={{ left: run.origin.runId, right: run.id }}>
          <Icon name="compare" size={15} /> Compare
        </Link>
      )}
      <a
        className="button plain"
        href={`/runs/${encodeURIComponent(run.id)}/export`}
        download={`${run.id}.json`}
      >
        <Icon name="download" size={15} /> Export
      </a>
      <CopyAs
        forms={{
          Link: location.href,
          Id: run.id,
          curl: asCurl(`/runs/${run.id}`),
          TypeScript: `const run = await client.runs.get(${JSON.stringify(run.id)});`,
          "Command line": `edgecrew runs show ${run.id}`,
        }}
      />
      {actions.filter(({ isPlain }) => isPlain === true).map(button)}
      {error !== null && asked === undefined && (
        <p className="fault" role="alert">
          {errorText(error)}{" "}
          <button type="button" className="button small plain" onClick={reset}>
            Close
          </button>
        </p>
      )}
      {asked !== undefined && (
        <Dialog title={`${asked.label} this run?`} onClose={() => ask(undefined)}>
          <p>{asked.asks}</p>
          {error !== null && (
            <p className="fault" role="alert">
              {errorText(error)}
            </p>
          )}
          <div className="form-actions">
            <button
              type="button"
              className="button main"
              disabled={isPending}
              onClick={() => mutate(asked)}
            >
              {asked.label} the run
            </button>
            <button type="button" className="button" onClick={() => ask(undefined)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
