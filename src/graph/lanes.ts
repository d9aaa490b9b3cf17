// Where links pass through the rows between their ends.
import type { PlacedLink } from "./graph-layout.ts";

/** For each row that a link passes, from the top, where. */
export type Lane = Map<number, number>;

/** What stands in a row. A lane has no width. */
export type Item = { left: number; right: number; readonly lane?: Lane };

export type Straighten = {
  readonly lanes: ReadonlyMap<PlacedLink, Lane>;
  /** The boxes of a row. */
  readonly boxes: ReadonlyMap<number, readonly Item[]>;
  /** Where a link goes to. */
  readonly goal: (link: PlacedLink) => number;
  /** Between a lane and what is beside it. */
  readonly gap: number;
};

/**
 * Has links go straight through as many rows as their neighbours in them allow, close to where they go: dagre leaves detours.
 * Nothing passes its neighbours, so boxes stay untouched.
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
      // Where it is it may be: neighbours can be closer than the gap.
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

/** Rows that a link can pass in one line, and where that line may be. */
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
