import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countPaths, MAX_PATHS } from "../../../../src/flow/plot/execution-paths.ts";

function paths(text: string, starts: string): number {
  const edges = text.split(" ").map((edge) => ({ source: edge[0] ?? "", target: edge[1] ?? "" }));
  const nodes = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  return countPaths({ nodes, edges, starts: starts.split("") });
}

/** By walking every one of them. */
function walked(
  edges: ReadonlyArray<readonly [number, number]>,
  starts: readonly number[],
): number {
  const from = (node: number, passed: ReadonlySet<number>): number => {
    const out = edges.filter(([source]) => source === node);
    if (out.length === 0) return 1;
    const now = new Set([...passed, node]);
    return out.reduce((sum, [, to]) => sum + (now.has(to) ? 0 : from(to, now)), 0);
  };
  return starts.reduce((sum, start) => sum + from(start, new Set()), 0);
}

describe("execution paths", () => {
  it.each([
    ["ab bc", "a", 1],
    ["ab ac bd cd", "a", 2],
    ["ab ab bc", "a", 2],
    ["ac bc", "ab", 2],
    ["ab bc ca cd", "a", 1],
    ["ab bc cb bd cd", "a", 2],
  ])("of %s from %s are %i", (text, starts, expected) => {
    expect(paths(text, starts)).toBe(expected);
  });

  it("are 0 without a start or an end, and 1 when every path is a cycle", () => {
    expect(paths("ab", "")).toBe(0);
    expect(paths("ab ba", "a")).toBe(0);
    expect(paths("ab ba cd", "a")).toBe(1);
    expect(countPaths({ nodes: ["a"], edges: [], starts: ["a"] })).toBe(1);
  });

  it("match a walk over all paths, in any graph", () => {
    const graph = fc.integer({ min: 2, max: 7 }).chain((size) => {
      const node = fc.integer({ min: 0, max: size - 1 });
      return fc.tuple(fc.constant(size), fc.array(fc.tuple(node, node), { maxLength: 16 }));
    });
    fc.assert(
      fc.property(graph, ([size, edges]) => {
        const nodes = Array.from({ length: size }, (_, index) => String(index));
        const named = edges.map(([source, target]) => ({
          source: String(source),
          target: String(target),
        }));
        const isDead = nodes.every((node) => named.some(({ source }) => source === node));
        const expected = isDead ? 0 : Math.max(1, walked(edges, [0, 1]));
        expect(countPaths({ nodes, edges: named, starts: ["0", "1"] })).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("are counted up to a million, and quickly", () => {
    const nodes = Array.from({ length: 80 }, (_, index) => String(index));
    const edges = nodes.flatMap((node, index) =>
      index > 76 ? [] : [1, 2, 3].map((step) => ({ source: node, target: String(index + step) })),
    );
    const withBack = [...edges, { source: "76", target: "0" }];
    for (const each of [edges, withBack])
      expect(countPaths({ nodes, edges: each, starts: ["0"] })).toBe(MAX_PATHS);
  });
});
