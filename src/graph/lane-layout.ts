// Layout of several groups: each group is a lane from top to bottom, with later nodes lower. A link moves sideways only
// between rows, and passes rows in the gap beside its target lane.
import type { Graph, GraphBox, GraphEdge, GraphNode } from "../wire/graph.ts";
import type { Size } from "./graph-layout.ts";
import { sizeOf } from "./node-size.ts";
import { roundedSize, withBoxes } from "./rounded.ts";
import { Way } from "./way.ts";

const ROW_HEIGHT = 58;
const ROW_GAP = 44;
const LANE_GAP = 36;
const PADDING = 14;
const HEAD = 30;
const MARGIN = 16;

type Cell = Size & { readonly node: GraphNode; readonly lane: number; readonly row: number };

type LaneLayout = Size & {
  readonly boxes: ReadonlyMap<string, GraphBox>;
  readonly groups: ReadonlyMap<string, GraphBox>;
  readonly ways: ReadonlyMap<GraphEdge, string>;
};

/**
 * Lays out a graph without circles, whose nodes are ordered along its edges. Nodes without a group are placed above, or
 * in a lane of their own.
 */
export function layInLanes(graph: Graph, measure: (node: GraphNode) => Size = sizeOf): Graph {
  const { boxes, groups, ways, ...size } = laneLayout(graph, measure);
  return {
    ...graph,
    size: roundedSize(size),
    groups: withBoxes(graph.groups, groups),
    nodes: withBoxes(graph.nodes, boxes),
    edges: graph.edges.map((edge) => ({ ...edge, path: ways.get(edge) ?? "" })),
  };
}

function laneLayout(graph: Graph, measure: (node: GraphNode) => Size): LaneLayout {
  const { groups, nodes, edges } = graph;
  const rows = rowsOf(nodes, edges);
  const lanes = [...(nodes.some((node) => isLoose(node)) ? [undefined] : []), ...groups.map(idOf)];
  const cells = nodes
    .filter((node) => !isAbove(node))
    .map((node): Cell => ({
      node,
      ...measure(node),
      lane: lanes.indexOf(node.group),
      row: rows.get(node.id) ?? 0,
    }));
  const above = nodes.filter(isAbove);
  const top = MARGIN + (above.length > 0 ? ROW_HEIGHT + ROW_GAP : 0);
  const head = groups.length > 0 ? HEAD : PADDING;
  const rowAt = rowPlaces(cells, top + head);
  const boxes = new Map<string, GraphBox>();
  const areas: GraphBox[] = [];
  const height = rowAt(Math.max(0, ...rows.values())).bottom + PADDING - top;
  let x = MARGIN + LANE_GAP;
  for (const lane of lanes.keys()) {
    const inLane = Map.groupBy(
      cells.filter((cell) => cell.lane === lane),
      ({ row }) => row,
    );
    const widths = [...inLane.values()].map((row) => widthOf(row));
    const width = Math.max(104, ...widths) + 2 * PADDING;
    for (const [row, inRow] of inLane) {
      let at = x + (width - widthOf(inRow)) / 2;
      for (const { node, ...size } of inRow) {
        boxes.set(node.id, box(at, middleOf(rowAt(row)) - size.height / 2, size));
        at += size.width + PADDING;
      }
    }
    areas.push({ x, y: top, width, height });
    x += width + LANE_GAP;
  }
  const whole = { width: x - LANE_GAP + MARGIN, height: top + height + MARGIN };
  for (const node of above) {
    const size = sizeOf(node);
    boxes.set(node.id, box((whole.width - size.width) / 2, MARGIN, size));
  }
  const laneOf = new Map(cells.map(({ node, lane }) => [node.id, lane]));
  const ways = edges.map((edge, index): [GraphEdge, string] => {
    const gap = (areas[laneOf.get(edge.to) ?? 0]?.x ?? MARGIN) - 8 - (index % 4) * 6;
    return [edge, wayOf(edge, { boxes, rows, rowAt, gap })];
  });
  const area = new Map(lanes.map((id, lane) => [id, areas[lane]]));
  return {
    ...whole,
    boxes,
    groups: new Map(
      groups.flatMap(({ id }): [string, GraphBox][] => {
        const found = area.get(id);
        return found === undefined ? [] : [[id, found]];
      }),
    ),
    ways: new Map(ways),
  };
}

type RowPlace = { readonly top: number; readonly bottom: number };

/** Returns the place of each row, as high as its highest box. */
function rowPlaces(cells: readonly Cell[], top: number): (row: number) => RowPlace {
  const last = cells.reduce((most, { row }) => Math.max(most, row), 0);
  const places: RowPlace[] = [];
  for (let row = 0, at = top; row <= last; row++) {
    const inRow = cells.filter((cell) => cell.row === row);
    const height = inRow.reduce((most, cell) => Math.max(most, cell.height), ROW_HEIGHT);
    places.push({ top: at, bottom: at + height });
    at += height + ROW_GAP;
  }
  return (row) => places[row] ?? { top, bottom: top + ROW_HEIGHT };
}

function middleOf({ top, bottom }: RowPlace): number {
  return (top + bottom) / 2;
}

function isAbove({ kind }: GraphNode): boolean {
  return kind === "manager";
}

function isLoose({ group, kind }: GraphNode): boolean {
  return group === undefined && kind !== "manager";
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function widthOf(row: readonly Size[]): number {
  return row.reduce((sum, { width }) => sum + width, PADDING * (row.length - 1));
}

function box(x: number, y: number, { width, height }: Size): GraphBox {
  return { x, y, width, height };
}

/** Returns the row of each node: one below its lowest predecessor. Nodes above all lanes have no row. */
function rowsOf(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const { id, kind } of nodes) {
    if (kind === "manager") continue;
    const before = edges.filter(({ to }) => to === id).flatMap(({ from }) => rows.get(from) ?? []);
    rows.set(id, before.length === 0 ? 0 : Math.max(...before) + 1);
  }
  return rows;
}

function wayOf(
  { from, to }: GraphEdge,
  place: {
    readonly boxes: ReadonlyMap<string, GraphBox>;
    readonly rows: ReadonlyMap<string, number>;
    readonly rowAt: (row: number) => RowPlace;
    readonly gap: number;
  },
): string {
  const { boxes, rows, rowAt, gap } = place;
  const source = boxes.get(from) ?? { x: 0, y: 0, width: 0, height: 0 };
  const target = boxes.get(to) ?? source;
  const first = rows.get(from) ?? -1;
  const last = rows.get(to) ?? first + 1;
  const way = new Way(source.x + source.width / 2, source.y + source.height);
  if (first >= 0) way.down(rowAt(first).bottom);
  if (last > first + 1) {
    way.bend(gap, rowAt(first + 1).top);
    way.down(rowAt(last - 1).bottom);
  }
  way.bend(target.x + target.width / 2, rowAt(last).top);
  way.down(target.y);
  return way.toString();
}
