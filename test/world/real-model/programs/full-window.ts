import { PASSAGES } from "../texts.ts";
import type { Kind } from "./kind.ts";
import { agentOf } from "./people.ts";

/** More than the window holds. Half of the programs say how large it is. */
export const kind: Kind = {
  name: "full-window",
  reasons: ["full window"],
  run(bench) {
    const known = bench.random.chance(0.5) ? { contextWindowSize: 1024 } : {};
    const agent = agentOf(bench, { llm: bench.llm({ maxTokens: 32, ...known }) });
    const long = Array.from({ length: 4 }, () => PASSAGES.map(({ text }) => text).join("\n"));
    return agent.kickoff(`${long.join("\n")}\nWhat is this about?`);
  },
};
