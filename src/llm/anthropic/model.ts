import { settingsFor } from "../answer-settings.ts";
import type { MessageParam, ToolUnion } from "@anthropic-ai/sdk/resources/messages";
import { IncrementalConversion } from "../incremental-conversion.ts";
import { FittedModel, type FittedModelOptions } from "../fitted-model.ts";
import type { FittedRequests } from "../known-refusals.ts";
import { hasListeners } from "../stream-listeners.ts";
import type { CallOptions, ModelRequest, ModelResponse, ToolSpec } from "../language-model.ts";
import { callHeaders } from "../call-headers.ts";
import type { ModelFiles } from "../model-files.ts";
import type { ProviderClient } from "../provider-client.ts";
import { anthropicClient } from "./client.ts";
import { toEngineError } from "./errors.ts";
import { MCP_BETA } from "./builtin-tools.ts";
import { anthropicFiles } from "./files.ts";
import { readStream } from "./from-response.ts";
import { wholeAnswer } from "./paused-answer.ts";
import {
  appendMessage,
  behindSearch,
  requestBase,
  startConversation,
  toRequest,
  toTools,
} from "./to-request.ts";

const PATH = "/v1/messages";

/** Anthropic's messages API. */
export class AnthropicModel extends FittedModel {
  readonly files: ModelFiles;
  readonly #base: ReturnType<typeof requestBase>;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #tools = new WeakMap<readonly ToolSpec[], ToolUnion[]>();
  readonly #searchedTools = new WeakMap<readonly ToolSpec[], ToolUnion[]>();
  readonly #client: ProviderClient;

  constructor(options: FittedModelOptions) {
    super(options, toEngineError);
    this.#client = anthropicClient(options);
    this.files = anthropicFiles({
      ...options,
      preferUpload: options.settings.preferUpload,
      client: this.#client,
    });
    this.#base = requestBase(options.connection.model, options.settings);
  }

  protected async call(
    request: ModelRequest,
    { signal, ...options }: CallOptions,
    { fit }: FittedRequests,
  ): Promise<ModelResponse> {
    const { price, settings } = this.options;
    const { body: asked, answersByTool } = toRequest({
      base:
        request.settings === undefined
          ? this.#base
          : requestBase(this.options.connection.model, settingsFor(settings, request)),
      conversation: this.#messages.convert(request.messages),
      tools: this.#convertTools(request),
      builtinTools: request.builtinTools ?? [],
      stop: [...settings.stop, ...(request.stop ?? [])],
      responseSchema: request.responseSchema ?? settings.responseSchema,
      ...(request.toolChoice === undefined ? undefined : { toolChoice: request.toolChoice }),
      isSerial: request.settings?.parallelToolCalls === false,
    });
    const body = fit(asked);
    const turn = request.messages.length;
    const context = { modelId: this.id, price, answersByTool, turn };
    const betas = [this.options.connection.headers["anthropic-beta"], MCP_BETA].filter(Boolean);
    const beta = "mcp_servers" in body ? { "anthropic-beta": betas.join(",") } : undefined;
    const streams = hasListeners(options) || settings.stream === true;
    const answer = async (messages: MessageParam[], part: number): Promise<unknown> => {
      const sent = { ...body, messages };
      // Anthropic takes no such key; proxies and test servers between us and it may.
      const headers = { ...beta, ...callHeaders(options, part) };
      if (!streams) return this.#client.json(PATH, { body: sent, signal, headers });
      const streamed = { ...sent, stream: true };
      const events = await this.#client.stream(PATH, {
        body: streamed,
        signal,
        headers,
        onSign: options.onSign,
      });
      return readStream(events, context, options);
    };
    return wholeAnswer(body.messages, answer, context);
  }

  #convertTools({ tools = [], searchesTools = false }: ModelRequest): readonly ToolUnion[] {
    if (!this.capabilities.tools) return [];
    const known = searchesTools ? this.#searchedTools : this.#tools;
    let converted = known.get(tools);
    if (converted === undefined) {
      const { toolSearch = searchesTools } = this.options.settings;
      known.set(tools, (converted = behindSearch(toTools(tools), toolSearch)));
    }
    return converted;
  }
}
