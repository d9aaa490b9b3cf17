import { useMemo } from "react";
import type { RunView } from "../../api-types.ts";
import { useNow } from "../../parts/time.tsx";
import { makeAxis, type Axis, type Span } from "./axis.ts";
import { takenFrom } from "./step-tree.ts";
import type { LiveRun } from "./use-run.ts";

/** Kinds that only run other steps. They do not count as work. */
export const GROUPS: ReadonlySet<string> = new Set(["task", "method", "agent", "group", "turn"]);
/** Number of rows above which the axis is renewed once a second, instead of with each row. */
const MANY = 500;

export type RunAxis = { readonly axis: Axis; readonly busy: readonly Span[] };

/**
 * Axis from the start of the run to its end, or to now. Waits do not count as work, so long ones are folded. Steps that
 * a fork took over were work of another run.
 */
export function useAxis(run: RunView, { tree, version, isWhole }: LiveRun): RunAxis {
  const now = useNow();
  const isOver = run.finishedAt !== undefined;
  return useMemo(() => {
    const own = tree.nodes.filter((node) => takenFrom(node) === undefined);
    const [first] = own;
    const startMs = Math.min(
      Date.parse(run.startedAt ?? run.createdAt),
      first?.startMs ?? Infinity,
    );
    const endMs = isOver ? Date.parse(run.finishedAt) : Math.max(now, startMs + 1);
    const busy = own
      .filter(({ step }) => step !== undefined && step.kind !== "wait" && !GROUPS.has(step.kind))
      .map((node) => ({ startMs: node.startMs, endMs: node.endMs ?? endMs }));
    return { axis: makeAxis(busy, { startMs, endMs }), busy };
  }, [run, tree, tree.size < MANY ? version : isWhole, isOver ? 0 : now]);
}
