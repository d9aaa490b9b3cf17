type Ordered = string | number;

/** Comparisons by order, of two numbers or of two texts. */
export const ORDERINGS = {
  "<": (a: Ordered, b: Ordered) => a < b,
  "<=": (a: Ordered, b: Ordered) => a <= b,
  ">": (a: Ordered, b: Ordered) => a > b,
  ">=": (a: Ordered, b: Ordered) => a >= b,
} as const;

export function isOrdering(sign: string): sign is keyof typeof ORDERINGS {
  return Object.hasOwn(ORDERINGS, sign);
}
