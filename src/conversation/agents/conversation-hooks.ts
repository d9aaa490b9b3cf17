import type { Message, ToolCall } from "../../llm/language-model.ts";
import type { ConversationMessage, ToolResponse } from "../messages.ts";
import type { MessageTransform } from "../transforms.ts";
import type { SystemMessageSource } from "../turns/model-input.ts";
import type { ReceivedSteps, TurnTools } from "../turns/reply-function.ts";

/** What hooks that safeguard may change. */
export type SafeguardedValues = {
  /** A call before its tool is executed. */
  readonly safeguard_tool_inputs: ToolCall;
  /** The result of a call that was executed. */
  readonly safeguard_tool_outputs: ToolResponse;
  /** What the agent's model is sent, its system text first. */
  readonly safeguard_llm_inputs: readonly Message[];
  /** What the agent's model says, in words or in calls. */
  readonly safeguard_llm_outputs: ConversationMessage;
  /** What a person types in the agent's place. */
  readonly safeguard_human_inputs: string;
};

/** The names of hooks that safeguard. */
export type SafeguardHookName = keyof SafeguardedValues;

/** Whose hook is called, and for which tool. */
export type SafeguardHookAbout = { readonly agent: string; readonly tool?: string };

/**
 * What such a hook returns takes the value's place; null refuses: a model is not asked, and anywhere else the work fails with
 * `hook_aborted`.
 */
type SafeguardHooks = {
  readonly [Name in SafeguardHookName]: (
    value: SafeguardedValues[Name],
    about: SafeguardHookAbout,
  ) => SafeguardedValues[Name] | null | Promise<SafeguardedValues[Name] | null>;
};

/** Called with messages before an agent replies or sends, and with what passes between it, its model, its tools and its person. */
export type ConversationHooks = SafeguardHooks & {
  /** Changes the text of the last message that was received, as the agent sees it from then on. */
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
  /** Makes tools for each turn, which the agent carries out itself; see `TurnTools`. */
  readonly tools_of_turn: TurnTools;
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
  "tools_of_turn",
  "update_system_message",
  "safeguard_tool_inputs",
  "safeguard_tool_outputs",
  "safeguard_llm_inputs",
  "safeguard_llm_outputs",
  "safeguard_human_inputs",
] satisfies readonly ConversationHookName[];
