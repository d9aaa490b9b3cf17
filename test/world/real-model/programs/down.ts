import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

/** A server that is not there. */
export const kind: Kind = {
  name: "down",
  reasons: ["outage"],
  run(bench) {
    bench.server.faults.isDown = true;
    return agentOf(bench).kickoff(passageOf(bench).question);
  },
};
