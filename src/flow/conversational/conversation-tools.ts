// Tools of a conversational flow's methods.
import type { JsonObject } from "../../base/json.ts";
import type { Streaming } from "../../model-calls/caller-stream.ts";
import type { ConversationMessage } from "./conversation-state.ts";

/** The subject of a turn. */
export type TurnContext = {
  readonly sessionId: string;
  /** Message of the user. */
  readonly message: string;
  /** Intent found by a model in this turn; null without a model or a match. */
  readonly intent: string | null;
  /** The route of the turn before. */
  readonly previousIntent: string | undefined;
  /** Number of the user's message. */
  readonly messageIndex: number;
  /** Streaming of the models' answers. */
  readonly stream: Streaming;
};

/** Options for storing an agent's result in the conversation. */
export type AgentResultOptions = {
  /** `public` puts it among the messages as well. @default "private" */
  readonly visibility?: "private" | "public";
  readonly metadata?: JsonObject;
};

/** The conversation, in a method: changes are part of the method's own copy of the state. */
export type ConversationTools = {
  readonly sessionId: string;
  /** Message of the user in this turn. */
  readonly message: string;
  /** Intent found by a model in this turn; null without a model or a match. */
  readonly intent: string | null;
  /** Messages so far, the oldest first. */
  readonly messages: readonly ConversationMessage[];
  /** Adds a message. An assistant's message is this turn's reply: the result of the flow is then not added. */
  readonly appendMessage: (
    message: Partial<ConversationMessage> & Pick<ConversationMessage, "role" | "content">,
  ) => void;
  /**
   * Stores an agent's result in the agent's thread, and among the messages if it is public. `agent`: its role or name.
   */
  readonly appendAgentResult: (
    agent: string | { readonly role: string } | { readonly name: string },
    result: unknown,
    options?: AgentResultOptions,
  ) => void;
  /** Returns the route from the configured router; null without one. For `routeTurn`. */
  readonly route: () => Promise<string | null>;
};
