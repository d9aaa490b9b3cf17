// Resolution of a definition's model into a callable one.
//
//   M1. Models registered in the environment are found first, by their whole name.
//   M2. `provider/model`: the provider by id or alias, in any case. An unlisted one needs a base URL: from settings,
//       from `<NAME>_BASE_URL`, or an AI Gateway.
//   M3. A bare name: Anthropic, Gemini, Bedrock and Workers AI by its form, else OpenAI.
//   M4. No name: MODEL, MODEL_NAME, OPENAI_MODEL_NAME; then by the present key; then `offline/demo`.
//   M5. Impossible settings are refused here, as `invalid_definition`. A missing key is not: the call fails with
//       `model_unauthorized`, so a fallback chain continues with the next model.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import { PLAIN_SETTINGS, REQUEST_SETTINGS } from "./answer-settings.ts";
import { ANTHROPIC_TOOLS, searchesTools } from "./anthropic/capabilities.ts";
import { callSettings } from "./call-settings.ts";
import { connect, firstOf, isGateway, type Connection } from "./connection.ts";
import { holdConnection, isFromData, type DefinitionRules } from "./definition-rules.ts";
import { fallbackModel } from "./fallback-model.ts";
import type { LanguageModel, ModelCapabilities } from "./language-model.ts";
import { interceptedFetch, type ModelInterceptor } from "./interceptor.ts";
import { locateProvider, spokenTo } from "./locate-provider.ts";
import type { ModelCache } from "./model-cache.ts";
import {
  contextWindowOf,
  priceOf,
  readsPdfs,
  seesImages,
  takesAudio,
  takesVideo,
  type PriceTable,
} from "./model-data.ts";
import {
  filledEntries,
  isListSettings,
  isOwnModel,
  modelListFrom,
  type ModelListSettings,
} from "./model-list.ts";
import { priceFor } from "./model-price.ts";
import {
  CHAT_ONLY,
  readModelSettings,
  RESPONSES_ONLY,
  type ModelSettings,
  type NormalSettings,
} from "./model-settings.ts";
import { LateModel, type LateModelOptions } from "./late-model.ts";
import { DEMO, type DemoOptions } from "./offline/capabilities.ts";
import { OPENAI_TOOLS, takesResponseSchema, takesStop, takesTools } from "./openai/capabilities.ts";
import { builtinTool } from "./openai/responses/named-tool.ts";
import { OPENAI, type Provider } from "./providers.ts";
import { settledModel } from "./settled-model.ts";
import type { Variables } from "./variables.ts";
import type { AiBinding } from "./workers-ai/ai-binding.ts";
import { takesResponseSchema as workersAiTakesSchema } from "./workers-ai/capabilities.ts";

/**
 * A model's name, a model, a model with settings, a chain in which the next one replaces a failed one, or a list with
 * its own rules.
 */
export type ModelSpec =
  | string
  | LanguageModel
  | ModelSettings
  | ModelListSettings
  | ModelReference
  | readonly ModelSpec[];

/** Representative of a model, such as the value of `llm()`; without a spec, for the default model. */
export type ModelReference = { readonly spec: ModelSpec | undefined };

/** Environment of models. */
export type ModelEnvironment = {
  /** Keys, base URLs and defaults: the Worker's `env`, or `process.env`. */
  readonly variables: Variables;
  /** The `AI` binding. */
  readonly ai?: AiBinding;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** Custom models, by the name used in definitions. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /** Prices that take precedence over those of model-data.ts. */
  readonly prices?: PriceTable;
  /**
   * Sees the HTTP requests of all models, before the interceptors in a model's own settings. The `AI` binding makes no
   * such requests.
   */
  readonly interceptor?: ModelInterceptor;
  /** @default the system's */
  readonly clock?: Clock;
  /** Restrictions for specs from data. @default unrestricted */
  readonly definitions?: DefinitionRules;
  /** Cache for models with a `cacheSeed`, unless their settings or their calls name one. @default none */
  readonly cache?: ModelCache | undefined;
};

/** Finds or makes the model. A model keeps a client and converted messages: make it once and use it for many calls. */
export function resolveModel(
  spec: ModelSpec | undefined,
  environment: ModelEnvironment,
): LanguageModel {
  if (spec === undefined) return resolveModel(defaultModel(environment.variables), environment);
  if (typeof spec === "string") return resolveNamed({ model: spec }, environment);
  if (isChain(spec))
    return fallbackModel(
      spec.map((item) => resolveModel(item, environment)),
      { fallbackOnClientError: true },
    );
  if (typeof spec === "object" && spec !== null) {
    if (isReference(spec)) return resolveModel(spec.spec, environment);
    if (isListSettings(spec)) return resolveList(modelListFrom(spec).spec, environment);
    return isLanguageModel(spec) ? spec : resolveNamed(spec, environment);
  }
  throw new EngineError(
    "invalid_definition",
    `model must be a name, a model, settings or a list of these, got ${preview(spec)}`,
  );
}

function resolveList(settings: ModelListSettings, environment: ModelEnvironment): LanguageModel {
  const models = filledEntries(settings).map(({ entry, shared }) => {
    const model = resolveModel(entry as ModelSpec, environment);
    return typeof entry === "object" && isOwnModel(entry)
      ? settledModel(model, shared, { cache: environment.cache })
      : model;
  });
  return fallbackModel(models, settings);
}

/** Returns the default model's name. */
export function defaultModel(variables: Variables): string {
  const named = firstOf(["MODEL", "MODEL_NAME", "OPENAI_MODEL_NAME"], variables);
  if (named !== undefined) return named;
  if (firstOf(["OPENAI_API_KEY"], variables)) return "openai/gpt-4.1-mini";
  if (firstOf(["ANTHROPIC_API_KEY"], variables)) return "anthropic/claude-haiku-4-5";
  return DEMO.id;
}

function resolveNamed(input: ModelSettings, environment: ModelEnvironment): LanguageModel {
  const settings = readModelSettings(input);
  const { cache } = environment;
  const own = registeredModel(settings, environment);
  if (own !== undefined) return settledModel(own, settings, { cache });
  const model = modelNamed(input, settings, environment);
  const price = priceFor(model.id, settings.price, environment.prices);
  return settledModel(model, settings, { cache, isUnpriced: price === undefined });
}

/** A registered model (M1). */
function registeredModel(
  { model }: NormalSettings,
  { models = {} }: ModelEnvironment,
): LanguageModel | undefined {
  return Object.hasOwn(models, model) ? models[model] : undefined;
}

function modelNamed(
  input: ModelSettings,
  settings: NormalSettings,
  environment: ModelEnvironment,
): LanguageModel {
  if (settings.model === DEMO.id) {
    const options = demoOptions(environment);
    return new LateModel({
      ...DEMO,
      load: async () => (await import("./offline/demo-model.ts")).createDemoModel(options),
    });
  }
  const { provider: located, model } = locateProvider(settings, environment.variables);
  const provider = spokenTo(located, settings, environment.variables);
  const rules = isFromData(input) ? environment.definitions : undefined;
  return create(provider, { ...settings, model }, { ...environment, rules });
}

/** `DEMO_DELAY_MS`: how long the demo model takes for each answer. */
function demoOptions({ variables, clock = systemClock }: ModelEnvironment): DemoOptions {
  const { DEMO_DELAY_MS: delay = "0" } = variables;
  if (/^\d{1,5}$/.test(delay)) return { delayMs: Number(delay), clock };
  throw new EngineError(
    "invalid_definition",
    `DEMO_DELAY_MS must be milliseconds, an integer from 0 to 99999, got ${preview(delay)}`,
  );
}

function create(
  provider: Provider,
  settings: NormalSettings,
  environment: ModelEnvironment & { readonly rules: DefinitionRules | undefined },
): LanguageModel {
  const id = `${provider.id}/${settings.model}`;
  const price = priceFor(id, settings.price, environment.prices);
  const common = {
    id,
    settings,
    shown: callSettings(settings),
    contextWindow: settings.contextWindowSize ?? contextWindowOf(id),
    price,
    ownPrice: price === priceOf(id) ? undefined : price,
    clock: environment.clock ?? systemClock,
  };
  if (provider.api === "workers-ai" && environment.ai && settings.baseUrl === undefined) {
    refuseResponses(provider, settings);
    if (settings.interceptor) {
      throw invalid(id, "interceptor sees HTTP requests, and the AI binding makes none");
    }
    const options = {
      ...common,
      model: settings.model,
      binding: environment.ai,
      runOptions: gatewayOption(environment.variables),
      capabilities: {
        ...capabilities(provider, settings),
        responseSchema: workersAiTakesSchema(settings.model),
      },
    };
    return new LateModel({
      ...options,
      load: async () => new (await import("./workers-ai/model.ts")).WorkersAiModel(options),
    });
  }
  const held = holdConnection(settings, {
    id,
    rules: environment.rules,
    variables: environment.variables,
    fetch: environment.fetch,
  });
  if (environment.rules && settings.headers && settings.baseUrl === undefined)
    throw invalid(id, "headers of a definition go to an address of its own alone: give baseUrl");
  const { apiKey } = held;
  const connected = connect(provider, { ...settings, apiKey }, environment.variables);
  const missingKey = held.missingKey ?? connected.missingKey;
  const connection = { ...connected, missingKey };
  const network = {
    connection,
    missingKey,
    fetch: interceptedFetch(
      held.fetch,
      [environment.interceptor, settings.interceptor].filter((each) => each !== undefined),
    ),
  };
  if (provider.api !== undefined && provider.api !== "workers-ai") {
    refuseResponses(provider, settings);
    if (settings.answersJson && provider.api !== "gemini") {
      const api = provider.api === "bedrock" ? "Bedrock" : "Anthropic";
      throw invalid(id, `responseFormat json_object is not known to ${api}: give a JSON Schema`);
    }
  }
  if (provider.api === "anthropic") {
    const options = {
      ...common,
      ...network,
      capabilities: {
        tools: settings.toolCalling !== "text",
        responseSchema: true,
        stop: true,
        settings: PLAIN_SETTINGS,
        ...mediaCapabilities(id, settings),
        ...(connection.isOwnEndpoint && settings.toolCalling !== "text"
          ? { builtinTools: ANTHROPIC_TOOLS, toolSearch: searchesTools(settings.model) }
          : undefined),
      },
    };
    return new LateModel({
      ...options,
      files: filesOf("anthropic", options),
      load: async () => new (await import("./anthropic/model.ts")).AnthropicModel(options),
    });
  }
  if (provider.api === "gemini" || provider.api === "bedrock") {
    const { variables } = environment;
    const own = capabilities(provider, settings);
    const options = { ...common, ...network, variables, capabilities: own };
    if (provider.api === "bedrock")
      return new LateModel({
        ...options,
        load: async () => new (await import("./bedrock/model.ts")).BedrockModel(options),
      });
    return new LateModel({
      ...options,
      files: isGateway(connection) ? undefined : filesOf("gemini", options),
      load: async () => new (await import("./gemini/model.ts")).GeminiModel(options),
    });
  }
  checkResponses(id, settings);
  const compatible = {
    ...common,
    provider: provider.id,
    ...network,
    capabilities: {
      // If a provider has its own API, only this one supports files.
      ...capabilities(provider, settings, { reads: !["gemini", "bedrock"].includes(provider.id) }),
      ...(settings.api === "responses" && isOpenAIItself(provider, connection)
        ? { builtinTools: OPENAI_TOOLS }
        : undefined),
    },
    dialect: {
      isOpenAI: isOpenAIItself(provider, connection),
      sendsStreamOptions: !lacks(provider, "streamOptions"),
      isGemini: provider.id === "gemini" || provider.id === "vertex",
      ...provider.roles,
    },
  };
  const limits = settings.api === "responses" ? "openai-responses" : "openai";
  return new LateModel({
    ...compatible,
    files: provider.id === OPENAI.id ? filesOf(limits, compatible) : undefined,
    load: async () => new (await import("./openai/model.ts")).OpenAIModel(compatible),
  });
}

/** Returns facts about a provider's files before its adapter is loaded. */
function filesOf(
  limits: string,
  { connection, settings }: { readonly connection: Connection; readonly settings: NormalSettings },
): NonNullable<LateModelOptions["files"]> {
  return { limits, connection, preferUpload: settings.preferUpload };
}

/** Refuses settings one of OpenAI's two APIs would not understand. */
function checkResponses(id: string, settings: NormalSettings): void {
  const [needed, misplaced] =
    settings.api === "responses"
      ? (["chat", CHAT_ONLY] as const)
      : (["responses", RESPONSES_ONLY] as const);
  for (const name of misplaced) {
    if (settings[name] !== undefined) {
      throw invalid(id, `${name} is a setting of the ${needed} API: set api: "${needed}"`);
    }
  }
  for (const tool of settings.builtinTools ?? []) builtinTool(tool);
}

function refuseResponses({ id }: Provider, settings: NormalSettings): void {
  for (const name of RESPONSES_ONLY) {
    if (settings[name] !== undefined) throw invalid(id, `${name} is a setting of OpenAI's alone`);
  }
  if (settings.api === "responses") throw invalid(id, `has no Responses API`);
}

function invalid(id: string, what: string): EngineError {
  return new EngineError("invalid_definition", `${id}: ${what}`);
}

/** `reads`: true if its endpoint accepts the media its models' names promise, beside text and images. */
function capabilities(
  provider: Provider,
  settings: NormalSettings,
  { reads = true }: { readonly reads?: boolean } = {},
): ModelCapabilities {
  const { model } = settings;
  return {
    tools: settings.toolCalling !== "text" && !lacks(provider, "tools") && takesTools(model),
    responseSchema: !lacks(provider, "responseSchema") && takesResponseSchema(model),
    stop: takesStop(model) && settings.api !== "responses",
    settings:
      settings.api === "responses" || provider.api === "bedrock"
        ? PLAIN_SETTINGS
        : REQUEST_SETTINGS,
    ...mediaCapabilities(`${provider.id}/${model}`, {
      ...settings,
      ...(reads ? undefined : { pdf: settings.pdf ?? false, audio: settings.audio ?? false }),
      ...(reads ? undefined : { video: settings.video ?? false }),
    }),
  };
}

/** Returns the accepted media beside text: from the settings, else by the model's name. */
function mediaCapabilities(
  id: string,
  { vision, pdf, audio, video }: NormalSettings,
): Pick<ModelCapabilities, "vision" | "pdf" | "audio" | "video"> {
  const readsDocuments = pdf ?? (vision === false ? false : readsPdfs(id) || undefined);
  return {
    vision: vision ?? seesImages(id),
    ...(readsDocuments === undefined ? undefined : { pdf: readsDocuments }),
    ...((audio ?? takesAudio(id)) ? { audio: true } : undefined),
    ...((video ?? takesVideo(id)) ? { video: true } : undefined),
  };
}

function lacks(provider: Provider, what: NonNullable<Provider["lacks"]>[number]): boolean {
  return provider.lacks?.includes(what) === true;
}

function isOpenAIItself(provider: Provider, connection: Connection): boolean {
  return provider.id === OPENAI.id && connection.isOwnEndpoint;
}

/** The gateway named by AI_GATEWAY_URL (…/v1/{account}/{gateway}), in the binding's form. Its cache stays off. */
function gatewayOption(variables: Variables): JsonObject {
  const id = variables["AI_GATEWAY_URL"]?.replace(/\/+$/, "").split("/").at(-1);
  return id ? { gateway: { id, skipCache: true } } : {};
}

function isChain(spec: ModelSpec): spec is readonly ModelSpec[] {
  return Array.isArray(spec);
}

function isReference(spec: object): spec is ModelReference {
  return "spec" in spec && !isLanguageModel(spec);
}

function isLanguageModel(spec: object): spec is LanguageModel {
  return "generate" in spec && typeof spec.generate === "function";
}
