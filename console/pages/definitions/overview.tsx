import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { GraphView } from "../../parts/graph-view.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { TableScroll } from "../../parts/table-scroll.tsx";
import { Answered, Loading } from "../../shell/states.tsx";

const TrendCharts = lazy(() => import("../../parts/chart/trend-charts.tsx"));

/** The picture, and agents and tasks as cards. */
export function Overview({
  kind,
  target,
}: {
  readonly kind: TargetKind;
  readonly target: TargetDetails;
}) {
  const graph = useQuery({
    queryKey: ["target", kind, target.name, "graph"],
    queryFn: () => targetsOf(kind).graph(target.name),
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
      {kind !== "agent" && (
        <section className="card card-body stack target-picture" aria-label="Picture">
          <Answered query={graph}>{(data) => <GraphView graph={data} />}</Answered>
        </section>
      )}
      <Suspense fallback={<Loading lines={3} />}>
        <TrendCharts of={{ kind, name: target.name }} />
      </Suspense>
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
        <section className="card">
          <TableScroll label="Methods">
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
          </TableScroll>
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
