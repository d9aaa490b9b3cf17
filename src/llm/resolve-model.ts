// From what a definition says about its model to a model that can be called.
//
//   M1. Models registered in the environment are found first, by their whole name.
//   M2. `provider/model`: the provider by id or alias, in any case. An unlisted one needs a base URL: from settings,
//       from `<NAME>_BASE_URL`, or an AI Gateway.
//   M3. A bare name: Anthropic, Gemini, Bedrock and Workers AI by the shape of it, else OpenAI.
//   M4. Nothing at all: MODEL, MODEL_NAME, OPENAI_MODEL_NAME; then by the key that is there; then `offline/demo`.
//   M5. Settings that cannot be right are refused here, as `invalid_definition`. A missing key is not: the call fails with
//       `model_unauthorized`, so that a fallback chain continues with the next model.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import { AnthropicModel } from "./anthropic/model.ts";
import { connect, firstOf, type Connection, type Variables } from "./connection.ts";
import { holdConnection, isFromData, type DefinitionRules } from "./definition-rules.ts";
import { fallbackModel } from "./fallback-model.ts";
import type { LanguageModel, ModelCapabilities } from "./language-model.ts";
import { interceptedFetch, type ModelInterceptor } from "./interceptor.ts";
import { contextWindowOf, priceOf, seesImages, type PriceTable } from "./model-data.ts";
import {
  CHAT_ONLY,
  readModelSettings,
  RESPONSES_ONLY,
  type ModelSettings,
  type NormalSettings,
} from "./model-settings.ts";
import { createDemoModel, DEMO_MODEL_ID as DEMO, type DemoOptions } from "./offline/demo-model.ts";
import { OpenAIModel } from "./openai/model.ts";
import { builtinTool } from "./openai/responses/to-request.ts";
import { takesResponseSchema, takesStop, takesTools } from "./openai/to-request.ts";
import {
  baseUrlVariables,
  findProvider,
  OPENAI,
  PROVIDERS,
  unlistedProvider,
  variablePrefix,
  type Provider,
} from "./providers.ts";
import type { AiBinding } from "./workers-ai/ai-binding.ts";
import { WorkersAiModel } from "./workers-ai/model.ts";
import { takesResponseSchema as workersAiTakesSchema } from "./workers-ai/to-request.ts";

/** A model's name, a model, a model with settings, or a chain in which the next stands in for one that fails. */
export type ModelSpec =
  | string
  | LanguageModel
  | ModelSettings
  | ModelReference
  | readonly ModelSpec[];

/** Something that stands for a model, such as what `llm()` makes; without a spec, for the one that is used where none is named. */
export type ModelReference = { readonly spec: ModelSpec | undefined };

/** What models are made from. */
export type ModelEnvironment = {
  /** Keys, base URLs and defaults: the Worker's `env`, or `process.env`. */
  readonly variables: Variables;
  /** The `AI` binding. */
  readonly ai?: AiBinding;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** Your own models, by the name that definitions use. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /** Prices that go before those of model-data.ts. */
  readonly prices?: PriceTable;
  /** Sees the HTTP requests of all models, before those of a model's own settings. The `AI` binding makes none. */
  readonly interceptor?: ModelInterceptor;
  /** @default the system's */
  readonly clock?: Clock;
  /** What specs that came as data may name. @default anything */
  readonly definitions?: DefinitionRules;
};

/** Finds or makes the model. A model keeps a client and what it converted: make it once and use it for many calls. */
export function resolveModel(
  spec: ModelSpec | undefined,
  environment: ModelEnvironment,
): LanguageModel {
  if (spec === undefined) return resolveModel(defaultModel(environment.variables), environment);
  if (typeof spec === "string") return resolveNamed({ model: spec }, environment);
  if (isChain(spec)) return fallbackModel(spec.map((item) => resolveModel(item, environment)));
  if (typeof spec === "object" && spec !== null) {
    if (isReference(spec)) return resolveModel(spec.spec, environment);
    return isLanguageModel(spec) ? spec : resolveNamed(spec, environment);
  }
  throw new EngineError(
    "invalid_definition",
    `model must be a name, a model, settings or a list of these, got ${preview(spec)}`,
  );
}

/** The model that is used where none is named. */
function defaultModel(variables: Variables): string {
  const named = firstOf(["MODEL", "MODEL_NAME", "OPENAI_MODEL_NAME"], variables);
  if (named !== undefined) return named;
  if (firstOf(["OPENAI_API_KEY"], variables)) return "openai/gpt-4.1-mini";
  if (firstOf(["ANTHROPIC_API_KEY"], variables)) return "anthropic/claude-haiku-4-5";
  return DEMO;
}

function resolveNamed(input: ModelSettings, environment: ModelEnvironment): LanguageModel {
  const settings = readModelSettings(input);
  const { models = {} } = environment;
  const registered = Object.hasOwn(models, settings.model) ? models[settings.model] : undefined;
  if (registered) return registered;
  if (settings.model === DEMO) return createDemoModel(demoOptions(environment));
  const { provider, model } = settings.customOpenai
    ? customOpenAI(settings, environment.variables)
    : locate(settings, environment.variables);
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
  const common = {
    id,
    settings,
    contextWindow: settings.contextWindowSize ?? contextWindowOf(id),
    price: priceOf(id, environment.prices),
    clock: environment.clock ?? systemClock,
  };
  if (provider.api === "workers-ai" && environment.ai && settings.baseUrl === undefined) {
    refuseResponses(provider, settings);
    if (settings.interceptor) {
      throw invalid(id, "interceptor sees HTTP requests, and the AI binding makes none");
    }
    return new WorkersAiModel({
      ...common,
      model: settings.model,
      binding: environment.ai,
      runOptions: gatewayOption(environment.variables),
      capabilities: {
        ...capabilities(provider, settings),
        responseSchema: workersAiTakesSchema(settings.model),
      },
    });
  }
  const held = holdConnection(settings, {
    id,
    rules: environment.rules,
    variables: environment.variables,
    fetch: environment.fetch,
  });
  const { apiKey, missingKey } = held;
  const connection = connect(provider, { ...settings, apiKey }, environment.variables);
  const network = {
    connection: missingKey === undefined ? connection : { ...connection, missingKey },
    fetch: interceptedFetch(
      held.fetch,
      [environment.interceptor, settings.interceptor].filter((each) => each !== undefined),
    ),
  };
  if (provider.api === "anthropic") {
    refuseResponses(provider, settings);
    if (settings.answersJson) {
      throw invalid(id, `responseFormat json_object is not known to Anthropic: give a JSON Schema`);
    }
    return new AnthropicModel({
      ...common,
      ...network,
      capabilities: {
        tools: settings.toolCalling !== "text",
        responseSchema: true,
        stop: true,
        vision: settings.vision ?? seesImages(id),
      },
    });
  }
  checkResponses(id, settings);
  return new OpenAIModel({
    ...common,
    ...network,
    capabilities: capabilities(provider, settings),
    dialect: {
      isOpenAI: isOpenAIItself(provider, connection),
      sendsStreamOptions: !lacks(provider, "streamOptions"),
      isGemini: provider.id === "gemini" || provider.id === "vertex",
      ...provider.roles,
    },
  });
}

/** Settings that one of OpenAI's two APIs would not understand. */
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

/** OpenAI's API at your own address, independent of the model's name. */
function customOpenAI(
  settings: NormalSettings,
  variables: Variables,
): { readonly provider: Provider; readonly model: string } {
  const hasAddress =
    settings.baseUrl !== undefined || firstOf(baseUrlVariables(OPENAI), variables) !== undefined;
  if (!hasAddress) {
    throw invalid(
      settings.model,
      `customOpenai needs an address: set baseUrl, OPENAI_BASE_URL or OPENAI_API_BASE`,
    );
  }
  return { provider: OPENAI, model: settings.model.replace(/^openai\//i, "") };
}

function invalid(id: string, what: string): EngineError {
  return new EngineError("invalid_definition", `${id}: ${what}`);
}

function locate(
  settings: NormalSettings,
  variables: Variables,
): { readonly provider: Provider; readonly model: string } {
  const { model } = settings;
  if (settings.provider !== undefined) {
    return { provider: providerNamed(settings.provider, settings, variables), model };
  }
  const slash = model.indexOf("/");
  if (slash < 0 || model.startsWith("@")) return { provider: providerOfBareName(model), model };
  const prefix = model.slice(0, slash);
  const rest = model.slice(slash + 1);
  if (rest === "") {
    throw new EngineError("invalid_definition", `model "${model}" names a provider but no model`);
  }
  const provider = findProvider(prefix);
  if (provider) return { provider, model: rest };
  // Behind a base URL of one's own, and in a gateway's common dialect, names keep their slashes.
  if (settings.baseUrl !== undefined) return { provider: OPENAI, model };
  const unlisted = unlistedFromVariables(prefix, variables);
  if (unlisted) return { provider: unlisted, model: rest };
  if (variables["AI_GATEWAY_URL"]) return { provider: behindGateway(prefix), model: rest };
  throw unknownProvider(prefix, model);
}

function providerNamed(name: string, settings: NormalSettings, variables: Variables): Provider {
  const provider = findProvider(name) ?? unlistedFromVariables(name, variables);
  if (provider) return provider;
  if (settings.baseUrl !== undefined) return unlistedProvider(name, settings.baseUrl);
  throw unknownProvider(name, settings.model);
}

function unlistedFromVariables(name: string, variables: Variables): Provider | undefined {
  const provider = unlistedProvider(name.toLowerCase(), "");
  const baseUrl = firstOf(baseUrlVariables(provider), variables);
  return baseUrl === undefined ? undefined : { ...provider, baseUrl };
}

function behindGateway(name: string): Provider {
  return { id: name, baseUrl: "", gateway: { path: "compat", modelPrefix: `${name}/` } };
}

function providerOfBareName(model: string): Provider {
  const name = model.toLowerCase();
  const id = /^@(cf|hf)\//.test(name)
    ? "workers-ai"
    : /^((us|eu|apac|global)\.)?(anthropic|amazon|meta|cohere|mistral|ai21|deepseek)\./.test(name)
      ? "bedrock"
      : name.startsWith("claude-")
        ? "anthropic"
        : /^(gemini|gemma|learnlm)-/.test(name)
          ? "gemini"
          : "openai";
  return findProvider(id) ?? OPENAI;
}

function capabilities(provider: Provider, settings: NormalSettings): ModelCapabilities {
  const { model } = settings;
  return {
    tools: settings.toolCalling !== "text" && !lacks(provider, "tools") && takesTools(model),
    responseSchema: !lacks(provider, "responseSchema") && takesResponseSchema(model),
    stop: takesStop(model) && settings.api !== "responses",
    vision: settings.vision ?? seesImages(`${provider.id}/${model}`),
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

function unknownProvider(name: string, model: string): EngineError {
  const known = PROVIDERS.map(({ id }) => id).join(", ");
  return new EngineError(
    "invalid_definition",
    `unknown provider "${name}" in model "${model}". Known: ${known}, offline. For any other API that speaks ` +
      `OpenAI's dialect set ${variablePrefix(name)}_BASE_URL (and ${variablePrefix(name)}_API_KEY), or give ` +
      `baseUrl in the model's settings; AI_GATEWAY_URL sends it through an AI Gateway.`,
  );
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
