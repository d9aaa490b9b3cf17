import type { JsonObject } from "../../../base/json.ts";
import { eventTypes } from "../../../events/run-event.ts";

/** Events of runs in the role of A2A tasks. */
export interface A2AServerEvents {
  /** An artifact, or a chunk of one, sent to callers during the run. `append` adds it to the artifact of its id. */
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
