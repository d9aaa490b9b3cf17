// Streaming requested by the caller of a run, as for runs of a streaming protocol.
import type { JsonObject } from "../base/json.ts";
import type { RunStart } from "../runtime/run.ts";

const STREAM = "stream";

/** Streaming of an answer: always, never, or while a subscriber of the run requests words. */
export type Streaming = boolean | "followed";

/** Returns the context of a run (`RunStart.context`) whose agents stream, or do not, unless their definitions say so. */
export function streamContext(stream: boolean): JsonObject {
  return { [STREAM]: stream };
}

/** Returns the streaming set by the caller of this run. @default "followed" */
export function callerStreams({ context }: Pick<RunStart, "context">): Streaming {
  const stream = context?.[STREAM];
  return typeof stream === "boolean" ? stream : "followed";
}
