import { useRef, type KeyboardEvent } from "react";
import type { Graph, GraphNode } from "../api-types.ts";
import { boundsOf } from "./graph-bounds.ts";
import { formatDuration } from "./format.ts";
import { nextNode } from "./graph-steps.ts";

type Props = {
  readonly graph: Graph;
  readonly chosen?: string | undefined;
  readonly onChoose?: (node: GraphNode) => void;
  /** Shrinks to the available width instead of scrolling. */
  readonly isFitted?: boolean;
};

const MARGIN = 12;

/** A picture with the server's layout, and the same as a list for screen readers. */
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
  const groups = new Map(graph.groups.map(({ id, label }) => [id, label]));
  // The title of a group is not repeated in its nodes.
  const subOf = ({ sub, group }: GraphNode): string | undefined =>
    group !== undefined && groups.get(group) === sub ? undefined : sub;
  return (
    <>
      <div className="graph-scroll">
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
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
            >
              <path d="M0 0 8 4 0 8Z" className="arrow" />
            </marker>
          </defs>
          {graph.groups.map((group) => (
            <g key={group.id} className="graph-group">
              <rect x={group.x} y={group.y} width={group.width} height={group.height} rx={10} />
              <text x={group.x + 10} y={group.y + 16}>
                {group.label}
              </text>
            </g>
          ))}
          {graph.edges.map((edge) => (
            <g key={edge.id} className={`graph-edge ${edge.kind}${edge.back ? " back" : ""}`}>
              <path d={edge.path} markerEnd="url(#arrow)" />
              <title>
                {edge.label ?? edge.kind}
                {edge.count !== undefined && ` ×${edge.count}`}
              </title>
            </g>
          ))}
          {graph.nodes.map((node, index) => (
            <g
              key={node.id}
              data-node={node.id}
              data-state={node.state?.state}
              className={`graph-node ${node.kind} ${node.state?.state ?? ""}${node.id === chosen ? " chosen" : ""}`}
              role="button"
              tabIndex={index === 0 ? 0 : -1}
              onClick={() => onChoose?.(node)}
              onKeyDown={(event) => press(event, node)}
            >
              <title>{describe(node)}</title>
              <rect x={node.x} y={node.y} width={node.width} height={node.height} rx={8} />
              <text
                x={node.x + node.width / 2}
                y={node.y + node.height / 2 + (subOf(node) === undefined ? 4 : -2)}
                textAnchor="middle"
              >
                {fit(node.label, node.width)}
              </text>
              {subOf(node) !== undefined && (
                <text
                  className="sub"
                  x={node.x + node.width / 2}
                  y={node.y + node.height / 2 + 13}
                  textAnchor="middle"
                >
                  {fit(subOf(node) ?? "", node.width)}
                </text>
              )}
              {(node.state?.count ?? 0) > 1 && (
                <text
                  className="count"
                  x={node.x + node.width - 6}
                  y={node.y + 13}
                  textAnchor="end"
                >
                  ×{node.state?.count}
                </text>
              )}
              {(node.state?.waits?.length ?? 0) > 0 && (
                <text className="count" x={node.x + 6} y={node.y + 13}>
                  ?
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <details className="small">
        <summary>As a list</summary>
        <ul className="stack graph-list">
          {graph.nodes.map((node) => (
            <li key={node.id}>
              {onChoose === undefined ? (
                describe(node)
              ) : (
                <button type="button" className="button small plain" onClick={() => onChoose(node)}>
                  {describe(node)}
                </button>
              )}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function describe({ label, kind, sub, state }: GraphNode): string {
  const parts = [label, sub, kind];
  if (state !== undefined) {
    parts.push(state.state);
    if (state.count > 1) parts.push(`${state.count} times`);
    if (state.durationMs > 0) parts.push(formatDuration(state.durationMs));
    if (state.error !== undefined) parts.push(state.error);
  }
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

/** About 7 px a letter. */
function fit(text: string, width: number): string {
  const most = Math.max(3, Math.floor((width - 12) / 7));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
