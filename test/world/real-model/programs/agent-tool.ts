import type { Kind } from "./kind.ts";
import { agentOf, stock } from "./people.ts";

/** The grammar makes the first answer a call. */
export const kind: Kind = {
  name: "agent-tool",
  reasons: [],
  run(bench) {
    bench.server.mood = "eager";
    const item = bench.random.pick(["tea", "bread", "oil"]);
    return agentOf(bench, { tools: [stock] }).kickoff(`How much ${item} is there?`);
  },
};
