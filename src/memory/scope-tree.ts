import { joinScopePaths } from "./memory-path.ts";

/** Paths shown below one. */
const MAX_CHILDREN = 20;

/** Paths as indented lines, each with how many records it holds, those below it included; at most 20 below each. */
export function scopeTree(
  root: string,
  scopes: ReadonlyArray<{ readonly scope: string; readonly count: number }>,
  maxDepth: number,
): string {
  const totals = new Map<string, number>([[root, 0]]);
  const children = new Map<string, Set<string>>();
  for (const { scope, count } of scopes) {
    for (let path = scope; ;) {
      totals.set(path, (totals.get(path) ?? 0) + count);
      if (path === root) break;
      const parent = parentOf(path);
      const siblings = children.get(parent) ?? new Set();
      children.set(parent, siblings.add(path));
      path = parent;
    }
  }
  const lines: string[] = [];
  const add = (path: string, depth: number): void => {
    lines.push(`${"  ".repeat(depth)}${path} (${totals.get(path) ?? 0} records)`);
    if (depth >= maxDepth) return;
    for (const child of [...(children.get(path) ?? [])].toSorted().slice(0, MAX_CHILDREN))
      add(child, depth + 1);
  };
  add(root, 0);
  return lines.join("\n");
}

function parentOf(path: string): string {
  return joinScopePaths(path.slice(0, path.lastIndexOf("/")), undefined);
}
