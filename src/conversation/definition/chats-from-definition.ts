// Makes the chats of a conversation defined as data.
import { defined } from "../../crew/definition/definition-options.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { QueuedChat } from "../chats/queued-chat.ts";
import type { ExchangeOptions } from "../exchange/exchange-of.ts";
import { GroupChat } from "../groups/group-chat.ts";
import { GroupChatManager } from "../groups/group-chat-manager.ts";
import type { ConversationDefinition } from "./definition.ts";
import type { ChatDefinition } from "./exchange-schema.ts";
import { ANY_MODEL } from "./members-from-definition.ts";

type Members = ReadonlyMap<string, ConversableAgent>;

/** Returns the chat or the queue of a checked definition; undefined for patterns and graphs. */
export function chatsFrom(
  { chat, chats, sender }: ConversationDefinition,
  members: Members,
): ExchangeOptions | undefined {
  if (chat !== undefined) {
    const first = memberOf(members, chat.sender);
    return { chat: { ...chatFrom(chat, members), sender: first } };
  }
  if (chats === undefined) return undefined;
  return {
    chats: chats.map((each) => chatFrom(each, members)),
    ...(sender === undefined ? undefined : { sender: memberOf(members, sender) }),
  };
}

function chatFrom(definition: ChatDefinition, members: Members): QueuedChat {
  const { sender, recipient, groupChat, summaryPrompt, ...settings } = definition;
  return {
    ...defined(settings),
    ...(sender === undefined ? undefined : { sender: memberOf(members, sender) }),
    ...(summaryPrompt === undefined ? undefined : { summaryArgs: { summaryPrompt } }),
    recipient:
      groupChat === undefined ? memberOf(members, recipient) : managerOf(groupChat, members),
  };
}

function managerOf(
  { agents, llm, ...settings }: NonNullable<ChatDefinition["groupChat"]>,
  members: Members,
): GroupChatManager {
  return new GroupChatManager({
    groupChat: new GroupChat({
      ...defined(settings),
      agents: agents.map((each) => memberOf(members, each)),
    }),
    // The form of the settings is checked; the model itself is checked when it is resolved.
    llm: llm === undefined ? ANY_MODEL : (llm as ModelSpec),
  });
}

/** The definition was checked: the name is a member's. */
function memberOf(members: Members, name: string | undefined): ConversableAgent {
  return members.get(name ?? "") as ConversableAgent;
}
