import {
  AssistantAgent,
  defineConversation,
  GroupChat,
  GroupChatManager,
  UserProxyAgent,
} from "../../../src/conversation/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

const llm = scriptedModel(({ messages }) => `answer ${messages.length}`);
const person = new UserProxyAgent({ name: "caller" });
const clerk = new AssistantAgent({ name: "clerk", systemMessage: "You help.", llm });
const boss = new AssistantAgent({ name: "boss", systemMessage: "You decide.", llm });

/** A classic group, with a person in it. */
export const desk = defineConversation({
  name: "desk",
  chat: {
    sender: person,
    recipient: new GroupChatManager({
      groupChat: new GroupChat({
        agents: [person, clerk, boss],
        speakerSelectionMethod: "round_robin",
        maxRound: 5,
      }),
    }),
  },
});
