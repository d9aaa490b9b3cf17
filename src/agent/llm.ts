// Direct call of a model, without an agent: `llm("openai/gpt-5-mini").call("…")`.
//
//   LM1. Inside a run (a tool, a flow's method, a callback) a call is a step of the run: journaled, metered, and
//        reported in events. Outside it is one attempt, and only the caller's signal aborts it.
//   LM2. The place of the call resolves model names: inside a run with the run's models, outside with the
//        environment's.
import type * as z from "zod";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, parsedJson } from "../base/json.ts";
import { loadPart } from "../base/load-part.ts";
import { environmentVariables, randomId, systemClock } from "../base/system.ts";
import { RunScope } from "../events/run-scope.ts";
import { channelOf, type StreamFrame } from "../events/stream-frame.ts";
import type {
  LanguageModel,
  Message,
  ModelRequest,
  ModelResponse,
  StreamListeners,
  ToolCall,
  ToolSpec,
} from "../llm/language-model.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelSettings } from "../llm/model-settings.ts";
import type { ModelReference, ModelSpec } from "../llm/resolve-model.ts";
import { chunkListeners } from "../model-calls/chunk-listeners.ts";
import { asObject } from "../model-calls/answer-shape.ts";
import { thoughtlessResponse, thoughtListeners } from "../model-calls/thoughts.ts";
import { callModel } from "../model-calls/model-call.ts";
import { outputShape } from "./loop/structured-output.ts";
import { Transcript } from "../model-calls/transcript.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";

/** A text becomes one user message. */
export type LlmMessages = string | readonly Message[];

/** Options of a direct model call besides its messages. */
export type LlmCallOptions = {
  /** Tools for the model: values of `tool()`, or plain descriptions. @default [] */
  readonly tools?: readonly (ToolSpec & { readonly safeName?: string })[];
  /** Functions by tool name: the result of the first call with a function is returned. Without one the calls are returned. @default {} */
  readonly availableFunctions?: Readonly<Record<string, (input: JsonObject) => unknown>>;
  /** The model stops before any of these texts. @default [] */
  readonly stop?: readonly string[];
  /**
   * Aborts the call. A call inside a run is aborted only before it starts; cancel the run to abort it later. @default
   * none
   */
  readonly signal?: AbortSignal;
};

/** A model with its settings: an agent's `llm`, or to be called directly. */
export interface Llm extends ModelReference {
  /** The answer as data of this shape. Throws `output_invalid` when it does not fit. */
  call<Shape extends z.ZodType>(
    messages: LlmMessages,
    options: LlmCallOptions & { readonly responseModel: Shape },
  ): Promise<z.output<Shape>>;
  call(
    messages: LlmMessages,
    options: LlmCallOptions & {
      readonly availableFunctions: NonNullable<LlmCallOptions["availableFunctions"]>;
    },
  ): Promise<unknown>;
  call(
    messages: LlmMessages,
    options: LlmCallOptions & { readonly tools: NonNullable<LlmCallOptions["tools"]> },
  ): Promise<string | readonly ToolCall[]>;
  call(messages: LlmMessages, options?: LlmCallOptions): Promise<string>;
  /** Streams the same call as frames; the last one is `llm_call_completed`, whose data has the response. */
  streamEvents(messages: LlmMessages, options?: LlmCallOptions): AsyncGenerator<StreamFrame>;
  /** The model itself, as the place of this call finds it. */
  model(): LanguageModel;
}

let environmentModels: ModelCatalog | undefined;

/**
 * Creates a model to call directly or to pass to agents. Without a name it is the default model. Outside of runs,
 * `models` replaces the environment's models.
 */
export function llm(
  model?: ModelSpec,
  settings: Omit<ModelSettings, "model"> = {},
  models?: ModelCatalog,
): Llm {
  const spec = withSettings(model, settings);
  const find = (): LanguageModel => {
    const scope = RunScope.current();
    if (scope) return scope.model(spec);
    const catalog =
      models ?? (environmentModels ??= modelCatalog({ variables: environmentVariables() }));
    return catalog(spec);
  };
  return {
    spec,
    model: find,
    call: (async (
      messages: LlmMessages,
      callOptions?: LlmCallOptions & { readonly responseModel?: z.ZodType },
    ) => {
      const options = callOptions ?? {};
      const found = find();
      const response = await generate(found, toRequest(found, messages, options), options);
      return resultOf(response, options);
    }) as Llm["call"],
    streamEvents: (messages, options = {}) => {
      const found = find();
      return frames(found, toRequest(found, messages, options), options);
    },
  };
}

function withSettings(
  model: ModelSpec | undefined,
  settings: Omit<ModelSettings, "model">,
): ModelSpec | undefined {
  if (Object.keys(settings).length === 0) return model;
  if (typeof model === "string") return { ...settings, model };
  throw new EngineError(
    "invalid_definition",
    `llm: settings can only be combined with a model's name, got ${preview(model)}`,
  );
}

function toRequest(
  model: LanguageModel,
  messages: LlmMessages,
  options: LlmCallOptions & { readonly responseModel?: z.ZodType },
): ModelRequest {
  const { tools, stop, responseModel } = options;
  const shape = responseModel && outputShape(responseModel);
  return {
    messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages,
    ...(stop === undefined ? {} : { stop }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toSpec) }),
    ...(shape && model.capabilities.responseSchema
      ? { responseSchema: { name: "answer", schema: asObject(shape.schema) } }
      : {}),
  };
}

function toSpec(tool: ToolSpec & { readonly safeName?: string }): ToolSpec {
  const { name, description, parameters, safeName = name } = tool;
  return { name: safeName, description, parameters };
}

async function generate(
  model: LanguageModel,
  request: ModelRequest,
  options: LlmCallOptions & { readonly listeners?: StreamListeners },
): Promise<ModelResponse> {
  const { listeners, signal = new AbortController().signal } = options;
  const scope = RunScope.current();
  if (scope === undefined) {
    const split = listeners && thoughtListeners(listeners);
    const ask = async (asked: ModelRequest): Promise<ModelResponse> =>
      thoughtlessResponse(await model.generate(asked, { signal, ...split }));
    const first = await ask(request);
    const response =
      first.end === "cut" ? await continued(first, { modelId: model.id, request, ask }) : first;
    split?.end();
    return response;
  }
  signal.throwIfAborted();
  return callModel(
    scope.atNext("llm-call"),
    { model, budget: {}, meter: new UsageMeter() },
    {
      request,
      inputHash: new Transcript(request.messages).hash,
      stream: listeners !== undefined,
      listeners,
    },
  );
}

/** Completes an answer that was cut. The first such answer loads the code for it. */
async function continued(
  first: ModelResponse,
  {
    modelId,
    request,
    ask,
  }: {
    readonly modelId: string;
    readonly request: ModelRequest;
    readonly ask: (asked: ModelRequest) => Promise<ModelResponse>;
  },
): Promise<ModelResponse> {
  const { wholeAnswer } = await loadPart(() => import("../model-calls/whole-answer.ts"));
  return wholeAnswer(first, { modelId, request, askOn: ask });
}

async function resultOf(
  { text, toolCalls }: ModelResponse,
  options: LlmCallOptions & { readonly responseModel?: z.ZodType },
): Promise<unknown> {
  const { availableFunctions, responseModel } = options;
  if (toolCalls.length > 0 && availableFunctions === undefined) return toolCalls;
  for (const call of toolCalls) {
    const run = availableFunctions?.[call.name];
    if (run) return run(argumentsOf(call));
  }
  return responseModel === undefined ? text : structured(text, responseModel);
}

function argumentsOf({ name, arguments: text }: ToolCall): JsonObject {
  const input = parsedJson(text);
  if (isJsonObject(input)) return input;
  throw new EngineError(
    "model_failed",
    `the model called ${name} with arguments that are no JSON object: ${preview(text)}`,
    { retryable: true },
  );
}

/** Reads the JSON object in the text; text around it is tolerated. */
function structured(text: string, schema: z.ZodType): unknown {
  const json =
    parsedJson(text) ?? parsedJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  if (json === undefined) {
    throw new EngineError("output_invalid", `the answer must be JSON, got ${preview(text)}`);
  }
  const read = outputShape(schema).read(json);
  if ("value" in read) return read.value;
  const what = read.issues.map(({ path, message }) => `${path || "/"}: ${message}`).join("; ");
  throw new EngineError("output_invalid", `the answer does not fit: ${what}`, {
    issues: read.issues,
  });
}

/** The frames of one call. Leaving the loop early cancels a call outside of runs. */
async function* frames(
  model: LanguageModel,
  request: ModelRequest,
  options: LlmCallOptions,
): AsyncGenerator<StreamFrame> {
  const callId = RunScope.current()?.uuid() ?? randomId();
  const clock = RunScope.current()?.clock ?? systemClock;
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  const waiting: StreamFrame[] = [];
  let wake: (() => void) | undefined;
  let seq = 0;
  const report = (type: string, data: JsonObject): void => {
    seq += 1;
    const channel = channelOf(type);
    waiting.push({
      id: `${callId}:${seq}`,
      seq,
      type,
      channel,
      namespace: [channel, callId],
      timestamp: isoTime(clock.now()),
      ...(seq === 1 ? {} : { parentId: `${callId}:1`, previousId: `${callId}:${seq - 1}` }),
      data: { callId, model: model.id, ...data },
    });
    wake?.();
  };
  report("llm_call_started", { messageCount: request.messages.length, stream: true });
  let isOver = false;
  const running = generate(model, request, {
    ...options,
    signal,
    listeners: chunkListeners(1, report),
  }).then(
    ({ text, toolCalls, usage, finishReason }) => {
      const calls = toolCalls.length > 0 ? { toolCalls: [...toolCalls] } : {};
      report("llm_call_completed", { response: text, usage, finishReason, ...calls });
      isOver = true;
    },
    (error: unknown) => {
      report("llm_call_failed", { error: errorMessage(error) });
      isOver = true;
      throw error;
    },
  );
  // The rejection is handled below, but possibly only after the listener has left.
  running.catch(() => undefined);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isOver) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    await running;
  } finally {
    left.abort(new EngineError("run_cancelled", "the stream of the call was closed"));
  }
}
