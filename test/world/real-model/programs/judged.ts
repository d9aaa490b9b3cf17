import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A rule in words, which the model judges. */
export const kind: Kind = {
  name: "judged",
  reasons: ["guardrail", "shape"],
  run(bench) {
    const agent = agentOf(bench, { llm: bench.llm({ maxTokens: 48 }) });
    const task = taskOf(bench, agent, {
      guardrail: "The answer is in English.",
      guardrailMaxRetries: 1,
    });
    return new Crew({ tasks: [task] }).kickoff();
  },
};
