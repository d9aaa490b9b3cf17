// JSON values as schemas speak of them.

export type Values = Readonly<Record<string, unknown>>;

/** Number of characters counted as one item. */
export const CHARACTERS_PER_STEP = 16;

export function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}

export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

export function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Exact for decimals: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, step: number): boolean {
  if (!(step > 0) || !Number.isFinite(step)) return false;
  if (!Number.isFinite(value)) return false;
  const quotient = value / step;
  if (!Number.isFinite(quotient)) return Number.isInteger(step) && Number.isInteger(value);
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient) * 4;
}

/** Returns the same text for equal values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Values within a value, itself included, counted up to `most`; long texts count as several. */
export function nodesOf(value: unknown, most: number): number {
  const left: unknown[] = [value];
  let nodes = 0;
  while (left.length > 0 && nodes < most) {
    const next = left.pop();
    nodes += typeof next === "string" ? 1 + next.length / CHARACTERS_PER_STEP : 1;
    if (typeof next === "object" && next !== null)
      for (const item of Object.values(next)) left.push(item);
  }
  return nodes;
}
