import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { api, targetPath } from "../../api.ts";
import { asCurl, CopyAs } from "../../parts/copy.tsx";
import { GraphView } from "../../parts/graph-view.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { useTargetPath } from "./kinds.ts";
import { RunForm } from "./run-form.tsx";
import { membersOf } from "./targets-page.tsx";

type Search = { readonly tab?: string; readonly inputs?: string };

export function TargetPage() {
  const { path, kind, name } = useTargetPath();
  const search: Search = useSearch({ strict: false });
  const mayRun = useMay("run");
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ["target", kind, name],
    queryFn: () => api.target(kind, name),
  });
  const tab = search.tab === "run" && mayRun ? "run" : "overview";
  useEffect(() => {
    document.title = `${name} · Edgecrew`;
  }, [name]);
  const to = `${path}/$name` as const;
  return (
    <div className="page">
      <Answered query={query}>
        {(target) => (
          <>
            <div className="page-head">
              <h1>{target.name}</h1>
              <span className="soft">{membersOf(target)}</span>
              <CopyAs
                forms={{
                  Link: location.href,
                  curl: asCurl(
                    `${targetPath(kind, name)}/kickoff`,
                    kind === "agent" ? { messages: "" } : { inputs: {} },
                  ),
                  TypeScript: `const run = await client.${path.slice(1)}.kickoff(${JSON.stringify(name)}, { inputs: {} });`,
                }}
              />
            </div>
            <nav className="tabs" aria-label={`Views of ${name}`}>
              <Link
                to={to}
                params={{ name }}
                search={{}}
                aria-current={tab === "overview" ? "page" : undefined}
                activeOptions={{ exact: true }}
              >
                Overview
              </Link>
              {mayRun && (
                <Link
                  to={to}
                  params={{ name }}
                  search={{ ...search, tab: "run" }}
                  aria-current={tab === "run" ? "page" : undefined}
                  activeOptions={{ exact: true }}
                >
                  Run
                </Link>
              )}
              <Link to="/runs" search={{ kind, name }}>
                Runs
              </Link>
            </nav>
            {tab === "run" ? (
              <section className="card card-body run-form">
                <RunForm
                  key={name}
                  kind={kind}
                  target={target}
                  prefill={search.inputs}
                  onStarted={(id) => void navigate({ to: "/runs/$id", params: { id } })}
                />
              </section>
            ) : (
              <Overview kind={kind} target={target} />
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

function Overview({ kind, target }: { readonly kind: TargetKind; readonly target: TargetDetails }) {
  const graph = useQuery({
    queryKey: ["target", kind, target.name, "graph"],
    queryFn: () => api.targetGraph(kind, target.name),
    enabled: kind !== "agent",
    retry: false,
  });
  return (
    <div className="stack">
      {target.error !== undefined && (
        <p className="note bad">
          <span>
            <strong>This cannot run.</strong> {target.error.message}
          </span>
        </p>
      )}
      {target.warnings?.map(({ path, message }) => (
        <p key={path + message} className="note wait">
          <span>
            <code>{path}</code> {message}
          </span>
        </p>
      ))}
      {target.description !== undefined && <p className="soft">{target.description}</p>}
      {graph.data !== undefined && (
        <section className="card card-body stack" aria-label="Picture">
          <GraphView graph={graph.data} />
        </section>
      )}
      {target.role !== undefined && <AgentCard agent={{ ...target, tools: target.tools ?? [] }} />}
      {(target.agents?.length ?? 0) > 0 && (
        <section className="stack">
          <h2>Agents</h2>
          <ul className="targets">
            {target.agents?.map((agent, index) => (
              <li key={index}>
                <AgentCard agent={agent} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {(target.tasks?.length ?? 0) > 0 && (
        <section className="stack">
          <h2>Tasks</h2>
          <ol className="stack">
            {target.tasks?.map((task, index) => (
              <li key={index} className="card card-body stack tight">
                <p className="cluster">
                  <strong>
                    <PlainText text={task.name} />
                  </strong>
                  <span className="soft">{task.agent}</span>
                </p>
                <p className="value">
                  <PlainText text={task.description} />
                </p>
                {task.expectedOutput !== undefined && (
                  <p className="soft small">
                    Expected: <PlainText text={task.expectedOutput} />
                  </p>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      {target.methods !== undefined && (
        <section className="card scroll-x">
          <table>
            <thead>
              <tr>
                <th>Method</th>
                <th>Woken by</th>
                <th>Kind</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(target.methods).map(([name, method]) => {
                const { listen, start, router, humanFeedback } = (method ?? {}) as Record<
                  string,
                  unknown
                >;
                return (
                  <tr key={name}>
                    <td className="mono">{name}</td>
                    <td className="mono">
                      {start === true
                        ? "the start"
                        : typeof listen === "string"
                          ? listen
                          : JSON.stringify(listen)}
                    </td>
                    <td>
                      {[
                        router === true ? "router" : "",
                        humanFeedback === undefined ? "" : "asks a person",
                      ]
                        .filter(Boolean)
                        .join(", ")}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

type AgentProps = {
  readonly role?: string;
  readonly name?: string;
  readonly goal?: string;
  readonly description?: string;
  readonly backstory?: string;
  readonly llm?: string;
  readonly tools?: readonly (string | { readonly name: string })[];
};

function AgentCard({ agent }: { readonly agent: AgentProps }) {
  return (
    <div className="card card-body stack tight">
      <p className="cluster">
        <Icon name="agent" />
        <strong>{agent.role ?? agent.name}</strong>
        {agent.llm !== undefined && <span className="badge">{agent.llm}</span>}
      </p>
      <p>{agent.goal ?? agent.description}</p>
      {agent.backstory !== undefined && <p className="soft small">{agent.backstory}</p>}
      {(agent.tools?.length ?? 0) > 0 && (
        <p className="cluster">
          {agent.tools?.map((each) => {
            const name = typeof each === "string" ? each : each.name;
            return (
              <span key={name} className="badge">
                <Icon name="tool" size={12} /> {name}
              </span>
            );
          })}
        </p>
      )}
    </div>
  );
}
