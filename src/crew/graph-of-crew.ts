import type { Graph, GraphEdge, GraphNode } from "../wire/graph.ts";
import type { Crew } from "./crew.ts";
import { ConditionalTask } from "./tasks/conditional-task.ts";
import type { Task } from "./tasks/task.ts";

/**
 * Draws a crew as a graph: tasks grouped by agent, edges for their contexts, and the order of tasks fed by all earlier
 * ones.
 */
export function graphOfCrew(
  name: string,
  { tasks, taskKeys, agents, manager, process }: Crew,
): Graph {
  const keys = new Map(tasks.map((task, index) => [task, taskKeys[index] ?? ""]));
  const nodes = tasks.map((task, index): GraphNode => {
    const agent = task.agent === undefined ? -1 : agents.indexOf(task.agent);
    const key = taskKeys[index] ?? "";
    return {
      id: key,
      kind: "task",
      label: task.label,
      ...(task.agent === undefined ? undefined : { sub: task.agent.role }),
      ...(agent < 0 ? undefined : { group: `agent:${agent}` }),
      key,
      ...(index === 0 ? { start: true } : undefined),
      ...(task instanceof ConditionalTask ? { conditional: true } : undefined),
      ...(task.asyncExecution ? { async: true } : undefined),
      ...(task.humanInput === undefined ? undefined : { human: true }),
    };
  });
  const used = new Set(nodes.flatMap(({ group }) => group ?? []));
  const groups = agents
    .map(({ role }, index) => ({ id: `agent:${index}`, label: role }))
    .filter(({ id }) => used.has(id));
  const managed =
    manager === undefined || process !== "hierarchical"
      ? []
      : [{ id: "manager", kind: "manager", label: manager.role, start: true } as const];
  const edges = [
    ...managed.flatMap(({ id }) => tasks.map((task) => edge("delegates", id, keys.get(task)))),
    ...feedingEdges(tasks, (task) => keys.get(task)),
  ];
  return { kind: "crew", name, groups, nodes: [...managed, ...nodes], edges, warnings: [] };
}

/**
 * A task without its own context gets the outputs of all earlier tasks. One thin edge from its predecessors is enough.
 */
function feedingEdges(
  tasks: readonly Task[],
  keyOf: (task: Task) => string | undefined,
): readonly GraphEdge[] {
  const edges: GraphEdge[] = [];
  let last: Task | undefined;
  let besides: Task[] = [];
  for (const task of tasks) {
    const to = keyOf(task);
    if (task.context !== undefined)
      edges.push(...task.context.map((other) => edge("fed", keyOf(other) ?? "", to)));
    else {
      const before = task.asyncExecution || besides.length === 0 ? last && [last] : besides;
      edges.push(...(before ?? []).map((other) => edge("next", keyOf(other) ?? "", to)));
    }
    if (task.asyncExecution) besides.push(task);
    else {
      last = task;
      besides = [];
    }
  }
  return edges;
}

function edge(kind: GraphEdge["kind"], from: string, to = ""): GraphEdge {
  return { id: `${from} → ${to}`, from, to, kind };
}
