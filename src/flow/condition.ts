// Conditions of methods: names of methods and labels of routers, joined by `or` and `and`.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";

/**
 * A name, or a tree of names. The first of several meets an `or`, once (see triggers.ts); all together meet an `and`.
 * `race` lets the methods of an `or` compete: the effects of the slower ones are dropped.
 */
export type Condition =
  | string
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[]; readonly race?: boolean };

/** Returns a condition met by any of these. */
export function or(...conditions: readonly Condition[]): Condition {
  return { or: conditions };
}

/** Returns a condition met by all of these together. */
export function and(...conditions: readonly Condition[]): Condition {
  return { and: conditions };
}

/** Returns a condition met by the first of these; the effects of the others are dropped. */
export function race(...conditions: readonly Condition[]): Condition {
  return { or: conditions, race: true };
}

/** Checks a condition. Throws `invalid_definition`, which names `where`, for any other value. */
export function checkCondition(condition: unknown, where: string): Condition {
  if (typeof condition === "string" && condition !== "") return condition;
  if (isJsonObject(condition)) {
    const { and: all, or: any, race: competes, ...rest } = condition;
    const branches = all ?? any;
    const onlyOne = (all === undefined) !== (any === undefined);
    if (
      onlyOne &&
      Array.isArray(branches) &&
      branches.length > 0 &&
      Object.keys(rest).length === 0
    ) {
      const checked = branches.map((branch) => checkCondition(branch, where));
      if (all !== undefined) return { and: checked };
      return competes === true ? { or: checked, race: true } : { or: checked };
    }
  }
  const expected = "a name, or { or: [...] } or { and: [...] } of at least one condition";
  throw new EngineError(
    "invalid_definition",
    `${where} must be ${expected}, got ${preview(condition)}`,
  );
}

/** Returns whether the triggers seen so far meet a condition. */
export function holds(condition: Condition, seen: ReadonlySet<string>): boolean {
  if (typeof condition === "string") return seen.has(condition);
  if ("and" in condition) return condition.and.every((branch) => holds(branch, seen));
  return condition.or.some((branch) => holds(branch, seen));
}

/** Returns all names in a condition, each once. */
export function namesIn(condition: Condition): ReadonlySet<string> {
  if (typeof condition === "string") return new Set([condition]);
  const branches = "and" in condition ? condition.and : condition.or;
  return new Set(branches.flatMap((branch) => [...namesIn(branch)]));
}
