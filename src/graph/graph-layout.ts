// Layout of a graph. Dagre computes the rows and columns; the paths of the links are computed here:
//
//   DL1. A link moves sideways only between rows, so it never crosses a box.
//   DL2. A back link has a lane of its own: it turns below its first row, rises, and turns above its last row.
//   DL3. Links enter a box at its top, in the middle.
import { Graph, layout } from "@dagrejs/dagre";
import { straighten, type Item, type Lane } from "./lanes.ts";
import type { PlacedLink } from "./placed-link.ts";
import { Way } from "./way.ts";

/**
 * A node with a place. Labels and joins have rows of their own between the others; starts are placed as high as
 * possible.
 */
type PlacedNode = {
  readonly id: string;
  readonly kind: string;
  readonly start?: boolean | string;
};

type Diagram<Node extends PlacedNode, Link extends PlacedLink> = {
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
};

const BETWEEN: ReadonlySet<string> = new Set(["label", "gate", "join"]);

export type Size = { readonly width: number; readonly height: number };
/** `x` and `y` of the upper left corner. */
export type Box = Size & { readonly x: number; readonly y: number };

export type Layout<Link extends PlacedLink = PlacedLink> = Size & {
  readonly boxes: ReadonlyMap<string, Box>;
  /** Path of each link, as the `d` of an SVG path. */
  readonly ways: ReadonlyMap<Link, string>;
};

const ROW_GAP = 27;
const COLUMN_GAP = 26;
const LINK_GAP = 16;
const MARGIN = 16;
/** Width of a link's turn; less than the gap between rows. */
const TURN = 21;
/** Number of nodes above which the search for the best layout takes too long for a request, and a good one is used. */
const MANY_NODES = 300;
/** A node above all starts, which is not drawn, and how strongly they are drawn to it. */
const TOP = "top";
const TO_TOP = 8;

type Point = { readonly x: number; readonly y: number };
/** Dagre's form of a place: `x` and `y` of the middle, and the row. */
type Placed = Point & Size & { readonly rank: number };
type Row = { readonly top: number; readonly bottom: number };

/** Places boxes of these sizes. */
export function layoutOf<Node extends PlacedNode, Link extends PlacedLink>(
  diagram: Diagram<Node, Link>,
  sizeOf: (node: Node) => Size,
): Layout<Link> {
  if (diagram.nodes.length === 0) return { boxes: new Map(), ways: new Map(), width: 0, height: 0 };
  const { graph, turns } = graphOf(diagram, sizeOf);
  layout(graph, { disableOptimalOrderHeuristic: diagram.nodes.length > MANY_NODES });
  const frame = frameOf(graph, diagram);
  const placed = (id: string): Placed => {
    const node = graph.node(id) as Placed;
    return { ...node, x: node.x - frame.x, y: node.y - frame.y };
  };
  const boxes = diagram.nodes.map(({ id }) => ({ id, ...placed(id) }));
  const rows = rowsOf(boxes);
  const lanes = new Map(
    diagram.links.map((link): [Link, Lane] => {
      const [from, to] = turns.get(link) ?? [link.from, link.to];
      const { points = [] } = graph.edge(from, to) as { points?: readonly Point[] };
      const first = placed(from).rank;
      const last = placed(to).rank;
      const lane: Lane = new Map();
      for (const row of rows.keys()) {
        const point = points[row - first];
        if (row > first && row < last && point !== undefined) lane.set(row, point.x - frame.x);
      }
      return [link, lane];
    }),
  );
  straighten({ lanes, boxes: itemsOf(boxes), goal: ({ to }) => placed(to).x, gap: LINK_GAP });
  const ways = diagram.links.map((link): [Link, string] => {
    const ends = { source: placed(link.from), target: placed(link.to) };
    const passed = { rows, lane: lanes.get(link) ?? new Map<number, number>() };
    return [link, link.isBack ? backWay(ends, passed) : forwardWay(ends, passed)];
  });
  return {
    boxes: new Map(boxes.map(({ id, ...box }) => [id, cornerOf(box)])),
    ways: new Map(ways),
    width: frame.width,
    height: frame.height,
  };
}

function cornerOf({ x, y, width, height }: Placed): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** Builds the graph for dagre. Each back link becomes a link between two turns, beside everything in between. */
function graphOf<Node extends PlacedNode, Link extends PlacedLink>(
  { nodes, links }: Diagram<Node, Link>,
  sizeOf: (node: Node) => Size,
) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: "TB",
    ranksep: ROW_GAP, // of each two rows of dagre: one for methods, one for the labels between them
    nodesep: COLUMN_GAP,
    edgesep: LINK_GAP,
    ranker: nodes.length > MANY_NODES ? "tight-tree" : "network-simplex",
  });
  const connect = (from: string, to: string, options: { rows: number; weight?: number }): void => {
    const { rows, weight = 1 } = options;
    graph.setEdge(from, to, { minlen: rows, weight, labelpos: "c" });
  };
  const addPoint = (id: string): void => {
    if (!graph.hasNode(id)) graph.setNode(id, { width: 0, height: 0 });
  };
  const methods = new Set<string>();
  for (const node of nodes) {
    graph.setNode(node.id, { ...sizeOf(node) });
    if (!BETWEEN.has(node.kind)) methods.add(node.id);
    if (BETWEEN.has(node.kind) || (node.start !== "always" && node.start !== true)) continue;
    addPoint(TOP);
    connect(TOP, node.id, { rows: 1, weight: TO_TOP });
  }
  const turns = new Map<Link, readonly [above: string, below: string]>();
  for (const link of links) {
    const { from, to, isBack } = link;
    if (!isBack) {
      connect(from, to, { rows: methods.has(from) && methods.has(to) ? 2 : 1 });
      continue;
    }
    const above = `above ${to}`;
    const below = `below ${from}`;
    addPoint(above);
    addPoint(below);
    connect(above, to, { rows: 1 });
    connect(from, below, { rows: 1 });
    connect(above, below, { rows: 1 });
    turns.set(link, [above, below]);
  }
  return { graph, turns };
}

/** Returns the box around all boxes and links, with a margin. */
function frameOf(graph: Graph, { nodes, links }: Diagram<PlacedNode, PlacedLink>): Box {
  const turn = links.some(({ isBack }) => isBack) ? TURN : 0;
  const placed = nodes.map(({ id }) => graph.node(id) as Placed);
  const points = graph
    .edges()
    .filter(({ v }) => v !== TOP)
    .flatMap((edge) => (graph.edge(edge) as { points?: readonly Point[] }).points ?? []);
  const left = least([...placed.map(({ x, width }) => x - width / 2), ...points.map(({ x }) => x)]);
  const right = most([...placed.map(({ x, width }) => x + width / 2), ...points.map(({ x }) => x)]);
  const top = least(placed.map(({ y, height }) => y - height / 2)) - turn;
  const bottom = most(placed.map(({ y, height }) => y + height / 2)) + turn;
  return {
    x: left - MARGIN,
    y: top - MARGIN,
    width: right - left + 2 * MARGIN,
    height: bottom - top + 2 * MARGIN,
  };
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** Returns the rows with boxes, from the top. */
function rowsOf(boxes: readonly Placed[]): ReadonlyMap<number, Row> {
  const rows = Map.groupBy(boxes, ({ rank }) => rank);
  return new Map(
    [...rows]
      .toSorted(([a], [b]) => a - b)
      .map(([rank, inRow]) => [
        rank,
        {
          top: least(inRow.map(({ y, height }) => y - height / 2)),
          bottom: most(inRow.map(({ y, height }) => y + height / 2)),
        },
      ]),
  );
}

function itemsOf(boxes: readonly Placed[]): ReadonlyMap<number, readonly Item[]> {
  const rows = Map.groupBy(boxes, ({ rank }) => rank);
  return new Map(
    [...rows].map(([rank, inRow]) => [
      rank,
      inRow.map(({ x, width }) => ({ left: x - width / 2, right: x + width / 2 })),
    ]),
  );
}

type Ends = { readonly source: Placed; readonly target: Placed };
type Passed = { readonly rows: ReadonlyMap<number, Row>; readonly lane: Lane };

function forwardWay({ source, target }: Ends, { rows, lane }: Passed): string {
  const way = new Way(source.x, source.y + source.height / 2);
  way.down(rows.get(source.rank)?.bottom);
  for (const [rank, x] of lane) {
    const row = rows.get(rank);
    if (row === undefined) continue;
    way.bend(x, row.top);
    way.down(row.bottom);
  }
  way.bend(target.x, rows.get(target.rank)?.top ?? target.y);
  way.down(target.y - target.height / 2);
  return way.toString();
}

function backWay({ source, target }: Ends, { rows, lane }: Passed): string {
  const way = new Way(source.x, source.y + source.height / 2);
  way.down(rows.get(source.rank)?.bottom);
  way.turn(lane.get(source.rank) ?? source.x, TURN);
  for (const [rank, x] of [...lane].toReversed()) {
    const row = rows.get(rank);
    if (row === undefined || rank > source.rank || rank < target.rank) continue;
    way.bend(x, row.bottom);
    way.down(row.top);
  }
  way.turn(target.x, -TURN);
  way.down(target.y - target.height / 2);
  return way.toString();
}
