import type { JsonObject } from "../../../base/json.ts";
import { eventTypes } from "../../../events/run-event.ts";

/** What runs tell that are tasks of A2A. */
export interface A2AServerEvents {
  /** An artifact, or a chunk of one, that callers get while the run goes on. `append` adds it to the one of its id. */
  a2a_artifact_updated: {
    artifactId: string;
    name?: string;
    description?: string;
    parts: readonly JsonObject[];
    metadata?: JsonObject;
    append?: boolean;
    lastChunk?: boolean;
  };
}

declare module "../../../events/run-event.ts" {
  interface EventPayloads extends A2AServerEvents {}
}

export const a2aServerEvents = eventTypes<A2AServerEvents>({ a2a_artifact_updated: true });
