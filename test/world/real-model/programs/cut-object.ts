import * as z from "zod";
import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

const ORDER = z.object({
  title: z.string(),
  items: z
    .array(z.object({ name: z.string(), count: z.int() }))
    .min(3)
    .max(3),
  address: z.string(),
});

/** The limit ends the object in its middle. */
export const kind: Kind = {
  name: "cut-object",
  reasons: ["shape"],
  run(bench) {
    const agent = agentOf(bench, { llm: bench.llm({ maxTokens: 16 }) });
    return new Crew({ tasks: [taskOf(bench, agent, { output: ORDER })] }).kickoff();
  },
};
