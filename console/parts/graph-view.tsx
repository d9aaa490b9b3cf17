import { useRef, type KeyboardEvent } from "react";
import type { Graph, GraphNode } from "../api-types.ts";
import { boundsOf } from "./graph-bounds.ts";
import { describeNode, fitted, NodeBox } from "./graph-node.tsx";
import { nextNode } from "./graph-steps.ts";
import { wayTaken } from "./way-taken.ts";

type Props = {
  readonly graph: Graph;
  readonly chosen?: string | undefined;
  readonly onChoose?: (node: GraphNode) => void;
  /** Shrinks to the available width instead of scrolling. */
  readonly isFitted?: boolean;
};

const MARGIN = 12;

/**
 * A picture with the server's layout, and the same as a list for screen readers. In a run, the way taken is marked.
 */
export function GraphView({ graph, chosen, onChoose, isFitted = false }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const press = (event: KeyboardEvent, node: GraphNode): void => {
    if (event.key === "Enter" || event.key === " ") onChoose?.(node);
    else {
      const next = nextNode(graph, node, event.key);
      if (next === undefined) return;
      svg.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next.id)}"]`)?.focus();
    }
    event.preventDefault();
  };
  const { x, y, width, height } = boundsOf(graph);
  const way = wayTaken(graph);
  const groups = new Map(graph.groups.map(({ id, label }) => [id, label]));
  // An edge without a path leads to a node inside its origin.
  const hosts = new Set(
    graph.edges.filter(({ path }) => path === undefined).map(({ from }) => from),
  );
  // Larger boxes lie below the boxes within them.
  const frames: readonly Frame[] = [
    ...graph.groups,
    ...graph.nodes.filter(({ id }) => hosts.has(id)).map((node) => ({ ...node, node })),
  ].toSorted((one, other) => other.width * other.height - one.width * one.height);
  const nodeOf = (node: GraphNode) => (
    <NodeBox
      key={node.id}
      node={node}
      // The title of a group is not repeated in its nodes.
      sub={node.group !== undefined && groups.get(node.group) === node.sub ? undefined : node.sub}
      isHost={hosts.has(node.id)}
      isReached={way.nodes.has(node.id)}
      isChosen={node.id === chosen}
      isFirst={node === graph.nodes[0]}
      onChoose={() => onChoose?.(node)}
      onKeyDown={(event) => press(event, node)}
    />
  );
  return (
    <>
      <div className="graph-scroll scroll-sign">
        <svg
          ref={svg}
          className={`graph${isFitted ? " fitted" : ""}`}
          role="group"
          aria-label={`Picture of ${graph.name}`}
          viewBox={`${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
          width={width + 2 * MARGIN}
          height={height + 2 * MARGIN}
        >
          <defs>
            <Arrow id="arrow" />
            <Arrow id="arrow-taken" />
          </defs>
          {frames.map((box) =>
            box.node === undefined ? (
              <g key={`group ${box.id}`} className="graph-group">
                <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={10} />
                <text x={box.x + 10} y={box.y + 17}>
                  {fitted(box.label, box.width)}
                </text>
              </g>
            ) : (
              nodeOf(box.node)
            ),
          )}
          {graph.edges.map((edge) => (
            <Edge key={edge.id} edge={edge} isTaken={way.edges.has(edge.id)} />
          ))}
          {graph.nodes.filter(({ id }) => !hosts.has(id)).map(nodeOf)}
        </svg>
      </div>
      <details className="small">
        <summary>As a list</summary>
        <ul className="stack graph-list">
          {graph.nodes.map((node) => (
            <li key={node.id}>
              {onChoose === undefined ? (
                describeNode(node)
              ) : (
                <button type="button" className="button small plain" onClick={() => onChoose(node)}>
                  {describeNode(node)}
                </button>
              )}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

type Frame = Graph["groups"][number] & { readonly node?: GraphNode };

function Arrow({ id }: { readonly id: string }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      markerUnits="userSpaceOnUse"
      orient="auto-start-reverse"
    >
      <path d="M0 0 8 4 0 8Z" className={id} />
    </marker>
  );
}

type EdgeProps = { readonly edge: Graph["edges"][number]; readonly isTaken: boolean };

function Edge({ edge, isTaken }: EdgeProps) {
  if (edge.path === undefined) return null;
  return (
    <g
      className={`graph-edge ${edge.kind}${edge.back ? " back" : ""}${isTaken ? " taken" : ""}`}
      data-edge={edge.id}
    >
      <path d={edge.path} markerEnd={isTaken ? "url(#arrow-taken)" : "url(#arrow)"} />
      <title>
        {edge.label ?? edge.kind}
        {edge.count !== undefined && ` ×${edge.count}`}
        {isTaken && ", taken"}
      </title>
    </g>
  );
}
