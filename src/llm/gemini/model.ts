// Gemini's models: by the endpoint that is compatible with OpenAI's, and by Google's own API where a conversation has what only that
// takes: PDFs, sound, video, uploaded files.
import type { JsonObject } from "../../base/json.ts";
import { EngineError } from "../../base/error.ts";
import { settingsFor } from "../answer-settings.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import type {
  CallOptions,
  LanguageModel,
  Message,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from "../language-model.ts";
import type { ModelFiles } from "../model-files.ts";
import { openaiClient } from "../openai/client.ts";
import type { ProviderClient } from "../provider-client.ts";
import { toEngineError } from "../openai/errors.ts";
import { OpenAIModel, type OpenAIModelOptions } from "../openai/model.ts";
import { hasListeners } from "../stream-listeners.ts";
import { callHeaders } from "../call-headers.ts";
import { withTimeLimit } from "../time-limit.ts";
import { geminiFiles } from "./files.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import { appendMessage, startConversation, toRequest } from "./to-request.ts";

export class GeminiModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly files: ModelFiles;
  readonly #options: OpenAIModelOptions;
  readonly #compatible: OpenAIModel;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #client: ProviderClient;

  /** `baseUrl` is that of the native API. */
  constructor(options: OpenAIModelOptions, baseUrl: string) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.files = geminiFiles({ ...options, preferUpload: options.settings.preferUpload }, baseUrl);
    this.#options = options;
    this.#compatible = new OpenAIModel(options);
    this.#client = clientOf(options, baseUrl);
  }

  get missingKey(): string | undefined {
    return this.#options.connection.missingKey;
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    if (!request.messages.some(needsNative)) return this.#compatible.generate(request, options);
    const { connection, settings, clock } = this.#options;
    options.signal.throwIfAborted();
    if (connection.missingKey !== undefined)
      throw new EngineError("model_unauthorized", `${this.id}: ${connection.missingKey}`);
    const { signal, ...rest } = options;
    const limit = { modelId: this.id, signal, timeoutMs: settings.timeoutMs, clock };
    return withTimeLimit(limit, async (bounded) => {
      try {
        return await this.#call(request, { ...rest, signal: bounded });
      } catch (error) {
        bounded.throwIfAborted();
        throw toEngineError(error, { modelId: this.id, nowMs: clock.now() });
      }
    });
  }

  async #call(request: ModelRequest, { signal, ...options }: CallOptions): Promise<ModelResponse> {
    const { price, settings, connection } = this.#options;
    const body = this.#body(request);
    const context = { modelId: this.id, price, turn: request.messages.length };
    const headers = callHeaders(options);
    const path = `/models/${encodeURIComponent(connection.model)}`;
    if (!hasListeners(options) && settings.stream !== true) {
      const answer = await this.#client.json(`${path}:generateContent`, { body, headers, signal });
      return fromResponse(answer, context);
    }
    const chunks = await this.#client.stream(`${path}:streamGenerateContent?alt=sse`, {
      body,
      headers,
      signal,
      onSign: options.onSign,
    });
    return fromStream(chunks, context, options);
  }

  #body(request: ModelRequest): JsonObject {
    const { settings, capabilities } = this.#options;
    return toRequest({
      conversation: this.#messages.convert(request.messages),
      settings: settingsFor(settings, request),
      tools: capabilities.tools ? (request.tools ?? []) : [],
      stop: [...settings.stop, ...(request.stop ?? [])],
      responseSchema: request.responseSchema ?? settings.responseSchema,
      toolChoice: request.toolChoice,
    });
  }
}

function clientOf(options: OpenAIModelOptions, baseUrl: string): ProviderClient {
  const { connection } = options;
  const { apiKey, headers } = connection;
  return openaiClient({
    ...options,
    connection: {
      ...connection,
      baseUrl,
      apiKey: undefined,
      headers: { ...headers, ...(apiKey === undefined ? {} : { "x-goog-api-key": apiKey }) },
    },
  });
}

/** Whether a message has what the compatible endpoint does not take. */
function needsNative({ content }: Message): boolean {
  return (
    typeof content !== "string" &&
    content.some((part) => part.type !== "text" && (part.type !== "image" || "fileId" in part))
  );
}
