import {
  ConversableAgent,
  GroupChat,
  GroupChatManager,
} from "../../../../src/conversation/index.ts";
import type { Kind } from "./kind.ts";
import { passageOf } from "./people.ts";

/** A group whose speakers the model chooses. */
export const kind: Kind = {
  name: "group-chat",
  reasons: [],
  async run(bench) {
    const agents = ["ana", "bo", "cleo"].map(
      (name) =>
        new ConversableAgent({
          name,
          systemMessage: "You talk in short sentences.",
          description: `${name} knows the village`,
          humanInputMode: "NEVER",
          llm: bench.llm({ maxTokens: 24 }),
        }),
    );
    const groupChat = new GroupChat({ agents, maxRound: 4 });
    const manager = new GroupChatManager({ groupChat, llm: bench.llm({ maxTokens: 24 }) });
    const [opener] = agents as [ConversableAgent];
    return opener.initiateChat(manager, { message: passageOf(bench).question });
  },
};
