import { joinScopePaths } from "./memory-path.ts";

type Counts = ReadonlyArray<{ readonly scope: string; readonly count: number }>;

/** Path with the paths below it. */
export type ScopeNode = {
  readonly path: string;
  /** Number of records at the path itself. */
  readonly count: number;
  /** Number of records at paths below it. */
  readonly below: number;
  readonly children: readonly ScopeNode[];
  /** Number of omitted paths directly below it. */
  readonly more?: number;
};

/** Maximum number of paths shown below one. */
const MAX_CHILDREN = 20;
/** Maximum number of paths in a tree as data. */
const MAX_NODES = 500;

/** Returns paths as indented lines with their record counts, including paths below; at most 20 below each. */
export function scopeTree(root: string, scopes: Counts, maxDepth: number): string {
  const { totals, childrenOf } = counted(root, scopes);
  const lines: string[] = [];
  const add = (path: string, depth: number): void => {
    lines.push(`${"  ".repeat(depth)}${path} (${totals.get(path) ?? 0} records)`);
    if (depth >= maxDepth) return;
    for (const child of childrenOf(path).slice(0, MAX_CHILDREN)) add(child, depth + 1);
  };
  add(root, 0);
  return lines.join("\n");
}

/** Returns paths as data; at most 500, the paths near the root first. */
export function scopeNodes(root: string, scopes: Counts, maxDepth: number): ScopeNode {
  const { totals, own, childrenOf } = counted(root, scopes);
  const shown = new Map<string, readonly string[]>();
  let left = MAX_NODES - 1;
  let level: readonly string[] = [root];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++)
    level = level.flatMap((path) => {
      const children = childrenOf(path).slice(0, left);
      left -= children.length;
      shown.set(path, children);
      return children;
    });
  const nodeOf = (path: string): ScopeNode => {
    const count = own.get(path) ?? 0;
    const children = shown.get(path) ?? [];
    const more = childrenOf(path).length - children.length;
    return {
      path,
      count,
      below: (totals.get(path) ?? 0) - count,
      children: children.map(nodeOf),
      ...(more === 0 ? undefined : { more }),
    };
  };
  return nodeOf(root);
}

function counted(root: string, scopes: Counts) {
  const own = new Map<string, number>();
  const totals = new Map<string, number>([[root, 0]]);
  const children = new Map<string, Set<string>>();
  for (const { scope, count } of scopes) {
    own.set(scope, (own.get(scope) ?? 0) + count);
    for (let path = scope; ;) {
      totals.set(path, (totals.get(path) ?? 0) + count);
      if (path === root) break;
      const parent = parentOf(path);
      const siblings = children.get(parent) ?? new Set();
      children.set(parent, siblings.add(path));
      path = parent;
    }
  }
  const childrenOf = (path: string): readonly string[] =>
    [...(children.get(path) ?? [])].toSorted();
  return { own, totals, childrenOf };
}

function parentOf(path: string): string {
  return joinScopePaths(path.slice(0, path.lastIndexOf("/")), undefined);
}
