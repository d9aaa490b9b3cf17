import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

export const kind: Kind = {
  name: "agent",
  reasons: [],
  run(bench) {
    const { text, question } = passageOf(bench);
    return agentOf(bench).kickoff(`${text} ${question}`);
  },
};
