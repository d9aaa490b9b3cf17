import type { RunnableFlow } from "../run-flow.ts";
import type { ConversationConfig } from "./conversation-config.ts";
import type { Conversation } from "./conversation.ts";

export type FlowParts = Omit<RunnableFlow, "graph">;

/**
 * Makes a flow conversational: a decorator of its class, the class's field `conversational`, or an option of
 * `defineFlow`.
 */
export interface Conversational {
  (flowClass: abstract new () => object, context: ClassDecoratorContext): void;
  readonly config: ConversationConfig;
  /** The flow with the state and the methods of a conversation. */
  readonly extend: (flow: FlowParts) => FlowParts;
  /** Returns the operations of the conversational flow. */
  readonly open: (flow: RunnableFlow, owns: (method: string) => boolean) => Conversation;
}
