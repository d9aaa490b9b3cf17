import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunView, StepRow } from "../../api-types.ts";
import { plural } from "../../parts/format.ts";
import { StepStatus } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Moment } from "../../parts/time.tsx";
import { Answered } from "../../shell/states.tsx";
import { readStep } from "./read-step.ts";
import type { LiveRun } from "./use-run.ts";

const SHOWN = 100;

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly onChoose: (key: string) => void;
};

/** Steps with more than one attempt, each with its reason. */
export function StepAttempts({ run, live, onChoose }: Props) {
  const again = live.tree.steps.filter(({ attempt }) => attempt > 1);
  return (
    <section className="card" aria-label="Attempts">
      <header>
        <h2>Attempts</h2>
        {again.length > 0 && (
          <span className="soft small">{plural(again.length, "step")} begun again</span>
        )}
      </header>
      {again.length === 0 ? (
        <p className="card-body soft">
          Each step ran once. Steps that were retried after a temporary error or a restart appear
          here, with the reason.
        </p>
      ) : (
        <ul className="rows">
          {again.slice(0, SHOWN).map((step) => (
            <li key={step.key}>
              <OneStep runId={run.id} step={step} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type StepProps = {
  readonly runId: string;
  readonly step: StepRow;
  readonly onChoose: (key: string) => void;
};

function OneStep({ runId, step, onChoose }: StepProps) {
  const [isOpen, open] = useState(false);
  const query = useQuery({
    queryKey: ["step", runId, step.key, step.state],
    queryFn: () => readStep(runId, step.key),
    enabled: isOpen,
  });
  return (
    <details className="attempts" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>
        <code className="cut">{step.key}</code>
        <span className="badge wait">×{step.attempt}</span>
        <StepStatus state={step.state} />
      </summary>
      {isOpen && (
        <Answered query={query}>
          {({ retries = [] }) => (
            <ol className="stack tight">
              {retries.map(({ at, error }, index) => (
                <li key={at} className="small">
                  <strong>{index + 1}</strong> <Moment at={at} />{" "}
                  {error === undefined ? (
                    "cut off"
                  ) : (
                    <>
                      <span className="bad-text">{error.code}</span>{" "}
                      <PlainText text={error.message} />
                    </>
                  )}
                </li>
              ))}
              {retries.length === 0 && (
                <li className="small soft">It was cut off, and begun again after a restart.</li>
              )}
              <li>
                <button
                  type="button"
                  className="button link small"
                  onClick={() => onChoose(step.key)}
                >
                  Open the step
                </button>
              </li>
            </ol>
          )}
        </Answered>
      )}
    </details>
  );
}
