import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

/** A limit that no answer keeps. */
export const kind: Kind = {
  name: "cut",
  reasons: [],
  run(bench) {
    const agent = agentOf(bench, { llm: bench.llm({ maxTokens: 8 }) });
    return agent.kickoff(`Tell a long story of this: ${passageOf(bench).text}`);
  },
};
