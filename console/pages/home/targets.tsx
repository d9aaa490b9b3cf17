// Runnable targets of this app: crews, flows, agents and conversations.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TargetKind, TargetRow } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty, Loading } from "../../shell/states.tsx";
import { RunForm } from "../definitions/run-form.tsx";

const MOST = 6;
const KINDS = [
  ["crew", "Crews", "/crews", "Agents that do tasks one after the other, or side by side."],
  ["flow", "Flows", "/flows", "Steps of code, with crews and people in between."],
  ["agent", "Agents", "/agents", "One role with its tools, asked directly."],
  ["conversation", "Conversations", "/conversations", "Several agents who talk it over."],
] as const satisfies readonly (readonly [TargetKind, string, string, string])[];

type Kind = (typeof KINDS)[number];
type Found = {
  readonly kind: Kind;
  readonly items: readonly TargetRow[];
  readonly isMore: boolean;
};

/** Loads the first targets of each kind. A kind that the Worker lacks has no targets. */
function useTargets() {
  return useQuery({
    queryKey: ["home", "targets"],
    queryFn: async () => {
      const found = await Promise.all(
        KINDS.map(async (kind): Promise<Found> => {
          const page = await targetsOf(kind[0])
            .list({ limit: MOST })
            .catch(() => ({ items: [] }));
          return { kind, items: page.items, isMore: "nextCursor" in page };
        }),
      );
      return found.filter(({ items }) => items.length > 0);
    },
    staleTime: 60_000,
  });
}

/** Shown before the first run: all targets, each with a filled-in form, one click from a run. */
export function FirstRun() {
  const query = useTargets();
  return (
    <section className="stack">
      <div>
        <h2>No runs yet</h2>
        <p className="soft">
          Start one of these. Without a model's key the built-in model answers, which is no language
          model.
        </p>
      </div>
      <Answered query={query}>
        {(found) =>
          found.length === 0 ? (
            <NoTargets />
          ) : (
            found.map(({ kind: [kind, title, path, about], items, isMore }, index) => (
              <section key={kind} className="stack tight" aria-label={title}>
                <header className="cluster">
                  <h2>{title}</h2>
                  <span className="soft small spread">{about}</span>
                  {isMore && (
                    <Link to={path} className="small">
                      All
                    </Link>
                  )}
                </header>
                <ul className="targets wide">
                  {items.map((target) => (
                    <Card key={target.name} kind={kind} target={target} isOpen={index === 0} />
                  ))}
                </ul>
              </section>
            ))
          )
        }
      </Answered>
    </section>
  );
}

function NoTargets() {
  return (
    <Empty title="This app has no crews, flows or agents">
      <p>
        Name a crew in its code, <code>{"defineApp({ crews: { briefing } })"}</code>, or store one
        with a form: it runs at once, without a deploy.
      </p>
      <Link to="/crews" className="button main">
        Store a crew
      </Link>
    </Empty>
  );
}

type CardProps = {
  readonly kind: TargetKind;
  readonly target: TargetRow;
  readonly isOpen: boolean;
};

/** The form loads when the card is opened. */
function Card({ kind, target, isOpen: isFirst }: CardProps) {
  const navigate = useNavigate();
  const mayRun = useMay("run");
  const [isOpen, open] = useState(isFirst);
  const details = useQuery({
    queryKey: ["targets", kind, target.name],
    queryFn: () => targetsOf(kind).get(target.name),
    enabled: isOpen && mayRun,
  });
  const about = aboutOf(target);
  return (
    <li className="card">
      <header>
        <Icon name={kind} />
        <h2>{target.name}</h2>
        <span className="soft small">
          {target.tasks !== undefined && plural(target.tasks.length, "task")}
        </span>
      </header>
      <div className="card-body stack">
        {about !== "" && (
          <p className="soft">
            <PlainText text={about} />
          </p>
        )}
        {mayRun && (
          <details open={isFirst} onToggle={(event) => open(event.currentTarget.open)}>
            <summary className="first-inputs">Inputs</summary>
            {isOpen &&
              (details.data === undefined ? (
                <Loading lines={2} />
              ) : (
                <RunForm
                  kind={kind}
                  target={details.data}
                  onStarted={(id) => void navigate({ to: "/runs/$id", params: { id } })}
                />
              ))}
          </details>
        )}
      </div>
    </li>
  );
}

const aboutOf = ({ description, goal, tasks }: TargetRow): string =>
  description ?? goal ?? tasks?.map(({ name }) => name).join(" → ") ?? "";

/** Links to each form. */
export function StartAgain() {
  const { data } = useTargets();
  const mayRun = useMay("run");
  if (!mayRun || data?.length === 0) return null;
  return (
    <section className="card" aria-label="Start a run">
      <header>
        <h2>Start a run</h2>
      </header>
      <dl className="card-body start-again">
        {data === undefined && <Loading lines={2} />}
        {data?.map(({ kind: [kind, title, path], items, isMore }) => (
          <div key={kind}>
            <dt className="soft small">{title}</dt>
            <dd className="cluster">
              {items.map(({ name }) => (
                <Link
                  key={name}
                  to={`${path}/$name`}
                  params={{ name }}
                  search={{ tab: "run" }}
                  className="button small"
                >
                  <Icon name={kind} size={13} /> {name}
                </Link>
              ))}
              {isMore && (
                <Link to={path} className="small">
                  All
                </Link>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
