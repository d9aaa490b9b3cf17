// The caller that started a run over a protocol, in the run's own data.
import type { JsonObject } from "../base/json.ts";
import { maySee, type Viewer } from "../parts/rights.ts";
import type { ThreadRun } from "./thread-store.ts";

/** Field of a run's own data with the id of the caller that has started it. */
const STARTED_BY = "caller";

/** Returns the data of a row that names its caller. */
export function startedBy(callerId: string): JsonObject {
  return { [STARTED_BY]: callerId };
}

/** True if a caller may see a run of a protocol (RIG2). */
export function maySeeRun(viewer: Viewer, { data }: Pick<ThreadRun, "data">): boolean {
  return maySee(viewer, data[STARTED_BY]);
}
