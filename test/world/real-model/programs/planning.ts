import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** Plans of the crew's tasks before the first begins. */
export const kind: Kind = {
  name: "planning",
  reasons: ["shape"],
  run(bench) {
    const tasks = [taskOf(bench, agentOf(bench)), taskOf(bench, agentOf(bench))];
    const planningLlm = bench.llm({ maxTokens: 120 });
    return new Crew({ tasks, planning: true, planningLlm }).kickoff();
  },
};
