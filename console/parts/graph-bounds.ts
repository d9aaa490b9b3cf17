import type { Graph } from "../api-types.ts";

export type Bounds = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Returns the used area of a picture, as the layout leaves unequal margins. */
export function boundsOf({ nodes, groups, edges, size }: Graph): Bounds {
  const boxes = [...nodes, ...groups];
  if (boxes.length === 0) return { x: 0, y: 0, ...size };
  const points = edges.flatMap(({ path }) =>
    ((path ?? "").match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number),
  );
  const xs = [...boxes.flatMap(({ x, width }) => [x, x + width]), ...everyOther(points, 0)];
  const ys = [...boxes.flatMap(({ y, height }) => [y, y + height]), ...everyOther(points, 1)];
  const x = least(xs);
  const y = least(ys);
  return { x, y, width: most(xs) - x, height: most(ys) - y };
}

const everyOther = (numbers: readonly number[], from: number): readonly number[] =>
  numbers.filter((_, index) => index % 2 === from);
const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other));
const most = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other));
