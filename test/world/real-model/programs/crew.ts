import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** Two or three tasks, each with the results of those before it. */
export const kind: Kind = {
  name: "crew",
  reasons: [],
  run(bench) {
    const count = 2 + bench.random.below(2);
    const tasks = Array.from({ length: count }, (_, index) =>
      taskOf(bench, agentOf(bench), { name: `task-${index}` }),
    );
    return new Crew({ tasks }).kickoff();
  },
};
