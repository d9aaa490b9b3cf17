import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { JsonObject } from "../../base/json.ts";
import { settingsFor } from "../answer-settings.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import { hasListeners } from "../stream-listeners.ts";
import type { ModelRequest, ModelResponse, ToolSpec } from "../language-model.ts";
import type { ProviderClient } from "../provider-client.ts";
import { stopListeners, stopResponse } from "../stop-words.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import type { OpenAIModelOptions, Sending } from "./model-options.ts";
import type { Quirk } from "./quirks.ts";
import {
  appendMessage,
  fitRoles,
  requestBase,
  startConversation,
  toResponseFormat,
  toToolChoice,
  toTools,
  type Conversation,
} from "./to-request.ts";

const PATH = "/chat/completions";
/** Maximum number of stop words in a request to OpenAI; the answer is cut locally at others. */
const MAX_STOPS = 4;

/** Chat completions of OpenAI and all servers with its dialect. */
export class ChatApi {
  readonly #options: OpenAIModelOptions;
  readonly #base: JsonObject & { readonly model: string };
  readonly #messages: IncrementalConversion<Conversation>;
  readonly #tools = new WeakMap<readonly ToolSpec[], ChatCompletionTool[]>();

  constructor(options: OpenAIModelOptions) {
    this.#options = options;
    this.#base = requestBase(options.connection.model, options.settings, options.dialect);
    this.#messages = new IncrementalConversion(
      () => startConversation(options),
      (conversation, message) => appendMessage(conversation, message, options),
    );
  }

  async call(
    client: ProviderClient,
    request: ModelRequest,
    { headers, signal, listeners, quirks, fit }: Sending,
  ): Promise<ModelResponse> {
    const { id, price, dialect, settings, capabilities } = this.#options;
    const stops = [...settings.stop, ...(request.stop ?? [])];
    const takes = dialect.isOpenAI ? MAX_STOPS : stops.length;
    const sentStops = capabilities.stop && !quirks.has("no-stop") ? stops.slice(0, takes) : [];
    const streams = hasListeners(listeners) || settings.stream === true || quirks.has("streams");
    const body = fit({
      ...this.#body(request, quirks),
      ...(sentStops.length > 0 ? { stop: sentStops } : {}),
      ...(streams ? { stream: true } : {}),
      ...(streams && dialect.sendsStreamOptions ? { stream_options: { include_usage: true } } : {}),
    });
    const cuts = sentStops.length < stops.length;
    const context = { modelId: id, price, turn: request.messages.length };
    if (!streams) {
      const answer = await client.json(PATH, { body, headers, signal });
      const response = fromResponse(answer, context);
      return cuts ? stopResponse(response, stops) : response;
    }
    const { onSign } = listeners;
    const stream = await client.stream(PATH, { body, headers, signal, onSign });
    if (!cuts) return fromStream(stream, context, listeners);
    const cutting = stopListeners(listeners, stops);
    const response = await fromStream(stream, context, cutting.listeners);
    cutting.end();
    return stopResponse(response, stops);
  }

  #body(request: ModelRequest, quirks: ReadonlySet<Quirk>): ChatCompletionCreateParamsNonStreaming {
    const { capabilities, dialect, settings } = this.#options;
    const responseSchema = request.responseSchema ?? settings.responseSchema;
    const { toolChoice } = request;
    const offered = toolChoice === "none" ? [] : (request.tools ?? []);
    const tools = capabilities.tools ? offered : [];
    const alternates = dialect.alternates || quirks.has("alternate");
    return {
      ...this.#baseOf(request),
      // A copy: the remembered list may grow while this request is on its way.
      messages: fitRoles(this.#messages.convert(request.messages).messages, {
        ...dialect,
        alternates,
      }),
      ...(tools.length > 0 ? { tools: this.#convertTools(tools) } : {}),
      ...(tools.length > 0 && toolChoice !== undefined && toolChoice !== "none"
        ? { tool_choice: toToolChoice(toolChoice) }
        : {}),
      ...(tools.length > 0 && request.settings?.parallelToolCalls === false
        ? { parallel_tool_calls: false }
        : {}),
      ...(tools.length > 0 && quirks.has("no-effort-with-tools")
        ? { reasoning_effort: "none" }
        : {}),
      ...(responseSchema && capabilities.responseSchema
        ? { response_format: toResponseFormat(responseSchema) }
        : {}),
      stream: false,
    };
  }

  #baseOf(request: ModelRequest): JsonObject & { readonly model: string } {
    if (request.settings === undefined) return this.#base;
    const { connection, settings, dialect } = this.#options;
    return requestBase(connection.model, settingsFor(settings, request), dialect);
  }

  #convertTools(tools: readonly ToolSpec[]): ChatCompletionTool[] {
    let converted = this.#tools.get(tools);
    if (converted === undefined) {
      converted = toTools(tools, this.#options.dialect);
      this.#tools.set(tools, converted);
    }
    return converted;
  }
}
