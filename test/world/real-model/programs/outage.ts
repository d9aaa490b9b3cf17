import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A server that is still loading its model for twelve seconds. */
export const kind: Kind = {
  name: "outage",
  reasons: [],
  run(bench) {
    bench.server.faults.loadingUntilMs = Date.now() + 12_000;
    return new Crew({ tasks: [taskOf(bench, agentOf(bench))] }).kickoff();
  },
};
