// Client extensions: code around the messages to and from remote agents.
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { Tool } from "../../../tools/tool.ts";

/** One message of a conversation with a remote agent. */
export type A2AHistoryMessage = {
  readonly role: "user" | "agent";
  readonly text: string;
  /** Its structured parts, such as messages of an extension. */
  readonly data: ReadonlyArray<{ readonly mediaType?: string; readonly value: JsonValue }>;
};

/** State read from a conversation by an extension. */
export interface A2AConversationState {
  /** Returns true to end a delegation loop: the next answer of the local model is final, unchanged. */
  isReady(): boolean;
}

/** Input of `process`: the text of an answer, and its structured parts. */
export type A2AExtensionResponse = {
  readonly text: string;
  readonly data: ReadonlyArray<{ readonly mediaType?: string; readonly value: JsonValue }>;
};

/**
 * Code on this side of a conversation. All members are optional and called in every drive of a run, so they must be
 * pure: the same result for the same arguments, without side effects. Errors are skipped, with an `agent_warning`.
 */
export type A2AClientExtension = {
  /** URI of the extension, for the extensions header of each request. */
  readonly uri?: string;
  /** Further tools for the agent. */
  readonly injectTools?: (agent: { readonly role: string }) => readonly Tool[];
  readonly extractStateFromHistory?: (
    history: readonly A2AHistoryMessage[],
  ) => A2AConversationState | undefined;
  /** Returns the message to send. */
  readonly augmentPrompt?: (prompt: string, state: A2AConversationState | undefined) => string;
  /** Returns the answer for the model. */
  readonly processResponse?: (
    response: A2AExtensionResponse,
    state: A2AConversationState | undefined,
  ) => A2AExtensionResponse;
  /** Returns additions to the metadata of the message. */
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
