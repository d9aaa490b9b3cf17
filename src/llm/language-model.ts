import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { BuiltinKind, BuiltinTool, GeneratedImage } from "./builtin-tools.ts";
import type { ModelCache } from "./model-cache.ts";
import type { Price } from "./model-data.ts";
import type { ModelFiles } from "./model-files.ts";
import type { RequestSettings } from "./request-settings.ts";
import type { RunFile } from "./run-file.ts";

/** One turn of the conversation with a model. */
export type Message =
  | {
      readonly role: "system";
      readonly content: string;
      /** A prompt cache may keep everything up to here. The marker is sent to Anthropic; other providers decide for themselves. */
      readonly cacheBreakpoint?: true;
    }
  | {
      readonly role: "user";
      /** Text, or parts with images and files among them: see content.ts. */
      readonly content: string | readonly ContentPart[];
      readonly cacheBreakpoint?: true;
    }
  | {
      readonly role: "assistant";
      /** Empty if the model only called tools. */
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** Parts made by the provider (thinking blocks, signatures), to be sent back unchanged. */
      readonly providerParts?: readonly JsonObject[];
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly content: string;
    };

/**
 * Piece of a user's message. Images need a model with vision (`capabilities.vision`), other files one that reads their
 * kind; text files go to every model, as text.
 */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | ({
      readonly type: "image";
      /** Resolution of the look at the image, for providers that support it. */
      readonly detail?: "auto" | "low" | "high";
    } & PartSource)
  | ({ readonly type: "file" | "audio" | "video"; readonly name?: string } & PartSource);

/** Source of a part: see `MediaSource`, or a file of the run, replaced before the call by a form the model accepts. */
export type PartSource = MediaSource | { readonly runFile: RunFile };

/** Source of an image or file: a URL the provider can reach, base64 data, or an earlier upload to the provider. */
export type MediaSource =
  | { readonly url: string; readonly mediaType?: string }
  | { readonly data: string; readonly mediaType: string }
  | {
      readonly fileId: string;
      /** Provider of the upload: the id of the limits in `LanguageModel.files`. */
      readonly provider: string;
      readonly mediaType: string;
    };

/** A tool call as the model made it: the arguments are its own text, not yet parsed. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** Description of a tool for a model. `parameters` is a JSON Schema of an object. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

/** Request to a model: a conversation, tools, and the form of the answer. */
export type ModelRequest = {
  /**
   * The whole conversation, oldest first. Callers may pass the same growing array again: adapters remember its
   * converted messages, so a turn costs only its new messages.
   */
  readonly messages: readonly Message[];
  /** Offered tools; the same array on every turn, so adapters convert it once. */
  readonly tools?: readonly ToolSpec[];
  /** Tools the provider runs by itself, among those of the model (`capabilities.builtinTools`). */
  readonly builtinTools?: readonly BuiltinTool[];
  /** Lets the model search among `tools` with the provider's own search (`capabilities.toolSearch`). */
  readonly searchesTools?: boolean;
  /**
   * `none`: the model must answer in words now. The tools stay named, because some providers require those of earlier
   * turns. `required`: it must call one of them, if the provider can enforce it; with a name, this one.
   */
  readonly toolChoice?: "none" | "required" | { readonly tool: string };
  /** Settings of this request, over those of the model (`capabilities.settings`). The same object on every turn. */
  readonly settings?: RequestSettings;
  /** The model stops before any of these texts. If a model does not accept stop words, the adapter cuts the answer itself. */
  readonly stop?: readonly string[];
  /** JSON schema for the answer. The provider's structured output is used if it exists. */
  readonly responseSchema?: { readonly name: string; readonly schema: JsonObject };
};

/** Options of one model call besides the request. */
export type CallOptions = {
  readonly signal: AbortSignal;
  /** The same for every attempt of one call; sent to providers that support it. */
  readonly idempotencyKey?: string;
  /** Trace span of the call, for requests over HTTP; not part of the request or its record. */
  readonly traceparent?: string | undefined;
  /** Called with each piece of a streamed answer, as it comes. */
  readonly onSign?: (() => void) | undefined;
  /** Position of the call within its run; lists derive their start from it. Absent outside of runs. */
  readonly turn?: () => CallTurn;
  /** Cache for models with a `cacheSeed`, unless their settings name one. */
  readonly cache?: ModelCache | undefined;
  /**
   * Replaces the run's files with forms the model accepts. Models that pass a call to others pass it on to them; it is
   * called before the call of any other model (see `askPrepared`).
   */
  readonly prepare?:
    | ((request: ModelRequest, model: LanguageModel) => Promise<ModelRequest>)
    | undefined;
} & StreamListeners;

/** A call among those of its run. */
export type CallTurn = {
  readonly runId: string;
  /**
   * Number of calls of the same model the run began before this one. The same for every attempt and in every replay.
   */
  readonly before: number;
};

/** Callbacks for an answer during its generation. If any of them is set, the adapter streams. */
export type StreamListeners = {
  /** Receives text. */
  readonly onDelta?: ((text: string) => void) | undefined;
  /** Receives the model's thinking before its answer, from providers that show it. */
  readonly onThinking?: ((text: string) => void) | undefined;
  /** Receives tool calls, piece by piece. */
  readonly onToolDelta?: ((delta: ToolCallDelta) => void) | undefined;
  /** Voids the text received so far: the answer begins again, as from the next model of a chain. */
  readonly onRestart?: (() => void) | undefined;
};

/** A piece of a tool call: `arguments` is appended to the earlier pieces with the same index. */
export type ToolCallDelta = {
  /** Place among the calls of this answer, from 0. */
  readonly index: number;
  /** Empty until the provider has named it. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
};

/**
 * `content_filter` and `other` occur only in old records: such answers now fail. `no_answer`: the model could not
 * answer (`offline/demo` alone); its text is for people, and must not be remembered.
 */
export type FinishReason =
  | "stop"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "no_answer"
  | "other";

/** Answer of a model: text, tool calls, or both. */
export type ModelResponse = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** The limit of its length cut the answer. Absent from answers recorded before such were continued. */
  readonly end?: "cut";
  /** Settings of the request the model refused, so it answered without them. */
  readonly ignored?: ReadonlyArray<keyof RequestSettings>;
  /** Requests is 1; `costUsd` is computed from the price table, 0 for a model it does not hold. */
  readonly usage: Usage;
  readonly responseId?: string;
  /** The model's thinking before its answer, from providers that show it; streams pass it to `onThinking` alone. */
  readonly thinking?: string;
  readonly providerParts?: readonly JsonObject[];
  /** Actions of the provider's own tools (web searches, code runs), in its form; with `parseToolOutputs` only. */
  readonly builtinToolCalls?: readonly JsonObject[];
  /** Images drawn by the provider's own tools. Recorders of the answer store them separately. */
  readonly images?: readonly GeneratedImage[];
  /** `id` of the answering model, if a list or a cache stood between. */
  readonly model?: string;
  /** Index of the answering entry of a list, from 0. */
  readonly configIndex?: number;
  /** True if the `filter` of a list accepted the answer; absent without a filter. */
  readonly passedFilter?: boolean;
  /**
   * Calls behind the answer, oldest first, if it was not a single call: those with answers refused by a filter, and
   * those replaced by a cache. `usage` is the sum of the calls made.
   */
  readonly spent?: readonly ModelSpend[];
};

/** Usage of one call, real or replaced by the cache. */
export type ModelSpend = {
  readonly model: string;
  readonly usage: Usage;
  readonly cached?: true;
};

/**
 * A model that answers a conversation: the port of every provider's adapter.
 *
 * One `generate` is one attempt: the calling step retries. Failures are `EngineError`s. Their code names the failure,
 * and `retryable` is true if the same call can succeed later: `model_unauthorized` (401, 403: no), `model_rate_limited`
 * (429: yes, with `retryAfterMs` if the provider named it), `model_unavailable` (server away: connection, 502, 503,
 * 529: yes), `model_rejected` (other 4xx: no), `context_window_exceeded` (no), `model_failed` (other 5xx, broken or cut
 * stream, unreadable answer: yes), `timeout` (yes). An abort rejects with the signal's reason.
 */
export interface LanguageModel {
  /** `provider/model`: the name in events, journals and price tables. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** Size of the model's context window, in tokens. The usable part is 85 % of it (see model-data.ts). */
  readonly contextWindow: number;
  /** Reason why each call fails as `model_unauthorized`; undefined for a model with its key. */
  readonly missingKey?: string | undefined;
  /** File support of its provider. @default images like OpenAI's chat completions, without uploads */
  readonly files?: ModelFiles | undefined;
  /**
   * Settings with an effect on its answers, such as `temperature`, as recorded in runs. Without keys, addresses and
   * headers.
   */
  readonly settings?: JsonObject | undefined;
  /** Price of its calls, if it differs from model-data.ts. */
  readonly price?: Price | undefined;
  /** Models it passes its calls to, if it is a list. */
  readonly entries?: readonly LanguageModel[] | undefined;
  generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
}

export type ModelCapabilities = {
  /** Takes tools natively. Without it agents fall back to the text form. */
  readonly tools: boolean;
  /** Honours `responseSchema` by the provider's own means. */
  readonly responseSchema: boolean;
  /** Honours `stop`. For other models the adapter cuts the text itself. */
  readonly stop: boolean;
  /** Request settings it accepts. @default none */
  readonly settings?: ReadonlyArray<keyof RequestSettings>;
  /** Accepts images. Without it a call with images fails with `model_rejected`. @default false */
  readonly vision?: boolean;
  /** Tools its provider runs for it. @default none */
  readonly builtinTools?: readonly BuiltinKind[];
  /** Searches among many tools by the provider's own means. @default false */
  readonly toolSearch?: boolean;
  /** Accepts PDFs and other documents. @default the value of `vision`, for those in messages; none of a run's own */
  readonly pdf?: boolean;
  /** Takes sound. @default false */
  readonly audio?: boolean;
  /** Takes video. @default false */
  readonly video?: boolean;
  /**
   * Makes judgements: scores, picks among labels, learns from feedback, words a search, sorts memories. False for a
   * model that only rearranges its input, such as `offline/demo`. Features with judgements then report this, or work
   * without one. @default true
   */
  readonly judges?: boolean;
};
