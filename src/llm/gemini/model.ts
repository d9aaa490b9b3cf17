// Gemini's models, by Google's own API.
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { settingsFor } from "../answer-settings.ts";
import { callHeaders } from "../call-headers.ts";
import { isGateway, type Connection } from "../connection.ts";
import { fittedCall } from "../fitted-call.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
  ToolSpec,
} from "../language-model.ts";
import type { Price } from "../model-data.ts";
import type { ModelFiles } from "../model-files.ts";
import type { NormalSettings } from "../model-settings.ts";
import type { ProviderClient } from "../provider-client.ts";
import type { FittedRequests } from "../refused-parts.ts";
import { stopListeners, stopResponse } from "../stop-words.ts";
import { hasListeners } from "../stream-listeners.ts";
import { fieldsOf, listOf } from "../wire.ts";
import { geminiClient } from "./client.ts";
import { appendMessage, startConversation } from "./conversation.ts";
import { toEngineError } from "./errors.ts";
import { geminiFiles } from "./files.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import { requestBase, toRequest, toTools } from "./to-request.ts";

export type GeminiModelOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
};

export class GeminiModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly files: ModelFiles | undefined;
  readonly #options: GeminiModelOptions;
  readonly #base: JsonObject;
  readonly #client: ProviderClient;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #tools = new WeakMap<readonly ToolSpec[], JsonObject[]>();
  /** Names of request parts the model has refused. */
  readonly #refused = new Set<string>();

  constructor(options: GeminiModelOptions) {
    const { settings, connection } = options;
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.files = isGateway(connection)
      ? undefined
      : geminiFiles({ ...options, preferUpload: settings.preferUpload });
    this.#options = options;
    this.#base = requestBase(connection.model, settings);
    this.#client = geminiClient(options);
  }

  get missingKey(): string | undefined {
    return this.#options.connection.missingKey;
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { signal, ...rest } = options;
    return fittedCall(
      {
        model: this.#options,
        signal,
        asked: request.settings,
        refused: this.#refused,
        failureOf: toEngineError,
      },
      (bounded, fitted) => this.#call(request, { ...rest, signal: bounded }, fitted),
    );
  }

  async #call(
    request: ModelRequest,
    { signal, ...options }: CallOptions,
    { fit }: FittedRequests,
  ): Promise<ModelResponse> {
    const { price, settings, connection } = this.#options;
    const stops = [...settings.stop, ...(request.stop ?? [])];
    const body = fit(this.#body(request, stops));
    const context = { modelId: this.id, price, turn: request.messages.length };
    const sending = { body, signal, headers: callHeaders(options) };
    // Stop words beyond the request's are cut locally.
    const sent = listOf(fieldsOf(body["generationConfig"])["stopSequences"]);
    const cuts = stops.filter((stop) => !sent.includes(stop));
    const path = pathOf(connection.model);
    if (!hasListeners(options) && settings.stream !== true) {
      const answer = await this.#client.json(`${path}:generateContent`, sending);
      return stopResponse(fromResponse(answer, context), cuts);
    }
    const chunks = await this.#client.stream(`${path}:streamGenerateContent?alt=sse`, {
      ...sending,
      onSign: options.onSign,
    });
    const cutting = stopListeners(options, cuts);
    const response = await fromStream(chunks, context, cutting.listeners);
    cutting.end();
    return stopResponse(response, cuts);
  }

  #body(request: ModelRequest, stop: readonly string[]): JsonObject {
    const { settings, connection } = this.#options;
    return toRequest({
      base:
        request.settings === undefined
          ? this.#base
          : requestBase(connection.model, settingsFor(settings, request)),
      conversation: this.#messages.convert(request.messages),
      tools: this.#convertTools(request),
      stop,
      responseSchema: request.responseSchema ?? settings.responseSchema,
      toolChoice: request.toolChoice,
    });
  }

  #convertTools({ tools = [] }: ModelRequest): readonly JsonObject[] {
    if (!this.capabilities.tools) return [];
    let converted = this.#tools.get(tools);
    if (converted === undefined) this.#tools.set(tools, (converted = toTools(tools)));
    return converted;
  }
}

/** `gemini-3-flash` and `models/gemini-3-flash` are the same; tuned models have another path. */
function pathOf(model: string): string {
  const parts = model.includes("/") ? model.split("/") : ["models", model];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
