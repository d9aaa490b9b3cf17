import type { KeyboardEvent } from "react";
import type { GraphNode } from "../api-types.ts";
import { formatDuration } from "./format.ts";

type Props = {
  readonly node: GraphNode;
  readonly sub: string | undefined;
  /** Has other nodes inside it, below its label. */
  readonly isHost: boolean;
  /** On the way that the run has taken. */
  readonly isReached: boolean;
  readonly isChosen: boolean;
  readonly isFirst: boolean;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
};

/** Middle of the label of a node with others inside. */
const HOST_LABEL = 22;

export function NodeBox(props: Props) {
  const { node, sub, isHost, isReached, isChosen } = props;
  const { x, y, width, height, state } = node;
  const middle = { x: x + width / 2, y: y + (isHost ? HOST_LABEL : height / 2) };
  const classes = [
    "graph-node",
    node.kind,
    state?.state ?? (isReached ? "reached" : ""),
    isHost ? "host" : "",
    isChosen ? "chosen" : "",
  ];
  return (
    <g
      data-node={node.id}
      data-state={state?.state}
      data-reached={isReached || undefined}
      className={classes.filter(Boolean).join(" ")}
      role="button"
      tabIndex={props.isFirst ? 0 : -1}
      onClick={props.onChoose}
      onKeyDown={props.onKeyDown}
    >
      <title>{describeNode(node)}</title>
      <rect x={x} y={y} width={width} height={height} rx={8} />
      <text x={middle.x} y={middle.y + (sub === undefined ? 4 : -2)} textAnchor="middle">
        {fitted(node.label, width)}
      </text>
      {sub !== undefined && (
        <text className="sub" x={middle.x} y={middle.y + 13} textAnchor="middle">
          {fitted(sub, width)}
        </text>
      )}
      {(state?.count ?? 0) > 1 && (
        <text className="count" x={x + width - 6} y={y + 13} textAnchor="end">
          ×{state?.count}
        </text>
      )}
      {(state?.waits?.length ?? 0) > 0 && (
        <text className="count" x={x + 6} y={y + 13}>
          ?
        </text>
      )}
    </g>
  );
}

export function describeNode({ label, kind, sub, state }: GraphNode): string {
  const parts = [label, sub, kind];
  if (state !== undefined) {
    parts.push(state.state);
    if (state.count > 1) parts.push(`${state.count} times`);
    if (state.durationMs > 0) parts.push(formatDuration(state.durationMs));
    if (state.error !== undefined) parts.push(state.error);
  }
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

/** Cuts a text to a width, at about 7 px a letter. */
export function fitted(text: string, width: number): string {
  const most = Math.max(3, Math.floor((width - 12) / 7));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
