import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../api.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { useMay } from "../../shell/session.ts";
import { scopeName } from "./score.ts";
import type { ScopeBranch } from "./types.ts";

/** Levels in one response. */
const LEVELS = 2;

export function useScopes(path: string, isAsked = true) {
  const includePrivate = useMay("admin");
  return useQuery({
    queryKey: ["memory", "tree", path],
    queryFn: () => client.memory.treeNodes(path, LEVELS, includePrivate ? { includePrivate } : {}),
    enabled: isAsked,
  });
}

/** Scopes with the number of memories in and below each. Deeper levels load when the reader opens them. */
export function ScopeTree({
  root,
  chosen,
}: {
  readonly root: ScopeBranch;
  readonly chosen: string;
}) {
  return (
    <nav aria-label="Scopes" className="scopes">
      <ul>
        <Branch node={root} chosen={chosen} levelsLeft={LEVELS} isOpen />
      </ul>
    </nav>
  );
}

type BranchProps = {
  readonly node: ScopeBranch;
  readonly chosen: string;
  /** Number of further levels in the same response. */
  readonly levelsLeft: number;
  readonly isOpen?: boolean;
};

function Branch({ node, chosen, levelsLeft, isOpen: isFirst = false }: BranchProps) {
  const [isOpen, open] = useState(
    isFirst || chosen === node.path || chosen.startsWith(`${node.path}/`),
  );
  const isKnown = levelsLeft > 0;
  const below = useScopes(node.path, isOpen && !isKnown);
  const { children, more } = isKnown ? node : (below.data ?? { children: [], more: undefined });
  const hasBelow = node.below > 0;
  const count = node.count + node.below;
  return (
    <li>
      <div className="scope-row" data-scope={node.path}>
        {hasBelow ? (
          <button
            type="button"
            className={`twist${isOpen ? " open" : ""}`}
            aria-expanded={isOpen}
            aria-label={`Scopes below ${node.path}`}
            onClick={() => open(!isOpen)}
          />
        ) : (
          <span className="twist-space" />
        )}
        <Link
          to="/memory"
          search={(now: Record<string, unknown>) => ({
            ...now,
            scope: node.path === "/" ? undefined : node.path,
          })}
          aria-current={chosen === node.path ? "page" : undefined}
          title={node.path}
          className="cut"
        >
          <PlainText text={scopeName(node.path)} />
        </Link>
        <span
          className="small soft number"
          title={`${plural(node.count, "memory", "memories")} here, ${formatCount(node.below)} below`}
        >
          {formatCount(count)}
        </span>
      </div>
      {hasBelow && isOpen && (
        <ul>
          {children.map((child) => (
            <Branch
              key={child.path}
              node={child}
              chosen={chosen}
              levelsLeft={isKnown ? levelsLeft - 1 : LEVELS - 1}
            />
          ))}
          {below.isFetching && children.length === 0 && <li className="soft small">Loading …</li>}
          {more !== undefined && (
            <li className="soft small">{formatCount(more)} more: use the address or Recall</li>
          )}
        </ul>
      )}
    </li>
  );
}
