import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { JsonSchema, TargetDetails } from "../../api-types.ts";
import { PlainText } from "../../parts/text.tsx";
import { errorText } from "../../shell/error-text.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { useMay } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { WaitForm } from "../inbox/wait-form.tsx";
import { ActionForm } from "./action-form.tsx";
import { evaluate, type Training } from "./requests.ts";
import { RunState } from "./run-state.tsx";
import { useRunState } from "./use-run-state.ts";

const OPTIONS: JsonSchema = {
  type: "object",
  properties: {
    iterations: {
      type: "integer",
      title: "Number of runs",
      minimum: 1,
      maximum: 100,
      default: 2,
    },
  },
  required: ["iterations"],
};

/** Training of a crew: people comment on each answer, and the agents keep lessons from it. */
export function Trainings({ target }: { readonly target: TargetDetails }) {
  const { name } = target;
  const mayRun = useMay("run");
  const queries = useQueryClient();
  const keptAs = `training.${name}`;
  const [started, setStarted] = useState(() => readKept<string | undefined>(keptAs, undefined));
  const run = useRunState(started).data;
  const query = useQuery({ queryKey: ["training", name], queryFn: () => readTraining(name) });
  const status = run?.status;
  useEffect(() => {
    if (status === "completed") void queries.invalidateQueries({ queryKey: ["training", name] });
  }, [queries, status, name]);
  return (
    <section className="stack" aria-label="Training">
      <div className="section-head">
        <h2>Training</h2>
        <p className="soft small">
          You comment on each answer; suggestions from your comments are added to later prompts.
        </p>
      </div>
      {mayRun && (
        <details className="card card-body">
          <summary>Train it: it runs, and asks you about each answer</summary>
          <div className="more-options">
            <ActionForm
              target={target}
              options={OPTIONS}
              label="Start the training"
              start={(body) => evaluate.train(name, body)}
              onStarted={(id) => {
                keep(keptAs, id);
                setStarted(id);
              }}
            />
          </div>
        </details>
      )}
      {run !== undefined && <RunState run={run} what="This training" />}
      {run?.waits
        .filter(({ kind }) => kind !== "child" && kind !== "timer")
        .map((wait) => (
          <div key={wait.key} className="card card-body asks">
            <WaitForm
              runId={run.id}
              wait={wait}
              onSent={() => void queries.invalidateQueries({ queryKey: ["run", run.id] })}
            />
          </div>
        ))}
      <Answered query={query}>
        {(training) =>
          training === null ? (
            <p className="soft">It was not trained yet.</p>
          ) : (
            <Learned crew={name} training={training} />
          )
        }
      </Answered>
    </section>
  );
}

async function readTraining(name: string): Promise<Training | null> {
  try {
    return await evaluate.training(name);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return null;
    throw error;
  }
}

function Learned({ crew, training }: { readonly crew: string; readonly training: Training }) {
  const mayForget = useMay("admin");
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => evaluate.forget(training.name),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["training", crew] }),
  });
  return (
    <section className="card" aria-label="Learned suggestions">
      <header>
        <h3>Learned suggestions</h3>
        {mayForget && (
          <button
            type="button"
            className="button small bad"
            disabled={isPending}
            onClick={() => {
              if (confirm(`Delete the training ${training.name}?`)) mutate();
            }}
          >
            Forget
          </button>
        )}
      </header>
      <div className="card-body stack">
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
          </p>
        )}
        {Object.entries(training.agents).map(([role, { suggestions, quality, finalSummary }]) => (
          <div key={role} className="stack tight">
            <p className="cluster">
              <strong>
                <PlainText text={role} />
              </strong>
              <span className="badge">quality {quality} of 10</span>
            </p>
            <ul className="bullets">
              {suggestions.map((suggestion) => (
                <li key={suggestion}>
                  <PlainText text={suggestion} />
                </li>
              ))}
            </ul>
            <p className="soft">
              <PlainText text={finalSummary} />
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
