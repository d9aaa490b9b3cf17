import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { RequestSettings } from "./answer-settings.ts";
import type { BuiltinKind, BuiltinTool, GeneratedImage } from "./builtin-tools.ts";
import type { ModelCache } from "./model-cache.ts";
import type { Price } from "./model-data.ts";
import type { ModelFiles } from "./model-files.ts";
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

/**
 * A piece of what a user says. Images need a model that sees (`capabilities.vision`), other files one that reads their kind; text
 * files go to every model, as text.
 */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | ({
      readonly type: "image";
      /** How closely to look, where a provider knows it. */
      readonly detail?: "auto" | "low" | "high";
    } & PartSource)
  | ({ readonly type: "file" | "audio" | "video"; readonly name?: string } & PartSource);

/** Where a part is: see `MediaSource`, or a file of the run, in whose place the model is sent what it takes. */
export type PartSource = MediaSource | { readonly runFile: RunFile };

/** Where an image or file is: behind a URL that the provider can reach, here in base64, or uploaded to the provider before. */
export type MediaSource =
  | { readonly url: string; readonly mediaType?: string }
  | { readonly data: string; readonly mediaType: string }
  | {
      readonly fileId: string;
      /** Whose id it is: that of the limits in `LanguageModel.files`. */
      readonly provider: string;
      readonly mediaType: string;
    };

/** A tool call as the model made it: the arguments are its own text, not yet parsed. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** The description of a tool that is sent to a model. `parameters` is a JSON Schema of an object. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

/** What a model is asked: a conversation, tools, and the form of the answer. */
export type ModelRequest = {
  /**
   * The whole conversation, oldest first. Callers may pass the same growing array again:
   * adapters remember what they converted of it, so that a turn costs only its new messages.
   */
  readonly messages: readonly Message[];
  /** The tools on offer; the same array on every turn, so that adapters convert it once. */
  readonly tools?: readonly ToolSpec[];
  /** Tools that the provider runs by itself, of those that the model has (`capabilities.builtinTools`). */
  readonly builtinTools?: readonly BuiltinTool[];
  /** The model searches among `tools` for those that it needs, by the provider's own means (`capabilities.toolSearch`). */
  readonly searchesTools?: boolean;
  /**
   * `none`: the model must answer in words now. The tools stay named, as some providers want to know those of earlier turns.
   * `required`: it must call one of them, where the provider can hold it to that; with a name, that one.
   */
  readonly toolChoice?: "none" | "required" | { readonly tool: string };
  /** Settings of this request, over those of the model (`capabilities.settings`). The same object on every turn. */
  readonly settings?: RequestSettings;
  /** The model stops before any of these texts. If a model does not accept stop words, the adapter cuts the answer itself. */
  readonly stop?: readonly string[];
  /** The answer must be JSON that matches this schema. The provider's structured output is used where it exists. */
  readonly responseSchema?: { readonly name: string; readonly schema: JsonObject };
};

/** What one call of a model takes besides the request. */
export type CallOptions = {
  readonly signal: AbortSignal;
  /** The same for every attempt of one call; sent on where the provider takes one. */
  readonly idempotencyKey?: string;
  /** The span of the call, for requests over HTTP; no part of what is asked or recorded. */
  readonly traceparent?: string | undefined;
  /** Called with each piece of a streamed answer, as it comes. */
  readonly onSign?: (() => void) | undefined;
  /** Where the call stands among those of its run; lists decide by it where they start. Absent outside of runs. */
  readonly turn?: () => CallTurn;
  /** Where models with a `cacheSeed` look up answers, unless their settings name a cache. */
  readonly cache?: ModelCache | undefined;
  /**
   * Puts what a model takes in the place of the run's files. Models that leave a call to others hand it on to them; it is called
   * before the call of any other (see `askPrepared`).
   */
  readonly prepare?:
    | ((request: ModelRequest, model: LanguageModel) => Promise<ModelRequest>)
    | undefined;
} & StreamListeners;

/** A call among those of its run. */
export type CallTurn = {
  readonly runId: string;
  /** How many calls of the same model the run began before this one. The same for every attempt and in every replay. */
  readonly before: number;
};

/** Callbacks that receive an answer while it is generated. If any of them is set, the adapter streams. */
export type StreamListeners = {
  /** Receives text. */
  readonly onDelta?: ((text: string) => void) | undefined;
  /** Receives what the model thinks before it answers, from providers that show it. */
  readonly onThinking?: ((text: string) => void) | undefined;
  /** Receives tool calls, piece by piece. */
  readonly onToolDelta?: ((delta: ToolCallDelta) => void) | undefined;
  /** What was received so far is void: the answer begins anew, as from the next model of a chain. */
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

/** `content_filter` and `other` are in old records alone: such answers fail now. `no_answer`: the model says that it has none (`offline/demo` alone); its text is for people, and nothing to remember. */
export type FinishReason =
  | "stop"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "no_answer"
  | "other";

/** What a model answers: text, tool calls, or both. */
export type ModelResponse = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** The limit of its length cut the answer. Absent from answers recorded before such were continued. */
  readonly end?: "cut";
  /** Settings of the request that the model refused, so that it answered without them. */
  readonly ignored?: ReadonlyArray<keyof RequestSettings>;
  /** Requests is 1; `costUsd` is computed from the price table, 0 for a model it does not hold. */
  readonly usage: Usage;
  readonly responseId?: string;
  readonly providerParts?: readonly JsonObject[];
  /** What the provider's own tools did (web searches, code runs), in its words; with `parseToolOutputs` only. */
  readonly builtinToolCalls?: readonly JsonObject[];
  /** What the provider's own tools have drawn. Whoever records the answer keeps them elsewhere. */
  readonly images?: readonly GeneratedImage[];
  /** The `id` of the model that answered, where a list or a cache stood between. */
  readonly model?: string;
  /** Which entry of a list answered, from 0. */
  readonly configIndex?: number;
  /** Whether the `filter` of a list accepted the answer; absent without a filter. */
  readonly passedFilter?: boolean;
  /**
   * The calls that the answer took, oldest first, where it was not one call: those whose answers a filter refused, and those that a
   * cache spared. `usage` is the sum of those that were made.
   */
  readonly spent?: readonly ModelSpend[];
};

/** What one call consumed, or would have, had it not been in the cache. */
export type ModelSpend = {
  readonly model: string;
  readonly usage: Usage;
  readonly cached?: true;
};

/**
 * A model that answers a conversation: the port that every provider's adapter implements.
 *
 * One `generate` is one attempt: retry belongs to the step that calls it. Failures are `EngineError`s whose
 * code says what happened and whose `retryable` says whether the same call can succeed later:
 * `model_unauthorized` (401, 403: no), `model_rate_limited` (429: yes, with `retryAfterMs` when the provider named it),
 * `model_unavailable` (nobody is there: connection, 502, 503, 529: yes), `model_rejected` (other 4xx: no),
 * `context_window_exceeded` (no), `model_failed` (other 5xx, broken or cut stream, unreadable answer: yes), `timeout` (yes). An abort
 * rejects with the signal's reason.
 */
export interface LanguageModel {
  /** `provider/model`: what events, journals and price tables name. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** Size of the model's context window, in tokens. The usable part is 85 % of it (see model-data.ts). */
  readonly contextWindow: number;
  /** Why each call fails as `model_unauthorized`; undefined for a model that has its key. */
  readonly missingKey?: string | undefined;
  /** How its provider takes files. @default images as OpenAI's chat completions take them, and nothing is uploaded */
  readonly files?: ModelFiles | undefined;
  /** What its answers depend on beside the request, such as `temperature`, as runs keep it. Without keys, addresses and headers. */
  readonly settings?: JsonObject | undefined;
  /** What its calls cost, where this is not what model-data.ts says. */
  readonly price?: Price | undefined;
  /** The models that it leaves its calls to, where it is a list of others. */
  readonly entries?: readonly LanguageModel[] | undefined;
  generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
}

export type ModelCapabilities = {
  /** Takes tools natively. Without it agents fall back to the text form. */
  readonly tools: boolean;
  /** Honours `responseSchema` by the provider's own means. */
  readonly responseSchema: boolean;
  /** Honours `stop`. Adapters cut the text themselves for models that do not. */
  readonly stop: boolean;
  /** The settings of a request that it takes. @default none */
  readonly settings?: ReadonlyArray<keyof RequestSettings>;
  /** Takes images. A call that holds some fails with `model_rejected` without it. @default false */
  readonly vision?: boolean;
  /** The tools that its provider runs for it. @default none */
  readonly builtinTools?: readonly BuiltinKind[];
  /** Searches among many tools by the provider's own means. @default false */
  readonly toolSearch?: boolean;
  /** Takes PDFs and other documents. @default what `vision` says, for those in messages; none of a run's own */
  readonly pdf?: boolean;
  /** Takes sound. @default false */
  readonly audio?: boolean;
  /** Takes video. @default false */
  readonly video?: boolean;
  /**
   * Decides: scores, picks among labels, learns from feedback, words a search, sorts memories. False for a model that only
   * rearranges its input, as `offline/demo` does; what would need a decision then says so, or is done without one. @default true
   */
  readonly judges?: boolean;
};
