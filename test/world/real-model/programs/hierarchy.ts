import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A manager that hands its task to a coworker, as often as its steps allow. */
export const kind: Kind = {
  name: "hierarchy",
  reasons: [],
  delegates: true,
  run(bench) {
    bench.server.mood = "eager";
    const agents = [
      agentOf(bench, { role: "Reporter" }),
      agentOf(bench, { role: "Clerk", goal: "Count things" }),
    ] as const;
    const managerAgent = agentOf(bench, {
      role: "Manager",
      llm: bench.llm({ maxTokens: 120 }),
      allowDelegation: true,
    });
    const tasks = [taskOf(bench, agents[0])];
    return new Crew({ agents, tasks, process: "hierarchical", managerAgent }).kickoff();
  },
};
