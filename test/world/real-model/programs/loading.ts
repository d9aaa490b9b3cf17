import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A server that is still loading its model for a moment. */
export const kind: Kind = {
  name: "loading",
  reasons: [],
  run(bench) {
    bench.server.faults.loadingUntilMs = Date.now() + bench.random.pick([500, 1_500]);
    return new Crew({ tasks: [taskOf(bench, agentOf(bench))] }).kickoff();
  },
};
