// Whoever starts a run may want its models' words as they come: the runs of a protocol that streams.
import type { JsonObject } from "../base/json.ts";
import type { RunStart } from "../runtime/run.ts";

const STREAM = "stream";

/** The context of a run (`RunStart.context`) whose agents stream, unless their definitions say otherwise. */
export function streamContext(): JsonObject {
  return { [STREAM]: true };
}

/** Whether the caller of this run wants words as they come. */
export function callerStreams({ context }: Pick<RunStart, "context">): boolean {
  return context?.[STREAM] === true;
}
