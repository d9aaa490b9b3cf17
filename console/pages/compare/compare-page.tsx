import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import type { RunView, StepRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { formatCost, formatCount, formatDuration, plural, shortId } from "../../parts/format.ts";
import { innerText } from "../../parts/inner-text.ts";
import { Status } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import { Answered, Loading } from "../../shell/states.tsx";
import { aligned, inParts, type AlignedRow } from "./aligned.ts";
import { ChooseRuns } from "./choose-runs.tsx";

const DiffText = lazy(() => import("../../parts/diff-text.tsx"));
const StepDiff = lazy(() => import("./step-diff.tsx"));
const WORDS = { same: "Same", changed: "Changed", left: "Only left", right: "Only right" } as const;

async function readAll(
  id: string,
): Promise<{ readonly run: RunView; readonly steps: readonly StepRow[] }> {
  const run = await client.runs.get(id);
  const steps: StepRow[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.runs.handle(id).journal({ cursor, limit: 200, hash: true });
    steps.push(...page.items);
    if (page.nextCursor === undefined || steps.length > 20_000) return { run, steps };
    cursor = page.nextCursor;
  }
}

/** Two runs by their journals; equal stretches are folded, and equal results are never loaded. */
export function ComparePage() {
  const { left = "", right = "" }: { readonly left?: string; readonly right?: string } = useSearch({
    from: "/compare",
  });
  const query = useQuery({
    queryKey: ["compare", left, right],
    queryFn: () => Promise.all([readAll(left), readAll(right)]),
    enabled: left !== "" && right !== "",
  });
  useEffect(() => {
    document.title = "Compare · Edgecrew";
  }, []);
  if (left === "" || right === "")
    return (
      <div className="page">
        <h1>Compare</h1>
        <ChooseRuns left={left} right={right} />
      </div>
    );
  return (
    <div className="page">
      <h1>Compare</h1>
      <Answered query={query}>
        {([one, other]) => (
          <>
            <div className="compare-heads">
              {[one.run, other.run].map((run, index) => (
                <Figures key={index} run={run} />
              ))}
            </div>
            <Outputs left={one.run} right={other.run} />
            <section className="card compare" aria-label="Rows">
              <p className="compare-row compare-head" aria-hidden="true">
                <span />
                <span />
                <span>Step</span>
                <span className="number">Left</span>
                <span className="number">Right</span>
              </p>
              {inParts(aligned(one.steps, other.steps)).map((part, index) =>
                part.isEqual ? (
                  <details key={index}>
                    <summary className="compare-row">
                      <span className="badge good">Same</span>
                      <span className="soft">{plural(part.rows.length, "equal row")}</span>
                    </summary>
                    {part.rows.map(({ key }) => (
                      <p key={key} className="mono soft compare-equal">
                        {key}
                      </p>
                    ))}
                  </details>
                ) : (
                  part.rows.map((row) => (
                    <Difference key={row.key} row={row} left={left} right={right} />
                  ))
                ),
              )}
            </section>
          </>
        )}
      </Answered>
    </div>
  );
}

function Figures({ run }: { readonly run: RunView }) {
  return (
    <section className="card card-body stack tight">
      <p className="cluster">
        <Link to="/runs/$id" params={{ id: run.id }}>
          <strong>{run.name}</strong> <span className="mono">{shortId(run.id)}</span>
        </Link>
        <Status status={run.status} />
      </p>
      <p className="soft small">
        <Duration from={run.startedAt ?? run.createdAt} to={run.finishedAt} /> ·{" "}
        {formatCost(run.usage.costUsd)} · {formatCount(run.usage.totalTokens)} tokens
      </p>
    </section>
  );
}

function outputOf({ output }: RunView): string {
  return output === undefined ? "" : innerText(output);
}

/** The difference of the two outputs, which the runs already have. */
function Outputs({ left, right }: { readonly left: RunView; readonly right: RunView }) {
  if (left.output === undefined && right.output === undefined) return null;
  return (
    <section className="card" aria-label="Outputs">
      <header>
        <h2>Outputs</h2>
        <span className="soft small">− left, + right</span>
      </header>
      <div className="card-body">
        <Suspense fallback={<Loading lines={4} />}>
          <DiffText left={outputOf(left)} right={outputOf(right)} />
        </Suspense>
      </div>
    </section>
  );
}

/** Duration and tokens of a step. A copied step did nothing in this run. */
function StepFigures({ step }: { readonly step: StepRow | undefined }) {
  if (step === undefined) return <span className="number soft">–</span>;
  const { startedAt, endedAt, usage, cause } = step;
  if (cause?.how === "copied") return <span className="number soft small">taken over</span>;
  return (
    <span className="number soft small">
      {endedAt === undefined
        ? step.state
        : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}
      {usage !== undefined && ` · ${formatCount(usage.totalTokens)} tokens`}
    </span>
  );
}

function Difference({
  row,
  left,
  right,
}: {
  readonly row: AlignedRow;
  readonly left: string;
  readonly right: string;
}) {
  const [isOpen, open] = useState(false);
  return (
    <details
      className={`difference ${row.how}`}
      data-key={row.key}
      onToggle={(event) => open(event.currentTarget.open)}
    >
      <summary className="compare-row">
        <span className={`badge ${row.how === "changed" ? "wait" : ""}`}>{WORDS[row.how]}</span>
        <code className="cut">{row.key}</code>
        <StepFigures step={row.left} />
        <StepFigures step={row.right} />
      </summary>
      {isOpen && (
        <Suspense fallback={<Loading lines={3} />}>
          <StepDiff
            left={row.left === undefined ? undefined : left}
            right={row.right === undefined ? undefined : right}
            stepKey={row.key}
          />
        </Suspense>
      )}
    </details>
  );
}
