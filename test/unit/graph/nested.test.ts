import { expect, it } from "vitest";
import { graphOfFlow } from "../../../src/flow/plot/graph-of-flow.ts";
import { inRows } from "../../../src/graph/in-rows.ts";
import type { Graph, GraphAddition, GraphNode } from "../../../src/wire/graph.ts";
import { announce } from "../../../examples/announce.ts";

const CREW = "method:draft/crew:release-notes";
const task = (name: string): GraphNode => ({
  id: `${CREW}/task:${name}`,
  key: `${CREW}/task:${name}`,
  kind: "task",
  label: name,
  group: CREW,
});

/** A crew of so many tasks, called by the first method. */
function calledCrew(tasks: number): GraphAddition {
  const nodes = Array.from({ length: tasks }, (_, index) => task(`task-${index}`));
  return {
    nodes,
    groups: [{ id: CREW, label: "release-notes" }],
    edges: nodes.map(({ id }) => ({ id, from: "method:draft", to: id, kind: "delegates" })),
  };
}

const graph = graphOfFlow("announce", announce.definition);
const laidOut = (added: GraphAddition): Promise<Graph> => inRows(graph, { added });

type Box = Pick<GraphNode, "x" | "y" | "width" | "height">;
function edges({ x = Number.NaN, y = Number.NaN, width = 0, height = 0 }: Box = {}) {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

it.each([1, 2, 5, 23])("places a called crew of %d tasks inside its method", async (tasks) => {
  const { nodes, groups } = await laidOut(calledCrew(tasks));
  const method = edges(nodes.find(({ id }) => id === "method:draft"));
  const frame = edges(groups[0]);
  const inside = nodes.filter(({ group }) => group === CREW).map(edges);
  expect(inside).toHaveLength(tasks);
  for (const [inner, outer] of [
    [frame, method] as const,
    ...inside.map((box) => [box, frame] as const),
  ])
    expect(
      inner.left > outer.left &&
        inner.right < outer.right &&
        inner.top > outer.top + 20 &&
        inner.bottom < outer.bottom,
    ).toBe(true);
  for (const [index, one] of inside.entries())
    for (const other of inside.slice(index + 1))
      expect(
        one.right <= other.left ||
          other.right <= one.left ||
          one.bottom <= other.top ||
          other.bottom <= one.top,
      ).toBe(true);
});

it("keeps the methods below a method that has a crew in it, and draws no edge to the crew", async () => {
  const { nodes, edges: links } = await laidOut(calledCrew(5));
  const [draft, review] = ["method:draft", "method:review"].map((id) =>
    edges(nodes.find((node) => node.id === id)),
  );
  expect(review?.top).toBeGreaterThan(draft?.bottom ?? Number.NaN);
  expect(links.filter(({ path }) => path === undefined)).toHaveLength(5);
});

it("places work without an origin in the graph below it", async () => {
  const { size, nodes } = await laidOut({ ...calledCrew(2), edges: [] });
  const lowest = Math.max(
    ...nodes.filter(({ kind }) => kind === "method").map((node) => edges(node).bottom),
  );
  for (const node of nodes.filter(({ group }) => group === CREW)) {
    expect(edges(node).top).toBeGreaterThan(lowest);
    expect(edges(node).bottom).toBeLessThan(size?.height ?? 0);
  }
});
