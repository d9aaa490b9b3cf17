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
  const points = edges.map(({ path = "" }) => pointsOf(path));
  const xs = [
    ...boxes.flatMap(({ x, width }) => [x, x + width]),
    ...points.flatMap((all) => all.xs),
  ];
  const ys = [
    ...boxes.flatMap(({ y, height }) => [y, y + height]),
    ...points.flatMap((all) => all.ys),
  ];
  const x = least(xs);
  const y = least(ys);
  return { x, y, width: most(xs) - x, height: most(ys) - y };
}

type Points = { readonly xs: readonly number[]; readonly ys: readonly number[] };

/** Returns the points of a path. Its commands take pairs, except `V`, which has only the height. */
function pointsOf(path: string): Points {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const [, command, rest = ""] of path.matchAll(/([MLCV])([^MLCV]*)/g))
    for (const [index, number] of (rest.match(/-?\d+(?:\.\d+)?/g) ?? []).entries())
      (command === "V" || index % 2 === 1 ? ys : xs).push(Number(number));
  return { xs, ys };
}

const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other));
const most = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other));
