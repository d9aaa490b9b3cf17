import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** Time for which the server is away. */
export const OUTAGE_MS = 12_000;

/** A server that is still loading its model for some seconds. */
export const kind: Kind = {
  name: "outage",
  reasons: [],
  run(bench) {
    bench.server.faults.loadingUntilMs = Date.now() + OUTAGE_MS;
    return new Crew({ tasks: [taskOf(bench, agentOf(bench))] }).kickoff();
  },
};
