// Extensions on the client's side: objects that step in around what is sent to remote agents and what comes back.
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { Tool } from "../../../tools/tool.ts";

/** One message of a conversation with a remote agent. */
export type A2AHistoryMessage = {
  readonly role: "user" | "agent";
  readonly text: string;
  /** Its structured parts, such as messages of an extension. */
  readonly data: ReadonlyArray<{ readonly mediaType?: string; readonly value: JsonValue }>;
};

/** What an extension has read from a conversation. */
export interface A2AConversationState {
  /** True ends a delegation loop: the next answer of the local model is final, as it is. */
  isReady(): boolean;
}

/** What `process` gets: the text of an answer, and its structured parts. */
export type A2AExtensionResponse = {
  readonly text: string;
  readonly data: ReadonlyArray<{ readonly mediaType?: string; readonly value: JsonValue }>;
};

/**
 * Steps in on this side of a conversation. All members are optional and called in every drive of a run, so they must answer
 * the same for the same arguments and do nothing else. What one throws is told in an `agent_warning` and skipped.
 */
export type A2AClientExtension = {
  /** Its URI is named in the extensions header of each request. */
  readonly uri?: string;
  /** Further tools for the agent. */
  readonly injectTools?: (agent: { readonly role: string }) => readonly Tool[];
  readonly extractStateFromHistory?: (
    history: readonly A2AHistoryMessage[],
  ) => A2AConversationState | undefined;
  /** The message as it is sent. */
  readonly augmentPrompt?: (prompt: string, state: A2AConversationState | undefined) => string;
  /** The answer as the model is shown it. */
  readonly processResponse?: (
    response: A2AExtensionResponse,
    state: A2AConversationState | undefined,
  ) => A2AExtensionResponse;
  /** Added to the metadata of the message. */
  readonly prepareMessageMetadata?: (state: A2AConversationState | undefined) => JsonObject;
};

const MEMBERS = [
  "injectTools",
  "extractStateFromHistory",
  "augmentPrompt",
  "processResponse",
  "prepareMessageMetadata",
] as const;

/** True for an object with at least one member of an extension, and no member of another type. */
export function isClientExtension(value: unknown): value is A2AClientExtension {
  if (typeof value !== "object" || value === null) return false;
  const members = MEMBERS.map((name) => (value as A2AClientExtension)[name]);
  return (
    members.some((member) => typeof member === "function") &&
    members.every((member) => member === undefined || typeof member === "function")
  );
}
