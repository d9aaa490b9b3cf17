import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A manager that hands its task to a coworker. */
export const kind: Kind = {
  name: "hierarchy",
  reasons: [],
  // A manager may give a coworker the same work again and again.
  sameOnPurpose: 25,
  run(bench) {
    bench.server.mood = "eager";
    const agents = [
      agentOf(bench, { role: "Reporter" }),
      agentOf(bench, { role: "Clerk", goal: "Count things" }),
    ] as const;
    const managerLlm = bench.llm({ maxTokens: 64 });
    const tasks = [taskOf(bench, agents[0])];
    return new Crew({ agents, tasks, process: "hierarchical", managerLlm }).kickoff();
  },
};
