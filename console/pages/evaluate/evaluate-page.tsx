import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { targetsOf } from "../../api.ts";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { CompareForm } from "./compare-form.tsx";
import { Comparison } from "./comparison.tsx";
import { Tests } from "./tests.tsx";
import { Trainings } from "./trainings.tsx";

type Search = { readonly crew?: string; readonly left?: string; readonly right?: string };

export function EvaluatePage() {
  const { crew, left, right }: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const id = useId();
  const mayRun = useMay("run");
  const crews = useQuery({
    queryKey: ["targets", "crew"],
    queryFn: () => targetsOf("crew").list({ limit: 200 }),
  });
  const name = crew ?? crews.data?.items[0]?.name;
  const target = useQuery({
    queryKey: ["target", "crew", name],
    queryFn: () => targetsOf("crew").get(name ?? ""),
    enabled: name !== undefined,
  });
  useEffect(() => {
    document.title = "Evaluate · Edgecrew";
  }, []);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Evaluate</h1>
        {name !== undefined && crews.data !== undefined && (
          <label className="cluster" htmlFor={id}>
            <span className="soft">Crew</span>
            <select
              id={id}
              className="input crew-choice"
              value={name}
              onChange={(event) =>
                void navigate({ to: "/evaluations", search: { crew: event.target.value } })
              }
            >
              {crews.data.items.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Answered query={crews}>
        {() =>
          name === undefined ? (
            <Empty title="There is no crew to evaluate">
              <p>Crews of the code and stored ones are tested, trained and compared here.</p>
            </Empty>
          ) : (
            <Answered query={target}>
              {(details) => (
                <div key={name} className="stack">
                  <section className="stack" aria-label="Compare">
                    <div className="section-head">
                      <h2>Compare</h2>
                      <p className="soft small">
                        Two models, or two versions of a stored crew, over the same inputs: answers
                        side by side, with time and cost.
                      </p>
                    </div>
                    {mayRun && (
                      <CompareForm
                        target={details}
                        onStarted={(one, other) =>
                          void navigate({
                            to: "/evaluations",
                            search: { crew: name, left: one, right: other },
                          })
                        }
                      />
                    )}
                    {left !== undefined && right !== undefined && (
                      <Comparison left={left} right={right} />
                    )}
                  </section>
                  <Tests target={details} />
                  <Trainings target={details} />
                </div>
              )}
            </Answered>
          )
        }
      </Answered>
    </div>
  );
}
