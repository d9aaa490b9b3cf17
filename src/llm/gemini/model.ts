// Gemini's models, by Google's own API.
import type { JsonObject } from "../../base/json.ts";
import { settingsFor } from "../answer-settings.ts";
import { callHeaders } from "../call-headers.ts";
import { isGateway } from "../connection.ts";
import { convertedOnce, FittedModel, type FittedModelOptions } from "../fitted-model.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import type { CallOptions, ModelRequest, ModelResponse } from "../language-model.ts";
import type { ModelFiles } from "../model-files.ts";
import type { ProviderClient } from "../provider-client.ts";
import type { FittedRequests } from "../known-refusals.ts";
import { stopListeners, stopResponse } from "../stop-words.ts";
import { hasListeners } from "../stream-listeners.ts";
import { fieldsOf, listOf } from "../wire.ts";
import { geminiClient } from "./client.ts";
import { appendMessage, startConversation } from "./conversation.ts";
import { toEngineError } from "./errors.ts";
import { geminiFiles } from "./files.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import { requestBase, toRequest, toTools } from "./to-request.ts";

export class GeminiModel extends FittedModel {
  readonly files: ModelFiles | undefined;
  readonly #base: JsonObject;
  readonly #client: ProviderClient;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #tools = convertedOnce(toTools);

  constructor(options: FittedModelOptions) {
    super(options, toEngineError);
    const { settings, connection } = options;
    this.files = isGateway(connection)
      ? undefined
      : geminiFiles({ ...options, preferUpload: settings.preferUpload });
    this.#base = requestBase(connection.model, settings);
    this.#client = geminiClient(options);
  }

  protected async call(
    request: ModelRequest,
    { signal, ...options }: CallOptions,
    { fit }: FittedRequests,
  ): Promise<ModelResponse> {
    const { price, settings, connection } = this.options;
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
    const { settings, connection } = this.options;
    return toRequest({
      base:
        request.settings === undefined
          ? this.#base
          : requestBase(connection.model, settingsFor(settings, request)),
      conversation: this.#messages.convert(request.messages),
      tools: this.capabilities.tools && request.tools ? this.#tools(request.tools) : [],
      stop,
      responseSchema: request.responseSchema ?? settings.responseSchema,
      toolChoice: request.toolChoice,
    });
  }
}

/** `gemini-3-flash` and `models/gemini-3-flash` are the same; tuned models have another path. */
function pathOf(model: string): string {
  const parts = model.includes("/") ? model.split("/") : ["models", model];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
