import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";

/** One turn of the conversation with a model. */
export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      /** Empty when the model only asked for tools. */
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** Provider-made parts (thinking blocks, signatures) that must be sent back unchanged. */
      readonly providerParts?: readonly JsonObject[];
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly content: string;
    };

/** A tool call as the model made it: the arguments are its own text, not yet parsed. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A tool as a model is told of it. `parameters` is a JSON Schema of an object. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

export type ModelRequest = {
  /**
   * The whole conversation, oldest first. Callers may pass the same growing array again:
   * adapters remember what they converted of it, so that a turn costs only its new messages.
   */
  readonly messages: readonly Message[];
  /** The tools on offer; the same array on every turn, so that adapters convert it once. */
  readonly tools?: readonly ToolSpec[];
  /**
   * `none`: the model must answer in words now. The tools stay named, as some providers want to know those of earlier turns.
   * `required`: it must call one of them, where the provider can hold it to that.
   */
  readonly toolChoice?: "none" | "required";
  /** Texts before which the model shall stop. Adapters drop them for models that refuse them. */
  readonly stop?: readonly string[];
  /** The answer shall be JSON of this schema, by the provider's own means where it has them. */
  readonly responseSchema?: { readonly name: string; readonly schema: JsonObject };
};

export type CallOptions = {
  readonly signal: AbortSignal;
  /** The same for every attempt of one call; sent on where the provider takes one. */
  readonly idempotencyKey?: string;
  /** Receives text as it comes. Its presence makes the adapter stream. */
  readonly onDelta?: (text: string) => void;
};

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

export type ModelResponse = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** Requests is 1; `costUsd` is computed from the price table, 0 for a model it does not hold. */
  readonly usage: Usage;
  readonly responseId?: string;
  readonly providerParts?: readonly JsonObject[];
};

/**
 * A model that answers a conversation: the port that every provider's adapter implements.
 *
 * One `generate` is one attempt: retry belongs to the step that calls it. Failures are `EngineError`s whose
 * code says what happened and whose `retryable` says whether the same call can succeed later:
 * `model_unauthorized` (401, 403: no), `model_rate_limited` (429: yes, with `retryAfterMs` when the provider named it),
 * `model_rejected` (other 4xx: no), `context_window_exceeded` (no), `model_failed` (5xx, broken or cut stream,
 * connection, unreadable answer: yes), `timeout` (yes). An abort rejects with the signal's reason.
 */
export interface LanguageModel {
  /** `provider/model`: what events, journals and price tables name. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** Size of the model's context window, in tokens. The usable part is 85 % of it (see model-data.ts). */
  readonly contextWindow: number;
  generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
}

export type ModelCapabilities = {
  /** Takes tools natively. Without it agents fall back to the text form. */
  readonly tools: boolean;
  /** Honours `responseSchema` by the provider's own means. */
  readonly responseSchema: boolean;
  /** Honours `stop`. */
  readonly stop: boolean;
};
