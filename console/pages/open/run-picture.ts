// A file has no definition, so the picture shows the executed tasks or methods and the results that they used.
import type { Graph, GraphNode, RunView, StepRow } from "../../api-types.ts";
import { labelOf } from "../run/step-label.ts";

const WIDTH = 220;
const HEIGHT = 48;
const GAP = 36;

const STATES = { started: "running", waiting: "waiting", done: "done", error: "failed" } as const;

export function pictureOf(run: RunView, steps: readonly StepRow[]): Graph {
  const top = steps.filter(({ kind, key }) => isTop(kind, key));
  const known = new Set(top.map(({ key }) => key));
  const pending = (run.tasks ?? []).filter(({ key }) => !known.has(key));
  const shown = [
    ...top.map((step) => ({
      key: step.key,
      kind: step.kind,
      label: labelOf(step.key, step),
      state: STATES[step.state],
      durationMs:
        step.endedAt === undefined ? 0 : Date.parse(step.endedAt) - Date.parse(step.startedAt),
    })),
    ...pending.map(({ key, name }) => ({
      key,
      kind: "task",
      label: name,
      state: "idle" as const,
      durationMs: 0,
    })),
  ];
  const nodes = shown.map(({ key, kind, label, state, durationMs }, index): GraphNode => ({
    id: key,
    key,
    kind,
    label,
    x: 0,
    y: index * (HEIGHT + GAP),
    width: WIDTH,
    height: HEIGHT,
    state: { state, count: state === "idle" ? 0 : 1, durationMs },
  }));
  const places = new Map(nodes.map((node) => [node.id, node]));
  const edges = top.flatMap(({ key, cause }) => {
    const from =
      cause?.how === "fed" ? cause.keys : cause !== undefined && "key" in cause ? [cause.key] : [];
    return from.flatMap((source) => {
      const [one, other] = [places.get(source), places.get(key)];
      return one === undefined || other === undefined ? [] : [edgeOf(one, other)];
    });
  });
  const height = Math.max(HEIGHT, nodes.length * (HEIGHT + GAP) - GAP);
  return {
    kind: run.kind,
    name: run.name,
    size: { width: WIDTH + 60, height },
    groups: [],
    nodes,
    edges,
    warnings: ["The file has no definition: the picture shows the steps of the run, in order."],
  };
}

function isTop(kind: string, key: string): boolean {
  return kind === "method" || (kind === "task" && !key.includes("/"));
}

/** Straight down to the next one, and round the side to any other. */
function edgeOf(from: GraphNode, to: GraphNode): Graph["edges"][number] {
  const isNext = to.y - from.y === HEIGHT + GAP;
  const [start, end] = [from.y + HEIGHT / 2, to.y + HEIGHT / 2];
  const path = isNext
    ? `M${WIDTH / 2} ${from.y + HEIGHT} L${WIDTH / 2} ${to.y}`
    : `M${WIDTH} ${start} C${WIDTH + 50} ${start} ${WIDTH + 50} ${end} ${WIDTH} ${end}`;
  return { id: `${from.id} ${to.id}`, from: from.id, to: to.id, kind: "next", path };
}
