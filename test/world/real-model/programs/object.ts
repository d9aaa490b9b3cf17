import * as z from "zod";
import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

const SHAPES = [
  z.object({ answer: z.string(), isSure: z.boolean() }),
  z.object({ name: z.string(), count: z.int() }),
  z.object({ mood: z.enum(["good", "bad"]), words: z.array(z.string()).max(2) }),
] as const;

/** The limit leaves room for the whole object. */
export const kind: Kind = {
  name: "object",
  reasons: ["shape"],
  run(bench) {
    const agent = agentOf(bench, { llm: bench.llm({ maxTokens: 60 }) });
    const output = bench.random.pick(SHAPES);
    return new Crew({ tasks: [taskOf(bench, agent, { output })] }).kickoff();
  },
};
