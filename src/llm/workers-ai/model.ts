import type { Clock } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { settingsFor } from "../answer-settings.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import { hasListeners } from "../stream-listeners.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
  ToolSpec,
} from "../language-model.ts";
import type { Price } from "../model-data.ts";
import type { NormalSettings } from "../model-settings.ts";
import { stopListeners, stopResponse } from "../stop-words.ts";
import { orAborted, withTimeLimit } from "../time-limit.ts";
import { TokenScale } from "../token-estimate.ts";
import type { AiBinding } from "./ai-binding.ts";
import { toEngineError } from "./errors.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import { answerLimit, toolTokens } from "./answer-limit.ts";
import {
  appendMessage,
  inputBase,
  startConversation,
  toolChoiceOf,
  toTools,
} from "./to-request.ts";

export type WorkersAiModelOptions = {
  readonly id: string;
  /** `@cf/…` */
  readonly model: string;
  readonly binding: AiBinding;
  /** Passed to the binding with every call: the gateway to go through. */
  readonly runOptions: JsonObject;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
};

type Offered = { readonly wire: JsonValue[]; readonly tokens: number };

/** Models of Workers AI, through the `AI` binding. */
export class WorkersAiModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly #options: WorkersAiModelOptions;
  readonly #base: JsonObject;
  readonly #messages = new IncrementalConversion(
    () => startConversation(this),
    (conversation, message) => appendMessage(conversation, message, this),
  );
  readonly #tools = new WeakMap<readonly ToolSpec[], Offered>();
  /** Ratio of this model's counts to estimates. */
  readonly #scale = new TokenScale();

  constructor(options: WorkersAiModelOptions) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.#options = options;
    this.#base = inputBase(options.settings);
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { settings, clock } = this.#options;
    options.signal.throwIfAborted();
    const { timeoutMs } = settings;
    const limit = { modelId: this.id, signal: options.signal, timeoutMs, clock };
    return withTimeLimit(limit, async (signal) => {
      try {
        // The binding may ignore the signal, so an abort does not wait for it.
        return await orAborted(signal, this.#call(request, { ...options, signal }));
      } catch (error) {
        signal.throwIfAborted();
        throw toEngineError(error, this.id, clock.now());
      }
    });
  }

  async #call(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { response, used } = await this.#ask(request, options);
    this.#scale.learn(used, response.usage.promptTokens);
    return response;
  }

  async #ask(
    request: ModelRequest,
    options: CallOptions,
  ): Promise<{ readonly response: ModelResponse; readonly used: number }> {
    const { signal } = options;
    const { model, binding, runOptions, settings: own, price } = this.#options;
    const settings = settingsFor(own, request);
    const responseSchema = this.capabilities.responseSchema
      ? (request.responseSchema ?? settings.responseSchema)
      : undefined;
    // JSON mode does not stream.
    const stream =
      responseSchema === undefined && (hasListeners(options) || settings.stream === true);
    const conversation = this.#messages.convert(request.messages);
    const offered = this.#offered(request);
    const used = conversation.tokens + (offered?.tokens ?? 0);
    const maxTokens = settings.maxTokens ?? answerLimit(this.#scale.of(used), this.contextWindow);
    const context = { modelId: this.id, price, turn: request.messages.length, maxTokens };
    const stops = [...settings.stop, ...(request.stop ?? [])];
    const input = {
      max_tokens: maxTokens,
      ...(request.settings === undefined ? this.#base : inputBase(settings)),
      messages: conversation.messages.slice(),
      ...(offered === undefined ? {} : { tools: offered.wire }),
      ...(offered === undefined ? {} : toolChoiceOf(request.toolChoice)),
      ...(this.capabilities.stop && stops.length > 0 ? { stop: stops } : {}),
      ...(responseSchema === undefined
        ? {}
        : { response_format: { type: "json_schema", json_schema: responseSchema.schema } }),
      ...(stream ? { stream } : {}),
    };
    const output = await binding.run(model, input, { ...runOptions, signal });
    const cutStops = this.capabilities.stop ? [] : stops;
    if (!(output instanceof ReadableStream)) {
      const whole = stopResponse(fromResponse(output, context), cutStops);
      // JSON mode delivers the whole answer at once, also to listeners.
      if (whole.text !== "") options.onDelta?.(whole.text);
      return { response: whole, used };
    }
    // An abort ends the stream here, and with it the one it comes from.
    const passing = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        options.onSign?.();
        controller.enqueue(piece);
      },
    });
    const bytes = output.pipeThrough(passing, { signal });
    const cutting = stopListeners(options, cutStops);
    const response = await fromStream(bytes, context, cutting.listeners);
    cutting.end();
    return { response: stopResponse(response, cutStops), used };
  }

  /** The tools of a request as the binding takes them, with their tokens. */
  #offered({ tools = [], toolChoice }: ModelRequest): Offered | undefined {
    if (!this.capabilities.tools || toolChoice === "none" || tools.length === 0) return undefined;
    let offered = this.#tools.get(tools);
    if (offered === undefined) {
      offered = { wire: toTools(tools), tokens: toolTokens(tools) };
      this.#tools.set(tools, offered);
    }
    return offered;
  }
}
