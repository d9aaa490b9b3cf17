import { it } from "vitest";
import { layOut } from "../../src/graph/lay-out.ts";
it("time", () => {
  for (const round of [1, 2, 3, 4, 5]) {
    const nodes = Array.from({ length: 60 }, (_, i) => ({ id: `t${i}`, kind: "task" as const, label: `Task ${i} ${round}`, group: `g${i % 6}`, ...(i === 0 ? { start: true as const } : {}) }));
    const edges = nodes.slice(1).flatMap((n, i) => [{ id: `e${i}`, from: nodes[i]!.id, to: n.id, kind: "next" as const }, ...(i > 5 && i % 3 === 0 ? [{ id: `f${i}`, from: nodes[i - 5]!.id, to: n.id, kind: "fed" as const }] : [])]);
    const bare = nodes.map(({ group: _, ...n }) => n);
    let t = performance.now(); layOut({ kind: "crew", name: "x", groups: [...new Set(nodes.map(n => n.group))].map(id => ({ id, label: id })), nodes, edges, warnings: [] }); const grouped = performance.now() - t;
    t = performance.now(); layOut({ kind: "crew", name: "x", groups: [], nodes: bare, edges, warnings: [] }); const flat = performance.now() - t;
    console.log(round, "groups", grouped.toFixed(0), "flat", flat.toFixed(0));
  }
});
