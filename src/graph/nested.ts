// Layout of what a run added to its graph: each node stands inside the node whose work it is, as a called crew inside
// its method.
import type { Graph, GraphAddition, GraphBox, GraphNode } from "../wire/graph.ts";
import type { Size } from "./graph-layout.ts";
import { sizeOf as plainSizeOf } from "./node-size.ts";

const GAP = 12;
const HEAD = 28;
/** Number of boxes above which they stand in several columns. */
const COLUMN = 4;
const MAX_COLUMNS = 4;
/** Distance of additions without a place in the graph from its lower edge. */
const FALL = 28;

/** A box to place, and the boxes within it relative to its corner. */
type Block = Size & { readonly id: string; readonly boxes: ReadonlyMap<string, GraphBox> };
type Contents = Size & { readonly boxes: ReadonlyMap<string, GraphBox> };

/** Sizes of a graph's nodes with their additions, and the places of the additions. */
export class Nested {
  readonly #added: GraphAddition;
  /** Additions by the id of their origin. */
  readonly #inner: ReadonlyMap<string | undefined, readonly GraphNode[]>;
  readonly #contents = new Map<string, Contents>();

  constructor(added: GraphAddition) {
    this.#added = added;
    const origins = new Map(added.edges.map(({ from, to }) => [to, from]));
    this.#inner = Map.groupBy(added.nodes, ({ id }) => origins.get(id));
  }

  /** The size of a node with everything inside it. */
  readonly sizeOf = (node: GraphNode): Size => {
    const plain = plainSizeOf(node);
    const { width, height } = this.#contentsOf(node.id);
    if (width === 0) return plain;
    return {
      width: Math.max(plain.width, width + 2 * GAP),
      height: plain.height + height + GAP,
    };
  };

  /** Adds the places of all additions to a graph that is laid out with these sizes. */
  placed(graph: Graph): Graph {
    const boxes = new Map<string, GraphBox>();
    for (const node of graph.nodes) {
      const { x = 0, y = 0, width = 0, height = 0 } = node;
      const inner = this.#contentsOf(node.id);
      const corner = { x: x + (width - inner.width) / 2, y: y + height - inner.height - GAP };
      for (const [id, box] of inner.boxes) boxes.set(id, moved(box, corner));
    }
    let { width, height } = graph.size ?? { width: 0, height: 0 };
    const loose = this.#contentsOf(undefined);
    if (loose.width > 0) {
      for (const [id, box] of loose.boxes) boxes.set(id, moved(box, { x: GAP, y: height + FALL }));
      width = Math.max(width, loose.width + 2 * GAP);
      height += FALL + loose.height + GAP;
    }
    const { nodes, groups, edges } = this.#added;
    return {
      ...graph,
      size: { width, height },
      nodes: [...graph.nodes, ...nodes.map((node) => ({ ...node, ...boxes.get(node.id) }))],
      groups: [
        ...graph.groups,
        ...groups.map((group) => ({ ...group, ...boxes.get(groupId(group.id)) })),
      ],
      edges: [...graph.edges, ...edges],
    };
  }

  #contentsOf(origin: string | undefined): Contents {
    const known = this.#contents.get(origin ?? "");
    if (known !== undefined) return known;
    const inner = this.#inner.get(origin) ?? [];
    // Work within a task of a crew belongs to the crew, too; the crew has one frame, around the task.
    const around = this.#added.nodes.find(({ id }) => id === origin)?.group;
    const loose = inner.filter(({ group }) => group === undefined || group === around);
    const blocks = loose.map((node) => this.#blockOf(node));
    for (const { id, label } of this.#added.groups) {
      const inside = id === around ? [] : inner.filter(({ group }) => group === id);
      if (inside.length === 0) continue;
      const { width, height, boxes } = columnsOf(inside.map((node) => this.#blockOf(node)));
      const least = plainSizeOf({ id, kind: "label", label }).width;
      const size = { width: Math.max(least, width + 2 * GAP), height: HEAD + height + GAP };
      const corner = { x: (size.width - width) / 2, y: HEAD };
      blocks.push({
        id: groupId(id),
        ...size,
        boxes: new Map([...boxes].map(([each, box]) => [each, moved(box, corner)])),
      });
    }
    const contents = columnsOf(blocks);
    this.#contents.set(origin ?? "", contents);
    return contents;
  }

  #blockOf(node: GraphNode): Block {
    const size = this.sizeOf(node);
    const inner = this.#contentsOf(node.id);
    const corner = { x: (size.width - inner.width) / 2, y: size.height - inner.height - GAP };
    const boxes = new Map([...inner.boxes].map(([id, box]) => [id, moved(box, corner)]));
    return { id: node.id, ...size, boxes };
  }
}

/** Groups and nodes may have the same id. */
function groupId(id: string): string {
  return `group ${id}`;
}

function moved(box: GraphBox, { x, y }: Pick<GraphBox, "x" | "y">): GraphBox {
  return { ...box, x: box.x + x, y: box.y + y };
}

/** Places blocks below each other, in reading order, in as few columns as needed. */
function columnsOf(blocks: readonly Block[]): Contents {
  const count = Math.min(MAX_COLUMNS, Math.ceil(blocks.length / COLUMN));
  const columns = Array.from({ length: count }, (_, column) =>
    Math.max(...blocks.filter((__, index) => index % count === column).map(({ width }) => width)),
  );
  const boxes = new Map<string, GraphBox>();
  let y = 0;
  for (let first = 0; first < blocks.length; first += count) {
    const row = blocks.slice(first, first + count);
    let x = 0;
    for (const [column, { id, width: own, height, boxes: inner }] of row.entries()) {
      const width = Math.max(own, columns[column] ?? 0);
      boxes.set(id, { x, y, width, height });
      const corner = { x: x + (width - own) / 2, y };
      for (const [each, box] of inner) boxes.set(each, moved(box, corner));
      x += width + GAP;
    }
    y += Math.max(...row.map(({ height }) => height)) + GAP;
  }
  const width = columns.reduce((sum, each) => sum + each + GAP, -GAP);
  return { width: Math.max(0, width), height: Math.max(0, y - GAP), boxes };
}
