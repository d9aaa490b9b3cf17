import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Cause, Json, RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { formatBytes, formatCost, formatCount, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { StepStatus } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Duration, Moment } from "../../parts/time.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { useKeys } from "../../shell/keys.ts";
import { useMay } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { ForkDialog, type ForkHow } from "./fork-dialog.tsx";
import { readStep } from "./read-step.ts";
import { labelOf } from "./step-label.ts";
import type { LiveRun } from "./use-run.ts";

/** Kinds of steps that reach other services with a key. The key is the same at every attempt. */
const KEYED: ReadonlySet<string> = new Set(["tool", "effect"]);
const EDITABLE: ReadonlySet<string> = new Set(["model", "tool", "effect", "value", "wait"]);

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly stepKey: string;
  readonly onChoose: (key: string | undefined) => void;
};

export function Inspector({ run, live, stepKey, onChoose }: Props) {
  const known = live.tree.get(stepKey);
  const mayRun = useMay("run");
  const [how, fork] = useState<ForkHow>();
  const query = useQuery({
    queryKey: ["step", run.id, stepKey, known?.state],
    queryFn: () => readStep(run.id, stepKey),
    enabled: known !== undefined,
  });
  useKeys({ Escape: () => onChoose(undefined), ...(mayRun && { e: () => fork("edit") }) });
  const caused = live.tree.steps.filter(
    ({ cause }) => cause !== undefined && "key" in cause && cause.key === stepKey,
  );
  return (
    <aside className="card inspector" aria-label="Inspector">
      <header>
        <h2 className="cut">
          <PlainText text={labelOf(stepKey, known)} />
        </h2>
        <CopyButton text={stepKey} label="Copy the path" />
        <button
          type="button"
          className="button plain icon"
          aria-label="Close the inspector"
          onClick={() => onChoose(undefined)}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="card-body stack">
        <code className="soft small">{stepKey}</code>
        {known === undefined ? (
          <p className="soft">A group of steps. Choose a row below it for its result.</p>
        ) : (
          <Answered query={query}>
            {(step) => (
              <>
                <dl className="facts">
                  <dt>State</dt>
                  <dd>
                    <StepStatus state={step.state} />
                  </dd>
                  <dt>Kind</dt>
                  <dd>
                    {step.kind}
                    {step.model !== undefined && ` · ${step.model}`}
                  </dd>
                  {step.cause?.how !== "copied" && (
                    <>
                      <dt>Begun</dt>
                      <dd>
                        <Moment at={step.startedAt} />
                      </dd>
                      <dt>Took</dt>
                      <dd>
                        <Duration from={step.startedAt} to={step.endedAt} />
                      </dd>
                    </>
                  )}
                  <dt>Attempt</dt>
                  <dd>{step.attempt}</dd>
                  {(step.usage ?? known.usage) !== undefined && (
                    <>
                      <dt>Usage</dt>
                      <dd>
                        {formatCount((step.usage ?? known.usage)?.totalTokens)} tokens ·{" "}
                        {formatCost((step.usage ?? known.usage)?.costUsd)}
                      </dd>
                    </>
                  )}
                  <dt>Size</dt>
                  <dd>{formatBytes(step.bytes)}</dd>
                  {KEYED.has(step.kind) && (
                    <>
                      <dt>Idempotency key</dt>
                      <dd className="mono">
                        {run.id}:{stepKey}
                      </dd>
                    </>
                  )}
                  {step.cause !== undefined && (
                    <>
                      <dt>Because</dt>
                      <dd>
                        <BecauseOf cause={step.cause} onChoose={onChoose} />
                      </dd>
                    </>
                  )}
                  {caused.length > 0 && (
                    <>
                      <dt>Led to</dt>
                      <dd className="cluster">
                        {caused.map(({ key }) => (
                          <StepLink key={key} stepKey={key} onChoose={onChoose} />
                        ))}
                      </dd>
                    </>
                  )}
                </dl>
                {step.retries?.map(({ attempt, at, error }) => (
                  <p key={attempt} className="note small">
                    <Moment at={at} />{" "}
                    {error === undefined ? (
                      "cut off by a crash"
                    ) : (
                      <>
                        {error.code}: <PlainText text={error.message} />
                      </>
                    )}
                  </p>
                ))}
                {step.error !== undefined && (
                  <p className="note bad">
                    <span>
                      <strong>{step.error.code}</strong> <PlainText text={step.error.message} />
                    </span>
                  </p>
                )}
                {step.value !== undefined && (
                  <section className="stack tight">
                    <h3>Result</h3>
                    <Viewer value={step.value} label="result" />
                  </section>
                )}
                {step.omitted !== undefined && (
                  <p className="small soft">
                    The result has {formatBytes(step.omitted)} and is not shown here.
                  </p>
                )}
                {step.kind === "model" && <Request runId={run.id} stepKey={stepKey} />}
                {mayRun && (
                  <div className="form-actions">
                    <button type="button" className="button" onClick={() => fork("from")}>
                      <Icon name="fork" size={15} /> Fork from here
                    </button>
                    {EDITABLE.has(step.kind) && step.state === "done" && (
                      <button type="button" className="button" onClick={() => fork("edit")}>
                        Edit result and fork
                      </button>
                    )}
                    <button type="button" className="button" onClick={() => fork("model")}>
                      Rerun with another model
                    </button>
                  </div>
                )}
                {how !== undefined && (
                  <ForkDialog
                    how={how}
                    run={run}
                    tree={live.tree}
                    step={step}
                    onClose={() => fork(undefined)}
                  />
                )}
              </>
            )}
          </Answered>
        )}
      </div>
    </aside>
  );
}

function Request({ runId, stepKey }: { readonly runId: string; readonly stepKey: string }) {
  const [isOpen, open] = useState(false);
  const query = useQuery({
    queryKey: ["call", runId, stepKey],
    queryFn: () => client.runs.handle(runId).modelCall(stepKey),
    enabled: isOpen,
  });
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Request</summary>
      {isOpen && (
        <Answered query={query}>
          {({ request }) => <Viewer value={request as unknown as Json} label="request" />}
        </Answered>
      )}
    </details>
  );
}

function StepLink({
  stepKey,
  onChoose,
}: {
  readonly stepKey: string;
  readonly onChoose: (key: string) => void;
}) {
  return (
    <button type="button" className="button link" onClick={() => onChoose(stepKey)}>
      {labelOf(stepKey)}
    </button>
  );
}

function BecauseOf({
  cause,
  onChoose,
}: {
  readonly cause: Cause;
  readonly onChoose: (key: string) => void;
}): ReactNode {
  switch (cause.how) {
    case "asked":
    case "woke":
    case "called":
      return (
        <>
          {cause.how === "asked"
            ? "requested by "
            : cause.how === "woke"
              ? "woken by "
              : "called by "}
          <StepLink stepKey={cause.key} onChoose={onChoose} />
        </>
      );
    case "fed":
      return (
        <>
          fed by{" "}
          {cause.keys.map((key) => (
            <StepLink key={key} stepKey={key} onChoose={onChoose} />
          ))}
        </>
      );
    case "answered":
      return (
        <>
          answered{cause.by !== undefined && ` by ${cause.by}`}, <Moment at={cause.at} />
        </>
      );
    case "expired":
      return <>no answer in time</>;
    default:
      return (
        <>
          {cause.how === "child" ? "the run " : "taken over from "}
          <Link to="/runs/$id" params={{ id: cause.run }}>
            {shortId(cause.run)}
          </Link>
        </>
      );
  }
}
