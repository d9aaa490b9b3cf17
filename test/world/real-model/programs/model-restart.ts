import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A server that ends in the middle of an answer, is away for a moment, and loads its model. */
export const kind: Kind = {
  name: "model-restart",
  reasons: [],
  run(bench) {
    bench.server.faults.drops = 1;
    bench.server.faults.awayAfterDropMs = bench.random.pick([300, 800]);
    const agent = agentOf(bench, { stream: bench.random.chance(0.7) });
    return new Crew({ tasks: [taskOf(bench, agent)] }).kickoff();
  },
};
