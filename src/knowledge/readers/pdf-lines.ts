// Lines of a page: cells of tables apart, words in the order of reading.
import { directionsOf, hasRightToLeft, readingOrder } from "./pdf-order.ts";
import { withValues, type FieldValue } from "./pdf-fields.ts";
import { hasRight, type PageItem } from "./pdf-items.ts";
import { usualLetters } from "./pdf-letters.ts";

/** A line of a page. */
export type PageLine = {
  text: string;
  readonly x: number;
  readonly end: number;
  readonly y: number;
  readonly size: number;
};

/** Part of a line between wide gaps. */
type Segment = {
  readonly items: PageItem[];
  readonly x: number;
  end: number;
  /** Width of the gap before it. */
  readonly gap: number;
};

type Row = {
  readonly segments: Segment[];
  readonly x: number;
  readonly end: number;
  readonly size: number;
  /** Smallest and largest gap between words. */
  readonly minGap: number;
  readonly maxGap: number;
};

/** Minimum gap between two cells, in sizes of the font, if cells of the next row or the previous one are below it. */
const CELL_GAP = 0.8;
/** Minimum gap between two cells of any row. */
const WIDE_GAP = 2.5;
/** Maximum distance of aligned cells, in sizes of the font. */
const ALIGNED = 0.3;
/** Ratio of the gap between two cells to the smallest gap of the line. */
const GAP_RATIO = 2;
/** Maximum number of parts of a line that are compared with those of the next one. */
const MAX_SEGMENTS = 200;
/** Minimum share of right-to-left letters in a line of a right-to-left page that reads from the right. */
const RIGHT_SHARE = 0.2;

/** Returns the lines of a page, with the values of its fields. */
export function pageLines(
  items: readonly PageItem[],
  values: readonly FieldValue[] = [],
): PageLine[] {
  const lines = withValues(itemLines(items), values);
  const rows = lines.map(rowOf);
  const isRightPage = hasRight(items) && isMostlyRight(items);
  return lines.flatMap((line, index) => {
    const [first] = line;
    const row = rows[index];
    if (first === undefined || row === undefined) return [];
    const parts = cellsOf(row, rows[index - 1], rows[index + 1]);
    const text = usualLetters(textOf(parts, isRightPage)).trimEnd();
    if (text === "") return [];
    return [{ text, x: row.x, end: row.end, y: first.y, size: row.size }];
  });
}

/** Returns the items of each line, without empty ones. */
function itemLines(items: readonly PageItem[]): PageItem[][] {
  const lines: PageItem[][] = [];
  let line: PageItem[] = [];
  for (const item of items) {
    if (isApart(line[0], item)) {
      lines.push(line);
      line = [];
    }
    if (item.text !== "") line.push(item);
    if (!item.endsLine || line.length === 0) continue;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

/** Minimum distance of two lines, in sizes of the font: more than that of raised letters. */
const LINE_DISTANCE = 0.7;

/** True for an item on another line than the first one of a line, or in another direction. */
function isApart(first: PageItem | undefined, item: PageItem): boolean {
  if (first === undefined || item.text.trim() === "") return false;
  if (first.isFlat !== item.isFlat) return true;
  return (
    first.isFlat && Math.abs(first.y - item.y) > LINE_DISTANCE * Math.max(first.size, item.size)
  );
}

/** Cuts a line at its wide gaps. */
function rowOf(line: readonly PageItem[]): Row {
  const size = line.reduce((most, each) => Math.max(most, each.size), 0);
  const isFlat = line.every((each) => each.isFlat);
  const isRight = isFlat && hasRight(line);
  const placed = isRight ? line.toSorted((one, other) => one.x - other.x) : line;
  const segments: Segment[] = [];
  let minGap = Infinity;
  let maxGap = 0;
  let last: Segment | undefined;
  let space: PageItem | undefined;
  for (const item of placed) {
    if (isFlat && item.text.trim() === "" && item.end - item.x > CELL_GAP * size) {
      space = item;
      continue;
    }
    const gap = last === undefined ? 0 : item.x - last.end;
    const width = item.text.trim() === "" ? item.end - item.x : gap;
    if (last !== undefined && width > 0.1 * size) {
      minGap = Math.min(minGap, width);
      maxGap = Math.max(maxGap, width);
    }
    if (last === undefined || (isFlat && gap > CELL_GAP * size))
      segments.push((last = { items: [item], x: item.x, end: item.end, gap }));
    else {
      if (space !== undefined) last.items.push(space);
      last.items.push(item);
      last.end = Math.max(last.end, item.end);
    }
    space = undefined;
  }
  const x = placed.reduce((least, each) => Math.min(least, each.x), Infinity);
  const end = placed.reduce((most, each) => Math.max(most, each.end), -Infinity);
  return { segments, x, end, size, minGap, maxGap };
}

/** Returns the segments of each cell of a row. */
function cellsOf(row: Row, above: Row | undefined, below: Row | undefined): Segment[][] {
  const cells: Segment[][] = [];
  for (const [index, segment] of row.segments.entries()) {
    const last = cells.at(-1);
    if (last === undefined || isCell(row, index, [above, below])) cells.push([segment]);
    else last.push(segment);
  }
  return cells;
}

function isCell(row: Row, index: number, others: readonly (Row | undefined)[]): boolean {
  const { segments, size, minGap } = row;
  const segment = segments[index];
  if (segment === undefined || others.some((other) => isBlock(row, other))) return false;
  if (segment.gap > WIDE_GAP * size) return true;
  const isAligned = (one: Segment, other: Segment): boolean =>
    Math.abs(one.x - other.x) < ALIGNED * size || Math.abs(one.end - other.end) < ALIGNED * size;
  if (segments.length > MAX_SEGMENTS) return false;
  return others.some((other) => {
    if (other === undefined || other.segments.length < 2) return false;
    if (other.segments.length > MAX_SEGMENTS) return false;
    if (segment.gap > GAP_RATIO * minGap && segment.gap > size)
      return other.segments.some((each, at) => at > 0 && isAligned(segment, each));
    return (
      other.segments.length === segments.length &&
      segments.every((each, at) => isAligned(each, other.segments[at] ?? each))
    );
  });
}

/** True if another line has the same start and end, and words at equal distances: both are of a justified block. */
function isBlock({ x, end, size }: Row, other: Row | undefined): boolean {
  if (other === undefined) return false;
  return (
    Math.abs(x - other.x) < ALIGNED * size &&
    Math.abs(end - other.end) < ALIGNED * size &&
    other.maxGap < WIDE_GAP * size &&
    other.maxGap < GAP_RATIO * other.minGap
  );
}

function textOf(cells: readonly Segment[][], isRightPage: boolean): string {
  const items = cells.flat().flatMap((each) => each.items);
  const plain = items.map(({ text }) => text).join("");
  const isRightLine =
    items.every((each) => each.isFlat) &&
    hasRightToLeft(plain) &&
    readsFromRight(plain, isRightPage);
  const texts = cells.map((cell) => {
    const inside = cell.flatMap((each, index) =>
      index === 0 ? each.items : [spaceBefore(each), ...each.items],
    );
    const text = inside.map((each) => each.text).join("");
    const isOrdered = !hasRightToLeft(plain) || !inside.every((each) => each.isFlat);
    return (isOrdered ? text : readingOrder(inside, isRightLine)).trim();
  });
  const shown = texts.filter((text) => text !== "");
  return (isRightLine ? shown.toReversed() : shown).join(" | ");
}

function spaceBefore({ x, gap, items: [first] }: Segment): PageItem {
  const place = { x: x - gap, end: x, y: first?.y ?? 0, size: first?.size ?? 0 };
  return { text: " ", ...place, isFlat: true, endsLine: false, isActual: true };
}

function readsFromRight(text: string, isRightPage: boolean): boolean {
  const { right, left } = directionsOf(text);
  return right > (isRightPage ? RIGHT_SHARE * (left + right) : left);
}

function isMostlyRight(items: readonly PageItem[]): boolean {
  const { right, left } = directionsOf(items.map(({ text }) => text).join(" "));
  return right > left;
}
