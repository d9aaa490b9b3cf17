import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { systemClock } from "../../base/system.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import { REQUEST_SETTINGS } from "../answer-settings.ts";
import { textOfContent } from "../content.ts";
import type { Price } from "../model-data.ts";
import type { ModelFiles } from "../model-files.ts";
import type {
  CallOptions,
  FinishReason,
  LanguageModel,
  Message,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from "../language-model.ts";

/** Next answer of the model. A string is an answer with this text. */
export type ScriptedReply =
  | string
  | {
      readonly text?: string;
      /** Thinking before the answer, for listeners. */
      readonly thinking?: string;
      readonly toolCalls?: readonly ScriptedToolCall[];
      readonly finishReason?: FinishReason;
      /** Replaces parts of the counted usage. */
      readonly usage?: Partial<Usage>;
      /** The call fails with this. */
      readonly error?: EngineError;
      /** Duration of the call, by the model's clock, in milliseconds. */
      readonly delayMs?: number;
    };

export type ScriptedToolCall = {
  readonly name: string;
  /** Object, or the model's text, which may be unparseable. */
  readonly arguments: JsonObject | string;
  /** @default made from the turn and the call's place in it */
  readonly id?: string;
};

/**
 * Replies in the order of the calls, or a function that chooses. A function that reads only the request answers a
 * replayed or restarted conversation the same way; a list starts over with each new model.
 */
export type Script =
  | readonly ScriptedReply[]
  | ((request: ScriptedRequest, callIndex: number) => ScriptedReply | Promise<ScriptedReply>);

/** Request with all content as text: of messages with images, only their text. */
export type ScriptedRequest = Omit<ModelRequest, "messages"> & {
  readonly messages: readonly ScriptedMessage[];
};

/** Message with text as content. */
export type ScriptedMessage = WithText<Message>;

type WithText<Any extends Message> = Any extends Message
  ? Omit<Any, "content"> & { readonly content: string }
  : never;

/** Declared properties of a scripted model. */
export type ScriptedModelOptions = {
  /** @default "scripted/model" */
  readonly id?: string;
  /** @default all of them */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** @default 200_000 */
  readonly contextWindow?: number;
  /** Clock for `delayMs`. @default the system's */
  readonly clock?: Clock;
  /** File support. @default as the provider in its id does; without uploads */
  readonly files?: ModelFiles;
  /** Declared settings. */
  readonly settings?: JsonObject;
  /** Declared price of its calls; `usage` of a reply has the actual cost. */
  readonly price?: Price;
};

/** One call as the model saw it. `messages` are copies from this moment. */
export type ScriptedCall = {
  readonly request: ScriptedRequest;
  /** The messages of the request, including images. */
  readonly messages: readonly Message[];
  readonly idempotencyKey: string | undefined;
};

/** Model that answers from a script and records its requests. */
export interface ScriptedModel extends LanguageModel {
  /** Every call made so far, failed ones included. */
  readonly calls: readonly ScriptedCall[];
}

const CHARACTERS_PER_TOKEN = 4;

const OPTIONS = definitionOptions<ScriptedModelOptions>("scriptedModel()", {
  id: true,
  capabilities: true,
  contextWindow: true,
  clock: true,
  files: true,
  settings: true,
  price: true,
});

/** Creates a model with prepared answers, for tests. It counts one token per four characters. */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  refuseUnknownOptions(options, OPTIONS);
  const { id = "scripted/model", contextWindow = 200_000, clock = systemClock } = options;
  const calls: ScriptedCall[] = [];

  async function generate(
    request: ModelRequest,
    { signal, idempotencyKey, onDelta, onThinking, onToolDelta }: CallOptions,
  ): Promise<ModelResponse> {
    signal.throwIfAborted();
    const messages = [...request.messages];
    const snapshot = { ...request, messages: messages.map(withText) };
    const callIndex = calls.push({ request: snapshot, messages, idempotencyKey }) - 1;
    const reply = await nextReply(script, snapshot, callIndex);
    const scripted = typeof reply === "string" ? { text: reply } : reply;
    if (scripted.delayMs !== undefined) await sleep(clock, scripted.delayMs, signal);
    signal.throwIfAborted();
    if (scripted.error) throw scripted.error;
    const response = toResponse(scripted, snapshot);
    if (scripted.thinking !== undefined) onThinking?.(scripted.thinking);
    for (const [index, call] of response.toolCalls.entries()) onToolDelta?.({ index, ...call });
    if (onDelta)
      for (const piece of response.text.match(/\S*\s*/g) ?? []) if (piece) onDelta(piece);
    return response;
  }

  return {
    id,
    contextWindow,
    capabilities: {
      tools: true,
      responseSchema: true,
      stop: true,
      vision: true,
      settings: REQUEST_SETTINGS,
      ...options.capabilities,
    },
    calls,
    ...(options.files === undefined ? undefined : { files: options.files }),
    settings: options.settings,
    price: options.price,
    generate,
  };
}

function withText(message: Message): Message & { readonly content: string } {
  return message.role === "user" && typeof message.content !== "string"
    ? { ...message, content: textOfContent(message.content) }
    : (message as Message & { readonly content: string });
}

async function nextReply(
  script: Script,
  request: ScriptedRequest,
  callIndex: number,
): Promise<ScriptedReply> {
  if (typeof script === "function") return script(request, callIndex);
  const reply = script[callIndex];
  if (reply !== undefined) return reply;
  const last = request.messages.at(-1)?.content ?? "";
  throw new EngineError(
    "model_rejected",
    `the script has ${script.length} replies, but call ${callIndex + 1} was made; its last message: ${last}`,
  );
}

function toResponse(
  reply: Exclude<ScriptedReply, string>,
  request: ScriptedRequest,
): ModelResponse {
  const { text = "" } = reply;
  // Named by the turn, not by the call: a resumed conversation gets the same ids.
  const turn = request.messages.filter(({ role }) => role === "assistant").length;
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${turn}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
  const promptTokens = tokensOf(request.messages.map(({ content }) => content));
  const completionTokens = tokensOf([text, ...toolCalls.map((call) => call.arguments)]);
  return {
    text,
    toolCalls,
    finishReason: reply.finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    ...(reply.finishReason === "length" ? { end: "cut" as const } : undefined),
    usage: {
      ...NO_USAGE,
      promptTokens,
      completionTokens,
      totalTokens: promptTokens + completionTokens,
      requests: 1,
      ...reply.usage,
    },
    responseId: `scripted_${turn}`,
    ...(reply.thinking === undefined ? undefined : { thinking: reply.thinking }),
  };
}

function tokensOf(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
