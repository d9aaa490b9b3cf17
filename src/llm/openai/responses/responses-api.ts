import type { Tool } from "openai/resources/responses/responses";
import type { JsonObject } from "../../../base/json.ts";
import type { BuiltinTool } from "../../builtin-tools.ts";
import { settingsFor } from "../../answer-settings.ts";
import { ANSWER_BOUNDS } from "../../answer-bounds.ts";
import { IncrementalConversion } from "../../incremental-conversion.ts";
import { hasListeners } from "../../stream-listeners.ts";
import type { ModelRequest, ModelResponse, ToolSpec } from "../../language-model.ts";
import type { ProviderClient } from "../../provider-client.ts";
import { stopListeners, stopResponse } from "../../stop-words.ts";
import { fieldsOf, listOf } from "../../wire.ts";
import type { OpenAIModelOptions, Sending } from "../model-options.ts";
import { passedTools } from "./builtin-tools.ts";
import { fromResponse, fromStream } from "./from-response.ts";
import { appendMessage, requestBase, startConversation, toRequest, toTools } from "./to-request.ts";

const PATH = "/responses";

/** Responses API of OpenAI and of other endpoints with it. */
export class ResponsesApi {
  readonly #options: OpenAIModelOptions;
  readonly #base: JsonObject & { readonly model: string };
  readonly #conversations: IncrementalConversion<ReturnType<typeof startConversation>>;
  readonly #tools = new WeakMap<readonly ToolSpec[], Tool[]>();

  constructor(options: OpenAIModelOptions) {
    this.#options = options;
    this.#base = requestBase(options.connection.model, options.settings);
    this.#conversations = new IncrementalConversion(startConversation, (conversation, message) =>
      appendMessage(conversation, message, options),
    );
  }

  async call(
    client: ProviderClient,
    request: ModelRequest,
    { headers, signal, listeners, quirks, fit }: Sending,
  ): Promise<ModelResponse> {
    const { id, price, settings, capabilities, clock, connection } = this.#options;
    const base =
      request.settings === undefined
        ? this.#base
        : requestBase(connection.model, settingsFor(settings, request));
    const effort =
      quirks.has("no-effort-with-tools") && (request.tools?.length ?? 0) > 0
        ? { reasoning: { effort: "none" } }
        : undefined;
    const asked = toRequest({
      base: effort ? { ...base, ...effort } : base,
      conversation: this.#conversations.convert(request.messages),
      tools: withPassed(
        this.#convertTools(capabilities.tools ? (request.tools ?? NONE) : NONE),
        request.builtinTools ?? [],
      ),
      settings,
      responseSchema: capabilities.responseSchema
        ? (request.responseSchema ?? settings.responseSchema)
        : undefined,
      toolChoice: request.toolChoice,
      isSerial: request.settings?.parallelToolCalls === false,
      whole: quirks.has("chain-lost"),
    });
    const streams = hasListeners(listeners) || settings.stream === true;
    const body = fit({ ...asked, stream: streams });
    const maxBytes = draws(asked["tools"]) ? ANSWER_BOUNDS.drawnBytes : undefined;
    const context = {
      modelId: id,
      price,
      nowMs: clock.now(),
      chains: settings.autoChain === true,
      parsesToolOutputs: settings.parseToolOutputs === true,
    };
    // The API has no stop words.
    const stops = [...settings.stop, ...(request.stop ?? [])];
    if (!streams) {
      const answer = await client.json(PATH, { body, headers, signal, maxBytes });
      return stopResponse(fromResponse(answer, context), stops);
    }
    const { onSign } = listeners;
    const stream = await client.stream(PATH, { body, headers, signal, maxBytes, onSign });
    const cutting = stopListeners(listeners, stops);
    const response = await fromStream(stream, context, cutting.listeners);
    cutting.end();
    return stopResponse(response, stops);
  }

  #convertTools(tools: readonly ToolSpec[]): Tool[] {
    let converted = this.#tools.get(tools);
    if (converted === undefined) {
      converted = toTools(tools, this.#options.settings);
      this.#tools.set(tools, converted);
    }
    return converted;
  }
}

const NONE: readonly ToolSpec[] = [];

function draws(tools: unknown): boolean {
  return listOf(tools).some((tool) => fieldsOf(tool)["type"] === "image_generation");
}

/** Puts the provider's tools first; of two of one type, the one in the model's settings counts. */
function withPassed(tools: readonly Tool[], builtin: readonly BuiltinTool[]): readonly Tool[] {
  if (builtin.length === 0) return tools;
  const types = new Set<string>(tools.map(({ type }) => type));
  return [...passedTools(builtin).filter(({ type }) => !types.has(type)), ...tools];
}
