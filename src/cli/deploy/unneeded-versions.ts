import type { RunSummary } from "../../client/index.ts";
import type { ListedVersions } from "../../testing/verify-app.ts";

/** Kinds of runs for crews. */
const OF_CREWS: ReadonlySet<string> = new Set(["crew", "batch", "task"]);

/**
 * Returns versions, as `briefing@1`, that neither new runs nor open runs need. A run from before there were versions
 * needs the first one listed.
 */
export function unneededVersions(
  listed: readonly ListedVersions[],
  open: Iterable<Pick<RunSummary, "kind" | "name" | "definitionVersion">>,
): readonly string[] {
  const runs = [...open];
  return listed.flatMap(({ kind, name, current, all }) => {
    const needed = new Set([
      current,
      ...runs
        .filter((run) => run.name === name && kindOf(run.kind) === kind)
        .map(({ definitionVersion }) => definitionVersion ?? all[0]),
    ]);
    return all.filter((version) => !needed.has(version)).map((version) => `${name}@${version}`);
  });
}

function kindOf(kind: string): string {
  return OF_CREWS.has(kind) ? "crew" : kind;
}
