import { ConversableAgent } from "../../../../src/conversation/index.ts";
import type { Kind } from "./kind.ts";
import { passageOf } from "./people.ts";

/** Two agents that talk. */
export const kind: Kind = {
  name: "chat",
  reasons: [],
  run(bench) {
    const [ana, bo] = ["ana", "bo"].map(
      (name) =>
        new ConversableAgent({
          name,
          systemMessage: "You answer in a few words.",
          humanInputMode: "NEVER",
          llm: bench.llm({ maxTokens: 24 }),
        }),
    ) as [ConversableAgent, ConversableAgent];
    return ana.initiateChat(bo, { message: passageOf(bench).question, maxTurns: 2 });
  },
};
