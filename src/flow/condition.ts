// What wakes a method: names of methods and labels of routers, joined by `or` and `and`.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";

/**
 * A name, or a tree of them. `or` over several is met by the first of them, once (see triggers.ts); `and` by all.
 * `race` lets the methods that an `or` waits for compete: what the slower ones lead to is dropped.
 */
export type Condition =
  | string
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[]; readonly race?: boolean };

/** A condition that any of these meets. */
export function or(...conditions: readonly Condition[]): Condition {
  return { or: conditions };
}

/** A condition that all of these meet together. */
export function and(...conditions: readonly Condition[]): Condition {
  return { and: conditions };
}

/** A condition that the first of these meets; what the others lead to is dropped. */
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
