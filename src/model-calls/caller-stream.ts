// Streaming requested by the caller of a run, as for runs of a streaming protocol.
import type { JsonObject } from "../base/json.ts";
import type { RunStart } from "../runtime/run.ts";

const STREAM = "stream";

/** Returns the context of a run (`RunStart.context`) with streaming agents, unless their definitions disable it. */
export function streamContext(): JsonObject {
  return { [STREAM]: true };
}

/** True if the caller of this run requested streaming. */
export function callerStreams({ context }: Pick<RunStart, "context">): boolean {
  return context?.[STREAM] === true;
}
