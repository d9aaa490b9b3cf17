import { Crew } from "../../../../src/index.ts";
import { Memory } from "../../../../src/entry/memory.ts";
import { PASSAGES, type Passage } from "../texts.ts";
import type { Kind } from "./kind.ts";
import { agentOf, passageOf, taskOf } from "./people.ts";

/** A memory with the real embedder, which the task can use. */
export const kind: Kind = {
  name: "memory",
  reasons: [],
  async run(bench) {
    const memory = new Memory({ llm: bench.llm({ maxTokens: 60 }), embedder: bench.embedder });
    const first = bench.random.below(PASSAGES.length);
    const passages = [0, 1].map((each) => PASSAGES[(first + each) % PASSAGES.length] as Passage);
    for (const passage of passages)
      await memory.remember(passage.text, { scope: "/notes", categories: [], importance: 0.5 });
    const found = await memory.recall(passageOf(bench).question, { depth: "shallow", limit: 2 });
    const output = await new Crew({ tasks: [taskOf(bench, agentOf(bench))], memory }).kickoff();
    return { found: found.length, output };
  },
};
