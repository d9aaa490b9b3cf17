import type * as Sdk from "./sdk.ts";
import type {
  Message,
  RawMessageStreamEvent,
  ToolUnion,
} from "@anthropic-ai/sdk/resources/messages";
import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { Connection } from "../connection.ts";
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
import { withTimeLimit } from "../time-limit.ts";
import type { ModelFiles } from "../model-files.ts";
import { toEngineError } from "./errors.ts";
import { anthropicFiles } from "./files.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import {
  appendMessage,
  behindSearch,
  requestBase,
  startConversation,
  toRequest,
  toTools,
} from "./to-request.ts";

export type AnthropicModelOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
};

/** How long the SDK waits for the first byte when the settings say nothing, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 600_000;

/** Anthropic's messages API. The SDK is loaded with the first call. */
export class AnthropicModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly files: ModelFiles;
  readonly #options: AnthropicModelOptions;
  readonly #base: ReturnType<typeof requestBase>;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #tools = new WeakMap<readonly ToolSpec[], ToolUnion[]>();
  #client: Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.Anthropic }> | undefined;

  constructor(options: AnthropicModelOptions) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.#options = options;
    this.files = anthropicFiles({
      ...options,
      preferUpload: options.settings.preferUpload,
      connect: () => (this.#client ??= this.#connect()),
    });
    this.#base = requestBase(options.connection.model, options.settings);
  }

  get missingKey(): string | undefined {
    return this.#options.connection.missingKey;
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { connection, settings, clock } = this.#options;
    options.signal.throwIfAborted();
    if (connection.missingKey !== undefined) {
      throw new EngineError("model_unauthorized", `${this.id}: ${connection.missingKey}`);
    }
    const { sdk, client } = await (this.#client ??= this.#connect());
    const limit = {
      modelId: this.id,
      signal: options.signal,
      timeoutMs: settings.timeoutMs,
      clock,
    };
    return withTimeLimit(limit, async (signal) => {
      try {
        const response = await this.#call(client, request, { ...options, signal });
        return response;
      } catch (error) {
        signal.throwIfAborted();
        throw toEngineError(error, { sdk, modelId: this.id, nowMs: clock.now() });
      }
    });
  }

  async #call(
    client: Sdk.Anthropic,
    request: ModelRequest,
    { signal, idempotencyKey, ...listeners }: CallOptions,
  ): Promise<ModelResponse> {
    const { price, settings } = this.#options;
    const { body, answersByTool } = toRequest({
      base: this.#base,
      conversation: this.#messages.convert(request.messages),
      tools: this.#convertTools(request.tools ?? []),
      stop: [...settings.stop, ...(request.stop ?? [])],
      responseSchema: request.responseSchema ?? settings.responseSchema,
      ...(request.toolChoice === undefined ? undefined : { toolChoice: request.toolChoice }),
    });
    const turn = request.messages.length;
    const context = { modelId: this.id, price, answersByTool, turn };
    // Anthropic takes no such key; proxies and test servers between us and it may.
    const headers = idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
    if (!hasListeners(listeners) && settings.stream !== true) {
      const message = await client.post<Message>("/v1/messages", {
        body,
        signal,
        headers,
      });
      return fromResponse(message, context);
    }
    const sent = { body: { ...body, stream: true }, stream: true, signal, headers };
    const stream = await client.post<AsyncIterable<RawMessageStreamEvent>>("/v1/messages", sent);
    return fromStream(stream, context, listeners);
  }

  #convertTools(tools: readonly ToolSpec[]): readonly ToolUnion[] {
    if (!this.capabilities.tools) return [];
    let converted = this.#tools.get(tools);
    if (converted === undefined) {
      converted = behindSearch(toTools(tools), this.#options.settings.toolSearch);
      this.#tools.set(tools, converted);
    }
    return converted;
  }

  async #connect(): Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.Anthropic }> {
    const { connection, settings, fetch } = this.#options;
    const { apiKey } = connection;
    const sdk = await import("./sdk.ts");
    const client = new sdk.Anthropic({
      // A key, even one that is not sent, keeps the SDK from looking for credentials of its own.
      apiKey: apiKey ?? "none",
      // The SDK appends /v1 itself.
      baseURL: connection.baseUrl.replace(/\/v1$/, ""),
      defaultHeaders: {
        ...connection.headers,
        ...(apiKey === undefined ? { "x-api-key": null, Authorization: null } : {}),
      },
      // Retry belongs to the step that made the call: a hidden second attempt would double effects and waits.
      maxRetries: 0,
      timeout: Math.max(settings.timeoutMs ?? 0, FIRST_BYTE_TIMEOUT_MS),
      logLevel: "off",
      ...(fetch ? { fetch } : {}),
    });
    return { sdk, client };
  }
}
