import type { RunSummary } from "../../client/index.ts";

/** Returns the newest and the oldest runs of each version of each definition, in equal parts, up to `most`. */
export function sampleRuns(runs: readonly RunSummary[], most: number): readonly RunSummary[] {
  const groups = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const key = JSON.stringify([run.kind, run.name, run.definitionVersion]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [run]);
    else group.push(run);
  }
  return [...groups.values()].flatMap((group) => {
    if (group.length <= most) return group;
    const byAge = group.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const oldest = Math.floor(most / 2);
    return [...byAge.slice(0, oldest), ...byAge.slice(byAge.length - (most - oldest))];
  });
}
