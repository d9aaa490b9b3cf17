import { expect, it } from "vitest";
import type { Graph } from "../../../../console/api-types.ts";
import { boundsOf } from "../../../../console/parts/graph-bounds.ts";

const graph = (parts: Partial<Graph>): Graph => ({
  kind: "crew",
  name: "tea",
  size: { width: 200, height: 134 },
  groups: [],
  nodes: [],
  edges: [],
  warnings: [],
  ...parts,
});
const box = { id: "a", label: "a", kind: "task" };

it("shows a picture without the empty margin of the layout (CO17)", () => {
  const nodes = [{ ...box, x: 66, y: 46, width: 104, height: 58 }];
  const groups = [{ ...box, x: 52, y: 16, width: 132, height: 102 }];
  expect(boundsOf(graph({ nodes, groups }))).toEqual({ x: 52, y: 16, width: 132, height: 102 });
});

it("includes every arrow, also one around its own node (CO16)", () => {
  const nodes = [{ ...box, x: 10, y: 10, width: 100, height: 40 }];
  const path = "M 110 30 C 150.5 30 150.5 -8 60 -8";
  const edges = [{ id: "e", from: "a", to: "a", kind: "next" as const, back: true as const, path }];
  const { x, y, width, height } = boundsOf(graph({ nodes, edges }));
  expect([x, y, x + width, y + height]).toEqual([10, -8, 150.5, 50]);
});

it("has the layout's size when it is empty (CO16)", () => {
  expect(boundsOf(graph({}))).toEqual({ x: 0, y: 0, width: 200, height: 134 });
});

it("reads the height of a vertical line as a height (CO17)", () => {
  const nodes = [
    { ...box, x: 0, y: 0, width: 100, height: 40 },
    { ...box, id: "b", x: 0, y: 90, width: 100, height: 22 },
  ];
  const edges = [
    { id: "e", from: "a", to: "b", kind: "next", path: "M500 40V60C500 75 50 75 50 90" },
  ] as const;
  expect(boundsOf(graph({ nodes, edges }))).toEqual({ x: 0, y: 0, width: 500, height: 112 });
});
