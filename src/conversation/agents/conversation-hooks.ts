import type { Message, ToolCall } from "../../llm/language-model.ts";
import type { ConversationMessage, ToolResponse } from "../messages.ts";
import type { MessageTransform } from "../transforms.ts";
import type { ReceivedSteps, TurnTools } from "../turns/reply-function.ts";
import type { SystemMessageSource } from "../turns/system-message-source.ts";

/** Values that safeguard hooks may change. */
export type SafeguardedValues = {
  /** A call before its tool is executed. */
  readonly safeguard_tool_inputs: ToolCall;
  /** The result of an executed call. */
  readonly safeguard_tool_outputs: ToolResponse;
  /** Messages for the agent's model, system text first. */
  readonly safeguard_llm_inputs: readonly Message[];
  /** Reply of the agent's model: text or calls. */
  readonly safeguard_llm_outputs: ConversationMessage;
  /** Text typed by a person in the agent's place. */
  readonly safeguard_human_inputs: string;
};

/** Name of a safeguard hook. */
export type SafeguardHookName = keyof SafeguardedValues;

/** The hook's agent, and the tool of the value. */
export type SafeguardHookAbout = { readonly agent: string; readonly tool?: string };

/**
 * The returned value replaces the value. Null refuses it: the model is not called; in all other hooks the work fails
 * with `hook_aborted`.
 */
type SafeguardHooks = {
  readonly [Name in SafeguardHookName]: (
    value: SafeguardedValues[Name],
    about: SafeguardHookAbout,
  ) => SafeguardedValues[Name] | null | Promise<SafeguardedValues[Name] | null>;
};

/**
 * Hooks on messages before an agent replies or sends, and on values between the agent and its model, tools and person.
 */
export type ConversationHooks = SafeguardHooks & {
  /** Changes the text of the last received message, for this agent and from then on. */
  readonly process_last_received_message: (content: string) => string | Promise<string>;
  /** Changes the messages behind the agent's reply; the log stays unchanged. */
  readonly process_all_messages_before_reply: (
    messages: readonly ConversationMessage[],
  ) => readonly ConversationMessage[] | Promise<readonly ConversationMessage[]>;
  /** Changes a message before the agent sends it. */
  readonly process_message_before_send: (
    message: ConversationMessage,
    about: { readonly sender: string; readonly recipient: string },
  ) => ConversationMessage | Promise<ConversationMessage>;
  /** Called before each reply. */
  readonly update_agent_state: (messages: readonly ConversationMessage[]) => void | Promise<void>;
  /** Changes a received text through steps of the run; see `ReceivedSteps`. */
  readonly process_last_received_in_steps: ReceivedSteps;
  /**
   * Changes the messages for the agent's model. Its result is not recorded: it runs again in each replay of an
   * unfinished turn.
   */
  readonly transform_messages: MessageTransform;
  /** Makes tools for each turn, executed by the agent itself; see `TurnTools`. */
  readonly tools_of_turn: TurnTools;
  /** Makes the system message of each turn. The last hook counts. */
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
  "tools_of_turn",
  "update_system_message",
  "safeguard_tool_inputs",
  "safeguard_tool_outputs",
  "safeguard_llm_inputs",
  "safeguard_llm_outputs",
  "safeguard_human_inputs",
] satisfies readonly ConversationHookName[];
