import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../../api.ts";
import { shortId } from "../../parts/format.ts";
import { statusWord } from "../../parts/status.tsx";
import { Answered, Empty } from "../../shell/states.tsx";

const NEWEST = 100;

type Props = { readonly left: string; readonly right: string };

/** Choice of two runs among the newest, if the address does not name both. */
export function ChooseRuns({ left: firstLeft, right: firstRight }: Props) {
  const id = useId();
  const navigate = useNavigate();
  const [left, setLeft] = useState(firstLeft);
  const [right, setRight] = useState(firstRight);
  const query = useQuery({
    queryKey: ["compare", "newest"],
    queryFn: async () => (await client.runs.list({ limit: NEWEST })).items,
  });
  return (
    <Answered query={query}>
      {(runs) =>
        runs.length < 2 ? (
          <Empty title="There are no two runs yet">
            <p>Compare a fork with its original run to see the effect of a change, step by step.</p>
            <Link to="/crews" className="button main">
              Choose a crew to run
            </Link>
          </Empty>
        ) : (
          <form
            className="card card-body form run-form"
            onSubmit={(event) => {
              event.preventDefault();
              void navigate({ to: "/compare", search: { left, right } });
            }}
          >
            <p className="soft">
              Two runs, step by step: equal steps, differences, and their time, tokens and cost.
              Best for a run and its fork, or for two runs of one crew.
            </p>
            {(
              [
                ["Left run", left, setLeft],
                ["Right run", right, setRight],
              ] as const
            ).map(([label, value, set]) => (
              <div key={label} className="field">
                <label htmlFor={id + label}>{label}</label>
                <select
                  id={id + label}
                  className="input"
                  value={value}
                  onChange={(event) => set(event.target.value)}
                >
                  <option value="">Choose one of the newest</option>
                  {value !== "" && runs.every((run) => run.id !== value) && (
                    <option value={value}>{value}</option>
                  )}
                  {runs.map((run) => (
                    <option key={run.id} value={run.id}>
                      {run.name} · {shortId(run.id)} · {statusWord(run.status)} ·{" "}
                      {new Date(run.createdAt).toLocaleString()}
                    </option>
                  ))}
                </select>
              </div>
            ))}
            <div className="form-actions">
              <button
                type="submit"
                className="button main"
                disabled={left === "" || right === "" || left === right}
              >
                Compare
              </button>
              <span className="soft small">
                Or select two in{" "}
                <Link to="/runs" className="in-text">
                  the list of runs
                </Link>
                .
              </span>
            </div>
          </form>
        )
      }
    </Answered>
  );
}
