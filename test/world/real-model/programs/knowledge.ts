import { Crew, Task } from "../../../../src/index.ts";
import { Knowledge } from "../../../../src/entry/knowledge.ts";
import { PASSAGES } from "../texts.ts";
import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

/** Documents with the real embedder, which an agent is told of. */
export const kind: Kind = {
  name: "knowledge",
  reasons: [],
  run(bench) {
    const knowledge = new Knowledge({
      name: "village",
      embedder: bench.embedder,
      sources: PASSAGES.slice(0, 4).map(({ title, text }) => ({ name: `${title}.md`, text })),
    });
    const task = new Task({
      description: passageOf(bench).question,
      expectedOutput: "One sentence",
      agent: agentOf(bench, { knowledge }),
    });
    return new Crew({ tasks: [task] }).kickoff();
  },
};
