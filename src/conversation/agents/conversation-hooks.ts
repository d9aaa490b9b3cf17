import type { ConversationMessage } from "../messages.ts";
import type { MessageTransform } from "../transforms.ts";
import type { SystemMessageSource } from "../turns/model-input.ts";
import type { ReceivedSteps } from "../turns/reply-function.ts";

/** Called with messages before an agent replies, or before it sends; see `registerHook`. */
export type ConversationHooks = {
  /** Changes the text of the last message that was received. */
  readonly process_last_received_message: (content: string) => string | Promise<string>;
  /** Changes what the agent's reply is made of; the log stays as it is. */
  readonly process_all_messages_before_reply: (
    messages: readonly ConversationMessage[],
  ) => readonly ConversationMessage[] | Promise<readonly ConversationMessage[]>;
  /** Changes what the agent is about to send. */
  readonly process_message_before_send: (
    message: ConversationMessage,
    about: { readonly sender: string; readonly recipient: string },
  ) => ConversationMessage | Promise<ConversationMessage>;
  /** Called before each reply. */
  readonly update_agent_state: (messages: readonly ConversationMessage[]) => void | Promise<void>;
  /** Does with steps of the run what it does with a text that was received; see `ReceivedSteps`. */
  readonly process_last_received_in_steps: ReceivedSteps;
  /** Changes what the agent's model is sent. Not recorded: it runs again in each replay of a turn that has not ended. */
  readonly transform_messages: MessageTransform;
  /** Makes the system message of each turn. The last one counts. */
  readonly update_system_message: SystemMessageSource;
};

/** The names of hooks. */
export type ConversationHookName = keyof ConversationHooks;

/** All names of hooks. */
export const HOOK_NAMES: readonly string[] = [
  "process_last_received_message",
  "process_all_messages_before_reply",
  "process_message_before_send",
  "update_agent_state",
  "process_last_received_in_steps",
  "transform_messages",
  "update_system_message",
] satisfies readonly ConversationHookName[];
