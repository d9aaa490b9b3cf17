import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";

/**
 * A text with `{name}` placeholders for context variables, or a function called once per turn. Its third argument has
 * the variables of the conversation; the agent's own are only initial values.
 */
export type SystemMessageSource =
  | string
  | ((
      agent: ConversationMember,
      messages: readonly ConversationMessage[],
      contextVariables: ContextVariables,
    ) => string | Promise<string>);
