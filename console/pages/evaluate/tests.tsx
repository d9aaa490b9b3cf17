import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { JsonSchema, TargetDetails } from "../../api-types.ts";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { ActionForm } from "./action-form.tsx";
import { evaluate, type Evaluation } from "./requests.ts";
import { RunState } from "./run-state.tsx";
import { useRunState } from "./use-run-state.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

const OPTIONS: JsonSchema = {
  type: "object",
  properties: {
    iterations: {
      type: "integer",
      title: "Number of runs",
      minimum: 1,
      maximum: 100,
      default: 3,
    },
    evalModel: {
      type: "string",
      title: "Model that judges",
      description: "Such as openai/gpt-5. The Worker's own, if none is named.",
    },
  },
  required: ["iterations"],
};

/** Tests of a crew: it runs several times, and a model scores each task from 1 to 10. */
export function Tests({ target }: { readonly target: TargetDetails }) {
  const mayRun = useMay("run");
  const queries = useQueryClient();
  const [started, setStarted] = useState<string>();
  const run = useRunState(started).data;
  const query = useQuery({
    queryKey: ["evaluations", target.name],
    queryFn: () => evaluate.evaluations(target.name),
  });
  const status = run?.status;
  useEffect(() => {
    if (status === "completed")
      void queries.invalidateQueries({ queryKey: ["evaluations", target.name] });
  }, [queries, status, target.name]);
  return (
    <section className="stack" aria-label="Tests">
      <div className="section-head">
        <h2>Tests</h2>
        <p className="soft small">
          The crew runs several times, and a model scores each task from 1 to 10.
        </p>
      </div>
      {mayRun && (
        <details className="card card-body" open={started !== undefined || undefined}>
          <summary>Test it: run it several times, and have each task scored</summary>
          <div className="more-options">
            <ActionForm
              target={target}
              options={OPTIONS}
              label="Start the test"
              start={(body) => evaluate.test(target.name, body)}
              onStarted={setStarted}
            />
          </div>
        </details>
      )}
      {run !== undefined && <RunState run={run} what="This test" />}
      <Answered query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">No test has ended yet.</p>
          ) : (
            <div className="stack">
              {items.map((each) => (
                <Report key={each.runId} evaluation={each} />
              ))}
            </div>
          )
        }
      </Answered>
    </section>
  );
}

const shown = (score: number | null | undefined): string =>
  score === null || score === undefined ? "–" : score.toFixed(1).replace(/\.0$/, "");

function Report({
  evaluation: { runId, report, createdAt, evalModel },
}: {
  readonly evaluation: Evaluation;
}) {
  const runs = report.seconds.runs.map((_, index) => index);
  return (
    <section className="card scroll-x">
      <header>
        <h3>
          <Link to="/runs/$id" params={{ id: runId }}>
            Test
          </Link>{" "}
          <span className="soft small">
            judged by <PlainText text={evalModel} />
          </span>
        </h3>
        <Age at={createdAt} />
      </header>
      <TableScroll label="Scores">
        <table className="score-table">
          <thead>
            <tr>
              <th>Task</th>
              {runs.map((index) => (
                <th key={index}>Run {index + 1}</th>
              ))}
              <th>Average</th>
            </tr>
          </thead>
          <tbody>
            {report.tasks.map(({ name, scores, average }, index) => (
              <tr key={index}>
                <td>
                  <PlainText text={name} />
                </td>
                {runs.map((place) => (
                  <td key={place}>{shown(scores[place])}</td>
                ))}
                <td>
                  <strong>{shown(average)}</strong>
                </td>
              </tr>
            ))}
            <tr>
              <td>The crew</td>
              {runs.map((place) => (
                <td key={place}>{shown(report.crew.scores[place])}</td>
              ))}
              <td>
                <strong>{shown(report.crew.average)}</strong>
              </td>
            </tr>
            <tr>
              <td className="soft">Seconds</td>
              {runs.map((place) => (
                <td key={place}>{report.seconds.runs[place]?.toFixed(1)}</td>
              ))}
              <td>{report.seconds.average.toFixed(1)}</td>
            </tr>
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}
