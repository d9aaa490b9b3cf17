import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FlowDefinition } from "../../../src/flow/flow-definition.ts";
import { cardOf, sizeOf } from "../../../src/flow/plot/card.ts";
import { diagramOf, type DiagramNode } from "../../../src/flow/plot/diagram.ts";
import { layoutOf, type Box } from "../../../src/graph/graph-layout.ts";
import { flowDefinitions } from "../../support/flow-definitions.ts";

function sized(node: DiagramNode) {
  return sizeOf(node, node.kind === "method" ? cardOf(node, false) : undefined, false);
}

function laidOut(definition: FlowDefinition) {
  const diagram = diagramOf(definition);
  return { diagram, ...layoutOf(diagram, sized) };
}

type Point = readonly [x: number, y: number];

/** Points on a path of M, V and C, close to each other. */
function pointsOn(path: string): Point[] {
  const points: Point[] = [];
  let [x, y] = [0, 0];
  for (const [, command = "", numbers = ""] of path.matchAll(/([MVC])([^MVC]*)/g)) {
    const values = numbers.split(" ").map(Number);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = values;
    const end: Point = command === "M" ? [a, b] : command === "V" ? [x, a] : [e, f];
    for (let step = 1; step <= 24; step++) {
      const t = step / 24;
      const u = 1 - t;
      if (command === "V") points.push([x, y + (a - y) * t]);
      if (command === "C")
        points.push([
          u ** 3 * x + 3 * u * u * t * a + 3 * u * t * t * c + t ** 3 * e,
          u ** 3 * y + 3 * u * u * t * b + 3 * u * t * t * d + t ** 3 * f,
        ]);
    }
    [x, y] = end;
  }
  return points;
}

function isWithin([x, y]: Point, box: Box): boolean {
  const air = 0.2; // coordinates are rounded
  return (
    x > box.x + air &&
    x < box.x + box.width - air &&
    y > box.y + air &&
    y < box.y + box.height - air
  );
}

it("DL1: no boxes overlap, no box leaves the picture, and no link crosses a box, in any flow", () => {
  fc.assert(
    fc.property(flowDefinitions(), (definition) => {
      const { diagram, boxes, ways, width, height } = laidOut(definition);
      const all = [...boxes.values()];
      expect(all).toHaveLength(diagram.nodes.length);
      for (const [index, a] of all.entries()) {
        expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height).toBe(
          true,
        );
        const overlapping = all
          .slice(index + 1)
          .filter(
            (b) =>
              a.x + a.width > b.x &&
              b.x + b.width > a.x &&
              a.y + a.height > b.y &&
              b.y + b.height > a.y,
          );
        expect(overlapping).toEqual([]);
      }
      for (const link of diagram.links) {
        const points = pointsOn(ways.get(link) ?? "");
        expect(points.length).toBeGreaterThan(0);
        const astray = points.filter(
          (point) =>
            point[0] < 0 ||
            point[1] < 0 ||
            point[0] > width ||
            point[1] > height ||
            all.some((box) => isWithin(point, box)),
        );
        expect(astray).toEqual([]);
      }
    }),
    { numRuns: 120 },
  );
});

it("DL2: links back end higher up, links forward lower down", () => {
  fc.assert(
    fc.property(flowDefinitions(), (definition) => {
      const { diagram, boxes } = laidOut(definition);
      const wrong = diagram.links.filter(({ from, to, isBack }) => {
        const down = (boxes.get(to)?.y ?? 0) - (boxes.get(from)?.y ?? 0);
        return from !== to && (isBack ? down >= 0 : down <= 0);
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it("DL3: links begin at the bottom centre of a box and end at the top centre", () => {
  const { diagram, boxes, ways } = laidOut({
    name: "loop",
    methods: {
      a: { start: true },
      b: { listen: { or: ["a", "again"] }, router: true, emit: ["again", "done"] },
      c: { listen: "done" },
    },
  });
  expect(diagram.links).toHaveLength(5); // to b, to each of its two outcomes, and from these to b and c
  for (const link of diagram.links) {
    const points = pointsOn(ways.get(link) ?? "");
    const [source, target] = [boxes.get(link.from), boxes.get(link.to)];
    const [start] = /^M[\d.]+ [\d.]+/.exec(ways.get(link) ?? "") ?? [""];
    const [x = 0, y = 0] = start.slice(1).split(" ").map(Number);
    expect(x).toBeCloseTo((source?.x ?? 0) + (source?.width ?? 0) / 2, 0);
    expect(y).toBeCloseTo((source?.y ?? 0) + (source?.height ?? 0), 0);
    const [endX = 0, endY = 0] = points.at(-1) ?? [];
    expect(endX).toBeCloseTo((target?.x ?? 0) + (target?.width ?? 0) / 2, 0);
    expect(endY).toBeCloseTo(target?.y ?? 0, 0);
  }
});

it("puts all starts into the top row, and lays out a flow of 600 methods", () => {
  const top = laidOut({
    name: "late",
    methods: {
      a: { start: true },
      b: { listen: "a" },
      c: { listen: "b" },
      late: { start: true },
      d: { listen: { and: ["c", "late"] } },
    },
  });
  const [first, ...others] = top.diagram.nodes.flatMap((node) =>
    node.kind === "method" && node.start === "always" ? [top.boxes.get(node.id)?.y] : [],
  );
  expect(others).toEqual([first]);
  const methods = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [
      `m${index}`,
      index === 0 ? { start: true as const } : { listen: `m${Math.floor(index / 3)}` },
    ]),
  );
  delete methods["m0"];
  const many = laidOut({ name: "many", methods: { ...methods, m0: { start: true } } });
  expect(many.boxes.size).toBe(600);
});
