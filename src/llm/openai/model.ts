import { EngineError } from "../../base/error.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from "../language-model.ts";
import { callHeaders } from "../call-headers.ts";
import { withTimeLimit } from "../time-limit.ts";
import { ChatApi } from "./chat-api.ts";
import type { ProviderClient } from "../provider-client.ts";
import { openaiClient } from "./client.ts";
import type { ModelFiles } from "../model-files.ts";
import { toEngineError } from "./errors.ts";
import { openaiFiles } from "./files.ts";
import { FittedRequests } from "../known-refusals.ts";
import type { OpenAIModelOptions, Sending } from "./model-options.ts";
import { namesResponses, quirkOf, type Quirk } from "./quirks.ts";
import { ResponsesApi } from "./responses/responses-api.ts";

/** Models of OpenAI and of all servers with its dialect. */
export class OpenAIModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly files: ModelFiles | undefined;
  readonly #options: OpenAIModelOptions;
  /** Quirks of this model's endpoint found so far. */
  readonly #quirks = new Set<Quirk>();
  /** Names of request parts this model has refused. */
  readonly #refused = new Set<string>();
  #chat: ChatApi | undefined;
  #responses: ResponsesApi | undefined;
  readonly #client: ProviderClient;

  constructor(options: OpenAIModelOptions) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.#options = options;
    this.#client = openaiClient(options);
    if (options.settings.api === "responses") this.#quirks.add("responses");
    this.files =
      options.provider === "openai"
        ? openaiFiles({
            ...options,
            preferUpload: options.settings.preferUpload,
            client: this.#client,
            speaksResponses: () => this.#quirks.has("responses"),
          })
        : undefined;
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
    const { timeoutMs } = settings;
    const limit = { modelId: this.id, signal: options.signal, timeoutMs, clock };
    return withTimeLimit(limit, async (signal) => {
      const listeners = options;
      const headers = callHeaders(options);
      const quirks = new Set(this.#quirks);
      const fitted = new FittedRequests(this.#refused);
      const { fit } = fitted;
      for (;;) {
        try {
          const answer = await this.#call(request, { signal, headers, listeners, quirks, fit });
          return fitted.answered(answer, request.settings);
        } catch (error) {
          signal.throwIfAborted();
          const about = { modelId: this.id, nowMs: clock.now() };
          const failure = toEngineError(error, about);
          const quirk = this.#lesson(failure);
          if (quirk === undefined || quirks.has(quirk)) {
            if (!fitted.learns(failure)) throw failure;
            continue;
          }
          quirks.add(quirk);
          if (quirk !== "chain-lost") this.#quirks.add(quirk);
        }
      }
    });
  }

  #call(request: ModelRequest, sending: Sending): Promise<ModelResponse> {
    const api = sending.quirks.has("responses")
      ? (this.#responses ??= new ResponsesApi(this.#options))
      : (this.#chat ??= new ChatApi(this.#options));
    return api.call(this.#client, request, sending);
  }

  /** With the Responses API, OpenAI's models can reason and call tools together, so the effort does not have to be reduced. */
  #lesson(failure: EngineError): Quirk | undefined {
    const { dialect, settings } = this.#options;
    const quirk = quirkOf(failure);
    if (quirk === "responses" && settings.api === "chat") return undefined;
    return quirk === "no-effort-with-tools" &&
      dialect.isOpenAI &&
      settings.api === undefined &&
      namesResponses(failure)
      ? "responses"
      : quirk;
  }
}
