// Deletes runs past their retention.
//
//   RET1. Only finished runs are deleted, never waiting, running or held ones. The newest `keep` stay.
//   RET2. Children are deleted before their parent. The parent stays while a child cannot be deleted.
//   RET3. A sweep deletes at most 50 runs of a tenant, oldest first.
import { EngineError } from "../base/error.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { FinishedRun, FinishedRuns } from "./finished-runs.ts";
import type { Retention } from "./retention-options.ts";

const AT_ONCE = 50;
const PAGE = 200;
/** Maximum number of pages in one sweep. */
const MAX_PAGES = 50;

export type SweepPlace = {
  readonly tenant: string;
  readonly finished: FinishedRuns;
  readonly runs: Pick<RunDirectory, "delete">;
  readonly nowMs: number;
};

/** Sweeps a tenant. Resolves to true if there are more runs to delete. */
export async function sweepRuns(retention: Retention, place: SweepPlace): Promise<boolean> {
  const { tenant, finished, nowMs } = place;
  const { shortestMs, keep } = retention;
  if (shortestMs === undefined) return false;
  const keptSinceMs = keep === 0 ? Infinity : await finished.newestSince(tenant, keep);
  if (keptSinceMs === undefined) return false; // fewer runs than `keep`
  const createdBeforeMs = Math.min(nowMs - shortestMs, keptSinceMs);
  let left = AT_ONCE;
  let after: FinishedRun | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const runs = await finished.oldest({ tenant, createdBeforeMs, after, limit: PAGE });
    for (const run of runs) {
      const keptMs = retention.keptMs(run);
      if (keptMs === undefined || run.updatedAtMs + keptMs > nowMs) continue;
      left -= await forget(run.id, { place, left });
      if (left <= 0) return true;
    }
    after = runs.at(-1);
    if (runs.length < PAGE) return false;
  }
  return true;
}

/** Deletes a run after its children and returns the number of deleted runs. */
async function forget(
  id: string,
  { place, left }: { readonly place: SweepPlace; readonly left: number },
): Promise<number> {
  const { tenant, finished, runs } = place;
  let count = 0;
  for (const child of await finished.childrenOf(tenant, id, left + 1)) {
    if (count >= left) return count;
    const deleted = await forget(child, { place, left: left - count });
    if (deleted === 0) return count; // a child stays, and so does its parent
    count += deleted;
  }
  if (count >= left) return count;
  return count + (await isDeleted(runs.delete(tenant, id)));
}

async function isDeleted(deletion: Promise<void>): Promise<0 | 1> {
  try {
    await deletion;
    return 1;
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return 1;
    if (EngineError.is(error) && error.code === "conflict") return 0;
    throw error;
  }
}
