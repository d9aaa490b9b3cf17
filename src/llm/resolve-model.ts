// Resolution of a definition's model into a callable one.
//
//   M1. Models registered in the environment are found first, by their whole name.
//   M2. `provider/model`: the provider by id or alias, in any case. An unlisted one needs a base URL: from settings,
//       from `<NAME>_BASE_URL`, or an AI Gateway.
//   M3. A bare name: Anthropic, Gemini, Bedrock and Workers AI by its form, else OpenAI.
//   M4. No name: MODEL, MODEL_NAME, OPENAI_MODEL_NAME; then by the present key; then `offline/demo`,
//       which a Worker built for production has only under a name in `models` (M1).
//   M5. Impossible settings are refused here, as `invalid_definition`. A missing key is not: the call fails with
//       `model_unauthorized`, so a fallback chain continues with the next model.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import { firstOf } from "./connection.ts";
import { isFromData } from "./definition-rules.ts";
import { fallbackModel } from "./fallback-model.ts";
import type { LanguageModel } from "./language-model.ts";
import { locateProvider, spokenTo } from "./locate-provider.ts";
import type { ModelEnvironment } from "./model-environment.ts";
import {
  filledEntries,
  isListSettings,
  isOwnModel,
  modelListFrom,
  type ModelListSettings,
} from "./model-list.ts";
import { priceFor } from "./model-price.ts";
import { readModelSettings, type ModelSettings, type NormalSettings } from "./model-settings.ts";
import { DEMO, ECHO, type DemoOptions } from "./offline/capabilities.ts";
import { echoModel, lateDemo, missingDemo } from "./offline/offline-models.ts";
import { providerModel } from "./provider-model.ts";
import { settledModel } from "./settled-model.ts";
import type { Variables } from "./variables.ts";

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
  if (settings.model === ECHO.id) return echoModel();
  if (settings.model === DEMO.id)
    // wrangler replaces both texts, so the demo model is no part of a deployed Worker.
    return navigator.userAgent === "Cloudflare-Workers" &&
      globalThis.process?.env?.NODE_ENV === "production"
      ? missingDemo()
      : lateDemo(demoOptions(environment), () => import("./offline/demo-model.ts"));
  const { provider: located, model } = locateProvider(settings, environment.variables);
  const provider = spokenTo(located, settings, environment.variables);
  const rules = isFromData(input) ? environment.definitions : undefined;
  return providerModel(provider, { ...settings, model }, { ...environment, rules });
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

function isChain(spec: ModelSpec): spec is readonly ModelSpec[] {
  return Array.isArray(spec);
}

function isReference(spec: object): spec is ModelReference {
  return "spec" in spec && !isLanguageModel(spec);
}

function isLanguageModel(spec: object): spec is LanguageModel {
  return "generate" in spec && typeof spec.generate === "function";
}
