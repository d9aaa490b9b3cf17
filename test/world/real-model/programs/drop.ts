import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

/** Connections that end in the middle of an answer, with and without a stream. */
export const kind: Kind = {
  name: "drop",
  reasons: ["outage"],
  run(bench) {
    bench.server.faults.drops = 1 + bench.random.below(2);
    const stream = bench.random.chance(0.5);
    return agentOf(bench, { stream }).kickoff(passageOf(bench).text);
  },
};
