import type { JsonValue } from "../../base/json.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";

/** Method of the summary: the last message, a model's reflection, or a function, called once. */
export type SummaryMethod =
  | "last_msg"
  | "reflection_with_llm"
  | ((about: {
      readonly sender: ConversationMember;
      readonly recipient: ConversationMember;
      /** Messages in the recipient's view. */
      readonly messages: readonly ConversationMessage[];
      readonly summaryArgs: SummaryArgs;
      /** The sender's variables. Changes are saved. */
      readonly contextVariables: ContextVariables;
    }) => JsonValue | Promise<JsonValue>);

/** Arguments of a reflection or of a summary function. */
export type SummaryArgs = {
  readonly summaryPrompt?: string;
  /** @default "system" */
  readonly summaryRole?: "system" | "user" | "assistant";
  readonly [name: string]: unknown;
};
