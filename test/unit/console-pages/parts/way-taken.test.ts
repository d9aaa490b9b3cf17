import { expect, it } from "vitest";
import type { Graph } from "../../../../console/api-types.ts";
import { wayTaken } from "../../../../console/parts/way-taken.ts";

type Edge = Graph["edges"][number];
type State = NonNullable<Graph["nodes"][number]["state"]>["state"];

const box = { x: 0, y: 0, width: 100, height: 40 };
const node = (id: string, state?: State, count = 1): Graph["nodes"][number] => ({
  ...box,
  id,
  label: id,
  kind: state === undefined ? "label" : "method",
  ...(state === undefined ? undefined : { state: { state, count, durationMs: 1 } }),
});
const edge = (from: string, to: string, more: Partial<Edge> = {}): Edge => ({
  id: `${from} → ${to}`,
  from,
  to,
  kind: "listens",
  ...more,
});

it("marks the label that a person chose, what follows it, and no other label", () => {
  const { nodes, edges } = wayTaken({
    nodes: [
      node("draft", "done"),
      node("review", "done"),
      node("approve"),
      node("reject"),
      node("schedule", "waiting"),
      node("drop", "idle", 0),
      node("publish", "idle", 0),
    ],
    edges: [
      edge("draft", "review"),
      edge("review", "approve", { kind: "routes", count: 1 }),
      edge("review", "reject", { kind: "routes" }),
      edge("approve", "schedule"),
      edge("reject", "drop"),
      edge("schedule", "publish"),
    ],
  });
  expect([...nodes].toSorted()).toEqual(["approve", "draft", "review", "schedule"]);
  expect([...edges].toSorted()).toEqual([
    "approve → schedule",
    "draft → review",
    "review → approve",
  ]);
});

it("reaches a join of all only when each of its sources has finished", () => {
  const joined = (state: State) =>
    wayTaken({
      nodes: [node("facts", "done"), node("numbers", state), node("all"), node("draft", "idle", 0)],
      edges: [
        edge("facts", "all", { kind: "all" }),
        edge("numbers", "all", { kind: "all" }),
        edge("all", "draft"),
      ],
    });
  expect(joined("running").nodes.has("all")).toBe(false);
  expect(joined("done").nodes.has("all")).toBe(true);
});

it("marks nothing in the picture of a definition", () => {
  const { nodes, edges } = wayTaken({
    nodes: [node("draft"), node("review")],
    edges: [edge("draft", "review")],
  });
  expect([nodes.size, edges.size]).toEqual([0, 0]);
});
