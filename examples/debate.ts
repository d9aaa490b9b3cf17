// Two sides debate a motion, and a judge decides. Who speaks next is chosen by a model; without one that can choose, by the order.
import { AutoPattern, ConversableAgent, defineConversation } from "../src/conversation/index.ts";
import { llm } from "../src/index.ts";

const speaker = (name: string, description: string, systemMessage: string): ConversableAgent =>
  new ConversableAgent({ name, description, systemMessage, llm: llm(), humanInputMode: "NEVER" });

const proposer = speaker(
  "proposer",
  "Speaks for the motion",
  "You speak for the motion. Give one reason at a time, and answer what the other side said last.",
);
const opposer = speaker(
  "opposer",
  "Speaks against the motion",
  "You speak against the motion. Give one reason at a time, and answer what the other side said last.",
);
const judge = speaker(
  "judge",
  "Decides, once both sides have spoken twice",
  "You judge the debate. Say which side argued better, and name the reason that decided it. End with the word VERDICT and the side.",
);

export const debate = defineConversation({
  name: "debate",
  description: "Debates a motion: two sides, and a judge who decides.",
  maxRounds: 8,
  pattern: new AutoPattern({
    initialAgent: proposer,
    agents: [proposer, opposer, judge],
    groupManager: {
      llm: llm(),
      isTerminationMsg: ({ content }) => typeof content === "string" && content.includes("VERDICT"),
    },
    selectionMessage:
      "A debate between two sides, with a judge. Let proposer and opposer speak in turn, twice each, and then the judge. Answer with one name of {agentlist}.",
  }),
});
