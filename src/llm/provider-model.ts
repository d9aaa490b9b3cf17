// The adapter of a model, chosen by its provider's API. Adapters are loaded on the first call.
import type { JsonObject } from "../base/json.ts";
import { EngineError } from "../base/error.ts";
import { systemClock } from "../base/system.ts";
import { PLAIN_SETTINGS } from "./answer-settings.ts";
import { ANTHROPIC_TOOLS, searchesTools } from "./anthropic/capabilities.ts";
import { callSettings } from "./call-settings.ts";
import { connect, isGateway, type Connection } from "./connection.ts";
import { holdConnection, type DefinitionRules } from "./definition-rules.ts";
import { interceptedFetch } from "./interceptor.ts";
import type { LanguageModel } from "./language-model.ts";
import { LateModel, type LateModelOptions } from "./late-model.ts";
import { contextWindowOf, priceOf } from "./model-data.ts";
import type { ModelEnvironment } from "./model-environment.ts";
import { priceFor } from "./model-price.ts";
import { CHAT_ONLY, RESPONSES_ONLY, type NormalSettings } from "./model-settings.ts";
import { OPENAI_TOOLS } from "./openai/capabilities.ts";
import { builtinTool } from "./openai/responses/named-tool.ts";
import { capabilities, lacks, mediaCapabilities } from "./provider-capabilities.ts";
import { OPENAI, type Provider } from "./providers.ts";
import type { Variables } from "./variables.ts";
import type { AiBinding } from "./workers-ai/ai-binding.ts";
import { takesResponseSchema as workersAiTakesSchema } from "./workers-ai/capabilities.ts";

/** An environment with the restrictions of one spec. */
type ProviderEnvironment = ModelEnvironment & { readonly rules: DefinitionRules | undefined };

type Common = ReturnType<typeof commonOf>;
type Network = ReturnType<typeof networkOf>;

/** Makes a model of a provider. Throws `invalid_definition` for settings its API does not have. */
export function providerModel(
  provider: Provider,
  settings: NormalSettings,
  environment: ProviderEnvironment,
): LanguageModel {
  const common = commonOf(provider, settings, environment);
  const { ai, variables } = environment;
  if (provider.api === "workers-ai" && ai && settings.baseUrl === undefined)
    return boundModel(provider, common, { binding: ai, variables });
  const network = networkOf(provider, common, environment);
  switch (provider.api) {
    case "anthropic":
      refuseResponses(provider, settings);
      refuseJsonObject("Anthropic", common);
      return anthropicModel(common, network);
    case "bedrock":
      refuseResponses(provider, settings);
      refuseJsonObject("Bedrock", common);
      return bedrockModel(nativeOptions(provider, common, { ...network, variables }));
    case "gemini":
      refuseResponses(provider, settings);
      return geminiModel(nativeOptions(provider, common, { ...network, variables }));
    default:
      checkResponses(common.id, settings);
      return compatibleModel(provider, common, network);
  }
}

/** Facts about a model that every adapter needs. */
function commonOf(
  provider: Provider,
  settings: NormalSettings,
  { prices, clock = systemClock }: ModelEnvironment,
) {
  const id = `${provider.id}/${settings.model}`;
  const price = priceFor(id, settings.price, prices);
  return {
    id,
    settings,
    shown: callSettings(settings),
    contextWindow: settings.contextWindowSize ?? contextWindowOf(id),
    price,
    ownPrice: price === priceOf(id) ? undefined : price,
    clock,
  };
}

/** The connection to the provider, restricted for specs from data. */
function networkOf(provider: Provider, { id, settings }: Common, environment: ProviderEnvironment) {
  const { rules, variables, interceptor } = environment;
  const held = holdConnection(settings, { id, rules, variables, fetch: environment.fetch });
  if (rules && settings.headers && settings.baseUrl === undefined)
    throw invalid(id, "headers of a definition go to an address of its own alone: give baseUrl");
  const { apiKey } = held;
  const connected = connect(provider, { ...settings, apiKey }, variables);
  const missingKey = held.missingKey ?? connected.missingKey;
  const interceptors = [interceptor, settings.interceptor].filter((each) => each !== undefined);
  return {
    connection: { ...connected, missingKey },
    missingKey,
    fetch: interceptedFetch(held.fetch, interceptors),
  };
}

/** A model of Workers AI over the `AI` binding. */
function boundModel(
  provider: Provider,
  common: Common,
  { binding, variables }: { readonly binding: AiBinding; readonly variables: Variables },
): LanguageModel {
  const { id, settings } = common;
  refuseResponses(provider, settings);
  if (settings.interceptor)
    throw invalid(id, "interceptor sees HTTP requests, and the AI binding makes none");
  const { model } = settings;
  const options = {
    ...common,
    model,
    binding,
    runOptions: gatewayOption(variables),
    capabilities: {
      ...capabilities(provider, settings),
      responseSchema: workersAiTakesSchema(model),
    },
  };
  return new LateModel({
    ...options,
    load: async () => new (await import("./workers-ai/model.ts")).WorkersAiModel(options),
  });
}

function anthropicModel(common: Common, network: Network): LanguageModel {
  const { id, settings } = common;
  const hasTools = settings.toolCalling !== "text";
  const options = {
    ...common,
    ...network,
    capabilities: {
      tools: hasTools,
      responseSchema: true,
      stop: true,
      settings: PLAIN_SETTINGS,
      ...mediaCapabilities(id, settings),
      ...(network.connection.isOwnEndpoint && hasTools
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

type NetworkAndVariables = Network & { readonly variables: Variables };

function nativeOptions(provider: Provider, common: Common, network: NetworkAndVariables) {
  return { ...common, ...network, capabilities: capabilities(provider, common.settings) };
}

type NativeOptions = ReturnType<typeof nativeOptions>;

function bedrockModel(options: NativeOptions): LanguageModel {
  return new LateModel({
    ...options,
    load: async () => new (await import("./bedrock/model.ts")).BedrockModel(options),
  });
}

function geminiModel(options: NativeOptions): LanguageModel {
  return new LateModel({
    ...options,
    files: isGateway(options.connection) ? undefined : filesOf("gemini", options),
    load: async () => new (await import("./gemini/model.ts")).GeminiModel(options),
  });
}

/** A model of OpenAI, or of an endpoint with OpenAI's API. */
function compatibleModel(provider: Provider, common: Common, network: Network): LanguageModel {
  const { settings } = common;
  const isOpenAI = isOpenAIItself(provider, network.connection);
  const options = {
    ...common,
    provider: provider.id,
    ...network,
    capabilities: {
      // If a provider has its own API, only this one supports files.
      ...capabilities(provider, settings, { reads: !["gemini", "bedrock"].includes(provider.id) }),
      ...(settings.api === "responses" && isOpenAI ? { builtinTools: OPENAI_TOOLS } : undefined),
    },
    dialect: {
      isOpenAI,
      sendsStreamOptions: !lacks(provider, "streamOptions"),
      isGemini: provider.id === "gemini" || provider.id === "vertex",
      ...provider.roles,
    },
  };
  const limits = settings.api === "responses" ? "openai-responses" : "openai";
  return new LateModel({
    ...options,
    files: provider.id === OPENAI.id ? filesOf(limits, options) : undefined,
    load: async () => new (await import("./openai/model.ts")).OpenAIModel(options),
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

function refuseJsonObject(api: string, { id, settings }: Common): void {
  if (settings.answersJson)
    throw invalid(id, `responseFormat json_object is not known to ${api}: give a JSON Schema`);
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

function isOpenAIItself(provider: Provider, connection: Connection): boolean {
  return provider.id === OPENAI.id && connection.isOwnEndpoint;
}

/** The gateway named by AI_GATEWAY_URL (…/v1/{account}/{gateway}), in the binding's form. Its cache stays off. */
function gatewayOption(variables: Variables): JsonObject {
  const id = variables["AI_GATEWAY_URL"]?.replace(/\/+$/, "").split("/").at(-1);
  return id ? { gateway: { id, skipCache: true } } : {};
}
