// Differences between two states, as RFC 6902 operations.
//
//   UP1. The operations, applied in order to the first state, give the second.
import { canonicalJson, isJsonObject, type JsonValue } from "../../base/json.ts";

/** One operation of a patch. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

/** Returns the operations from `before` to `after`; empty if both are equal. */
export function patchBetween(
  before: JsonValue,
  after: JsonValue,
  path = "",
): readonly PatchOperation[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return betweenLists(before, after, path);
  if (
    !isJsonObject(before) ||
    !isJsonObject(after) ||
    Array.isArray(before) ||
    Array.isArray(after)
  )
    return canonicalJson(before) === canonicalJson(after)
      ? []
      : [{ op: "replace", path, value: after }];
  const removed = Object.keys(before)
    .filter((name) => !Object.hasOwn(after, name))
    .map((name) => ({ op: "remove", path: `${path}/${escaped(name)}` }) as const);
  const changed = Object.entries(after).flatMap(([name, value]): readonly PatchOperation[] => {
    const at = `${path}/${escaped(name)}`;
    return Object.hasOwn(before, name)
      ? patchBetween(before[name] ?? null, value, at)
      : [{ op: "add", path: at, value }];
  });
  return [...removed, ...changed];
}

function betweenLists(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: string,
): readonly PatchOperation[] {
  const shared = Math.min(before.length, after.length);
  const changed = after
    .slice(0, shared)
    .flatMap((value, index) => patchBetween(before[index] ?? null, value, `${path}/${index}`));
  const added = after
    .slice(shared)
    .map((value) => ({ op: "add", path: `${path}/-`, value }) as const);
  // From the end, because an earlier removal would move the later items.
  const removed = before
    .slice(shared)
    .map((_, index) => ({ op: "remove", path: `${path}/${shared + index}` }) as const)
    .toReversed();
  return [...changed, ...added, ...removed];
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
