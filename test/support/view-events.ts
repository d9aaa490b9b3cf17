// Events of a run as its follower receives them, one second after the other.
import type { RunEvent } from "../../src/client/index.ts";

/** Makes events with places in the order of one run. */
export function eventMaker(runId = "r1"): (type: string, path: string, more: object) => RunEvent {
  let seq = 0;
  return (type, path, more) => {
    seq++;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
    return { seq, id: `${path}:${type}`, type, at, runId, path, ...more } as unknown as RunEvent;
  };
}
