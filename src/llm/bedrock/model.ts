import { settingsFor } from "../answer-settings.ts";
import type { JsonObject } from "../../base/json.ts";
import { BEDROCK_ENDS } from "../answer-end.ts";
import { fromResponse, readStream } from "../anthropic/from-response.ts";
import { callHeaders } from "../call-headers.ts";
import { convertedOnce, FittedModel, type FittedModelOptions } from "../fitted-model.ts";
import { IncrementalConversion } from "../incremental-conversion.ts";
import type { CallOptions, ModelRequest, ModelResponse } from "../language-model.ts";
import type { ProviderClient } from "../provider-client.ts";
import { behaves } from "../providers/native-rows.ts";
import type { FittedRequests } from "../known-refusals.ts";
import { isAnswerTool } from "../request-cuts.ts";
import { stopListeners, stopResponse } from "../stop-words.ts";
import { hasListeners } from "../stream-listeners.ts";
import type { Variables } from "../variables.ts";
import { fieldsOf, listOf } from "../wire.ts";
import { bedrockClient } from "./client.ts";
import { toEngineError } from "./errors.ts";
import { toEvents, toMessage } from "./from-response.ts";
import { appendMessage, requestBase, startConversation, toRequest, toTools } from "./to-request.ts";

export type BedrockModelOptions = FittedModelOptions & {
  /** Hold the access key of AWS where requests are signed. */
  readonly variables: Variables;
};

/** Models of Amazon Bedrock, by its Converse API. */
export class BedrockModel extends FittedModel {
  readonly #base: JsonObject;
  readonly #client: ProviderClient;
  readonly #messages = new IncrementalConversion(startConversation, (conversation, message) =>
    appendMessage(conversation, message, this),
  );
  readonly #tools = convertedOnce(toTools);

  constructor(options: BedrockModelOptions) {
    super(options, toEngineError);
    this.#base = requestBase(options.settings);
    this.#client = bedrockClient(options);
  }

  protected async call(
    request: ModelRequest,
    { signal, ...options }: CallOptions,
    fitted: FittedRequests,
  ): Promise<ModelResponse> {
    const { price, settings, connection } = this.options;
    const stops = [...settings.stop, ...(request.stop ?? [])];
    // `stream` is no field of a request, but may be refused like one.
    const { stream, ...body } = fitted.fit<JsonObject>({
      ...this.#body(request, stops, fitted),
      ...(hasListeners(options) || settings.stream === true ? { stream: true } : {}),
    });
    const context = {
      modelId: this.id,
      price,
      answersByTool: listOf(fieldsOf(body["toolConfig"])["tools"]).some(isAnswerTool),
      turn: request.messages.length,
      ends: BEDROCK_ENDS,
    };
    const sending = { body, signal, headers: callHeaders(options) };
    const path = `/model/${encodeURIComponent(connection.model)}`;
    const cuts = "stopSequences" in fieldsOf(body["inferenceConfig"]) ? [] : stops;
    const cutting = stopListeners(options, cuts);
    const answer = async (): Promise<unknown> => this.#client.json(`${path}/converse`, sending);
    const message =
      stream !== true && !hasListeners(options)
        ? toMessage(await answer())
        : await readStream(
            toEvents(
              stream === true
                ? await this.#client.stream(`${path}/converse-stream`, {
                    ...sending,
                    onSign: options.onSign,
                  })
                : [await answer()],
            ),
            context,
            cutting.listeners,
          );
    cutting.end();
    return stopResponse(fromResponse(message, context), cuts);
  }

  #body(request: ModelRequest, stop: readonly string[], fitted: FittedRequests): JsonObject {
    const { settings } = this.options;
    return toRequest({
      base:
        request.settings === undefined ? this.#base : requestBase(settingsFor(settings, request)),
      conversation: this.#messages.convert(request.messages),
      tools: this.capabilities.tools && request.tools ? this.#tools(request.tools) : [],
      stop,
      responseSchema: request.responseSchema ?? settings.responseSchema,
      toolChoice: request.toolChoice,
      answersByTool: fitted.has("schema") || !behaves(this.id, "converse_schema"),
    });
  }
}
