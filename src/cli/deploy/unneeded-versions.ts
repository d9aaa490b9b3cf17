import type { RunSummary } from "../../client/index.ts";
import type { ListedVersions } from "../../testing/verify-app.ts";

/** Kinds of runs that work for a crew. */
const OF_CREWS: ReadonlySet<string> = new Set(["crew", "batch", "task"]);

/**
 * The versions, as `briefing@1`, that new runs do not take and no open run needs. A run that was started before there were
 * versions needs the first one listed.
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
