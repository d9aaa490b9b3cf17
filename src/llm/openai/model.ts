import type * as Sdk from "./sdk.ts";
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Connection } from "../connection.ts";
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
import type { NormalSettings } from "../model-settings.ts";
import { withTimeLimit } from "../time-limit.ts";
import { toEngineError } from "./errors.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import {
  appendMessage,
  requestBase,
  toResponseFormat,
  toTools,
  type Dialect,
} from "./to-request.ts";

export type OpenAIModelOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly dialect: Dialect;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
};

/** How long the SDK waits for the first byte when the settings say nothing, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 600_000;

/** Chat completions of OpenAI and everything that speaks its dialect. The SDK is loaded with the first call. */
export class OpenAIModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly #options: OpenAIModelOptions;
  readonly #base: JsonObject & { readonly model: string };
  readonly #messages = new IncrementalConversion<ChatCompletionMessageParam[]>(
    () => [],
    appendMessage,
  );
  readonly #tools = new WeakMap<readonly ToolSpec[], ChatCompletionTool[]>();
  #client: Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.OpenAI }> | undefined;

  constructor(options: OpenAIModelOptions) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.#options = options;
    this.#base = requestBase(options.connection.model, options.settings, options.dialect);
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
        return await this.#call(client, request, { ...options, signal });
      } catch (error) {
        signal.throwIfAborted();
        throw toEngineError(error, { sdk, modelId: this.id, nowMs: clock.now() });
      }
    });
  }

  async #call(
    client: Sdk.OpenAI,
    request: ModelRequest,
    { signal, idempotencyKey, onDelta }: CallOptions,
  ): Promise<ModelResponse> {
    const { price, dialect, settings } = this.#options;
    const body = this.#body(request);
    const context = { modelId: this.id, price, turn: request.messages.length };
    const sending = {
      signal,
      ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
    };
    if (onDelta === undefined && settings.stream !== true) {
      // Read here: the SDK would race the body against a timer of its own, and the step's limit covers it already.
      const answer = await client.chat.completions.create(body, sending).asResponse();
      return fromResponse(parsed(await answer.text()), context);
    }
    const streamed = {
      ...body,
      stream: true as const,
      ...(dialect.sendsStreamOptions ? { stream_options: { include_usage: true } } : {}),
    };
    const stream = await client.chat.completions.create(streamed, sending);
    const response = await fromStream(stream, context, onDelta);
    return response;
  }

  #body(request: ModelRequest): ChatCompletionCreateParamsNonStreaming {
    const { capabilities } = this;
    const { responseSchema } = request;
    const tools = request.toolChoice === "none" ? [] : (request.tools ?? []);
    const stop = capabilities.stop ? this.#stop(request) : undefined;
    return {
      ...this.#base,
      // A copy: the remembered list may grow while this request is on its way.
      messages: this.#messages.convert(request.messages).slice(),
      ...(stop ? { stop } : {}),
      ...(capabilities.tools && tools.length > 0 ? { tools: this.#convertTools(tools) } : {}),
      ...(responseSchema && capabilities.responseSchema
        ? { response_format: toResponseFormat(responseSchema) }
        : {}),
      stream: false,
    };
  }

  #stop({ stop = [] }: ModelRequest): string[] | undefined {
    const all = [...this.#options.settings.stop, ...stop];
    return all.length > 0 ? all : undefined;
  }

  #convertTools(tools: readonly ToolSpec[]): ChatCompletionTool[] {
    let converted = this.#tools.get(tools);
    if (converted === undefined) {
      converted = toTools(tools, this.#options.dialect);
      this.#tools.set(tools, converted);
    }
    return converted;
  }

  async #connect(): Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.OpenAI }> {
    const { connection, settings, fetch } = this.#options;
    const { apiKey } = connection;
    const sdk = await import("./sdk.ts");
    const client = new sdk.OpenAI({
      // The SDK wants a key even where none is sent, and reads the rest from the process unless it is told nothing.
      apiKey: apiKey ?? "none",
      organization: null,
      project: null,
      adminAPIKey: null,
      baseURL: connection.baseUrl,
      defaultHeaders: {
        ...connection.headers,
        ...(apiKey === undefined ? { Authorization: null } : {}),
      },
      defaultQuery: connection.query,
      // Retry belongs to the step that made the call: a hidden second attempt would double effects and waits.
      maxRetries: 0,
      timeout: Math.max(settings.timeoutMs ?? 0, FIRST_BYTE_TIMEOUT_MS),
      logLevel: "off",
      ...(fetch ? { fetch } : {}),
    });
    return { sdk, client };
  }
}

/** A body that is not JSON is given back as it is, for the error that quotes it. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
