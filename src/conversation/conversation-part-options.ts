import type { DefinitionReaders } from "../parts/definition-body.ts";
import type { MemberRegistry } from "./definition/members-from-definition.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

export type ConversationPartOptions = {
  /** Conversations of the deployed code, by name: the current version of each. */
  readonly conversations: Readonly<Record<string, RunnableConversation>>;
  /** Names available to stored conversations. */
  readonly registry: MemberRegistry;
  readonly readers: DefinitionReaders;
};
