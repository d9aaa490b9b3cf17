// Positions of links in the rows between their ends.

import type { PlacedLink } from "./placed-link.ts";

/** Position of a link in each row it passes, from the top. */
export type Lane = Map<number, number>;

/** An item of a row. A lane has no width. */
export type Item = { left: number; right: number; readonly lane?: Lane };

export type Straighten = {
  readonly lanes: ReadonlyMap<PlacedLink, Lane>;
  /** The boxes of a row. */
  readonly boxes: ReadonlyMap<number, readonly Item[]>;
  /** Returns the target position of a link. */
  readonly goal: (link: PlacedLink) => number;
  /** Minimum distance between a lane and its neighbours. */
  readonly gap: number;
};

/**
 * Straightens links over as many rows as their neighbours allow, close to their targets: dagre leaves detours. Items
 * keep their order, so boxes stay untouched.
 */
export function straighten({ lanes, boxes, goal, gap }: Straighten): void {
  const rows = new Map([...boxes].map(([row, items]) => [row, [...items]]));
  for (const lane of lanes.values())
    for (const [row, x] of lane) rows.get(row)?.push({ left: x, right: x, lane });
  for (const items of rows.values()) items.sort((a, b) => a.left - b.left);
  for (const [link, lane] of lanes) {
    if (link.isBack) continue;
    const wanted = goal(link);
    let stretch = newStretch();
    for (const [row, x] of lane) {
      const items = rows.get(row) ?? [];
      const index = items.findIndex((item) => item.lane === lane);
      const item = items[index];
      if (item === undefined) continue;
      // The current position is always allowed: neighbours can be closer than the gap.
      const least = Math.min(x, (items[index - 1]?.right ?? Number.NEGATIVE_INFINITY) + gap);
      const most = Math.max(x, (items[index + 1]?.left ?? Number.POSITIVE_INFINITY) - gap);
      if (Math.max(stretch.least, least) > Math.min(stretch.most, most)) {
        settle(stretch, lane, wanted);
        stretch = newStretch();
      }
      stretch.rows.push([row, item]);
      stretch.least = Math.max(stretch.least, least);
      stretch.most = Math.min(stretch.most, most);
    }
    settle(stretch, lane, wanted);
  }
}

/** Rows passed by a link in one straight line, and the allowed range of that line. */
type Stretch = { readonly rows: Array<[row: number, item: Item]>; least: number; most: number };

function newStretch(): Stretch {
  return { rows: [], least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
}

function settle({ rows, least, most }: Stretch, lane: Lane, wanted: number): void {
  const x = Math.max(least, Math.min(most, wanted));
  for (const [row, item] of rows) {
    lane.set(row, x);
    item.left = item.right = x;
  }
}
