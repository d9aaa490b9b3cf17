import {
  ConversableAgent,
  initiateGroupChat,
  RoundRobinPattern,
} from "../../../../src/conversation/index.ts";
import type { Kind } from "./kind.ts";
import { passageOf } from "./people.ts";

/** A group in a fixed order. */
export const kind: Kind = {
  name: "pattern",
  reasons: [],
  run(bench) {
    const agents = ["writer", "critic"].map(
      (name) =>
        new ConversableAgent({
          name,
          systemMessage: `You are the ${name}. Be brief.`,
          humanInputMode: "NEVER",
          llm: bench.llm({ maxTokens: 24 }),
        }),
    );
    const [initialAgent] = agents as [ConversableAgent];
    return initiateGroupChat({
      pattern: new RoundRobinPattern({ agents, initialAgent }),
      messages: passageOf(bench).text,
      maxRounds: 4,
    });
  },
};
