import { Crew, Task } from "../../../../src/index.ts";
import { Knowledge } from "../../../../src/entry/knowledge.ts";
import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

/** Documents whose embedder is not there. */
export const kind: Kind = {
  name: "embedder-away",
  reasons: ["embedder"],
  run(bench) {
    const { text, question } = passageOf(bench);
    const knowledge = new Knowledge({
      name: "village",
      embedder: {
        provider: "openai",
        config: { model: "minilm", apiBase: "http://127.0.0.1:9/v1", apiKey: "none" },
      },
      sources: [{ name: "text.md", text }],
    });
    const agent = agentOf(bench, { knowledge });
    const task = new Task({ description: question, expectedOutput: "One sentence", agent });
    return new Crew({ tasks: [task] }).kickoff();
  },
};
