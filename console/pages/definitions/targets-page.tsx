import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { TargetRow } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { inWords, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Answered, Empty } from "../../shell/states.tsx";
import { useMay } from "../../shell/session.ts";
import { useTargetPath } from "./kinds.ts";
import { summaryOf } from "./summary.ts";
import { readWeek, type WeekSum } from "./week.ts";
import { ChatLink } from "./chat-link.tsx";
import { NewestRuns } from "./newest-runs.tsx";
import { NewDefinition } from "./new-definition.tsx";

export function TargetsPage() {
  const { path, kind } = useTargetPath();
  const title = inWords(path.slice(1));
  const mayStore = useMay("admin");
  const mayRun = useMay("run");
  const query = useQuery({
    queryKey: ["targets", kind],
    queryFn: () => targetsOf(kind).list({ limit: 200 }),
  });
  const week = useQuery({
    queryKey: ["targets", "week", kind],
    queryFn: () => readWeek(kind),
    retry: false,
    staleTime: 60_000,
  });
  useEffect(() => {
    document.title = `${title} · Edgecrew`;
  }, [title]);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{title}</h1>
        {kind === "agent" ? (
          <span className="soft">
            Agents come from the code: <code>{"defineApp({ agents: { … } })"}</code>
          </span>
        ) : (
          mayStore && <NewDefinition kind={kind} path={path} />
        )}
      </div>
      <Answered query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={`This app has no ${path.slice(1)}`}>
              <p>
                Name them in the code: <code>{`defineApp({ ${path.slice(1)}: { … } })`}</code>.
              </p>
            </Empty>
          ) : (
            <div className="with-runs">
              <ul className="targets">
                {items.map((target) => (
                  <li key={target.name} className="card target">
                    <Link
                      to={`${path}/$name`}
                      params={{ name: target.name }}
                      className="target-name"
                    >
                      <Icon name={kind} /> {target.name}
                    </Link>
                    <p className="soft two-lines">{summaryOf(target)}</p>
                    <WeekOf sum={week.data?.get(target.name)} isKnown={week.data !== undefined} />
                    <p className="cluster small soft">
                      <span>{membersOf(target)}</span>
                      {target.source === "stored" && (
                        <span className="badge">
                          stored{target.version !== undefined && `, version ${target.version}`}
                        </span>
                      )}
                      {target.error !== undefined && <span className="badge bad">cannot run</span>}
                      <span className="spread" />
                      {mayRun && kind === "agent" && <ChatLink kind={kind} name={target.name} />}
                      {mayRun && (
                        <Link
                          to={`${path}/$name`}
                          params={{ name: target.name }}
                          search={{ tab: "run" }}
                          className="button small"
                        >
                          <Icon name="play" size={13} /> Run
                        </Link>
                      )}
                    </p>
                  </li>
                ))}
              </ul>
              <NewestRuns kind={kind} />
            </div>
          )
        }
      </Answered>
    </div>
  );
}

/** Runs of the target in seven days. Empty if the Worker keeps no sums. */
function WeekOf({
  sum,
  isKnown,
}: {
  readonly sum: WeekSum | undefined;
  readonly isKnown: boolean;
}) {
  if (!isKnown) return null;
  if (sum === undefined) return <p className="small soft">No run in 7 days</p>;
  return (
    <p className="small soft">
      {plural(sum.started, "run")} in 7 days
      {sum.failed > 0 && <span className="bad-text"> · {sum.failed} failed</span>}
    </p>
  );
}

export function membersOf({ agents, tasks, methods, tools, pattern, process }: TargetRow): string {
  const parts = [
    agents === undefined ? undefined : plural(agents.length, "agent"),
    tasks === undefined ? undefined : plural(tasks.length, "task"),
    methods === undefined ? undefined : plural(Object.keys(methods).length, "method"),
    tools === undefined || agents !== undefined ? undefined : plural(tools.length, "tool"),
    process ?? pattern,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}
