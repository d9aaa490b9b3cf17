// From a definition's embedder spec to a callable embedder. As with models, a missing key fails the call. Any other
// certain error fails here with `invalid_definition`.
import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { systemClock } from "../../base/system.ts";
import { connect, firstOf, type ConnectionSettings } from "../../llm/connection.ts";
import { holdConnection, isFromData, type DefinitionRules } from "../../llm/definition-rules.ts";
import { interceptedFetch, type ModelInterceptor } from "../../llm/interceptor.ts";
import { readModelSettings } from "../../llm/model-settings.ts";
import { baseUrlVariables, unlistedProvider, variablePrefix } from "../../llm/providers.ts";
import type { Variables } from "../../llm/variables.ts";
import type { AiBinding } from "../../llm/workers-ai/ai-binding.ts";
import type { Embedder } from "../embedder.ts";
import { hashEmbedder } from "../hash-embedder.ts";
import { embedder, type EmbedFunction } from "./custom-embedder.ts";
import {
  readEmbedderSettings,
  withVariables,
  type EmbedderConfig,
  type EmbedderSettings,
} from "./embedder-settings.ts";
import {
  findEmbeddingProvider,
  inOpenAIsDialect,
  LOCAL_LIBRARIES,
  usualDimensions,
  type EmbeddingProvider,
} from "./embedding-providers.ts";
import { remoteEmbedder } from "./remote-embedder.ts";
import { workersAiEmbedder } from "./workers-ai-embedder.ts";

/** Embedder spec: a name, an embedder, a function, settings, or the form of other crew libraries. */
export type EmbedderSpec = string | Embedder | EmbedFunction | EmbedderSettings | EmbedderConfig;

/** Environment for making embedders. Every `ModelEnvironment` fits. */
export type EmbedderEnvironment = {
  /** Keys, base URLs and defaults: the Worker's `env`, or `process.env`. */
  readonly variables: Variables;
  /** The `AI` binding. */
  readonly ai?: AiBinding;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** Receives the HTTP requests of all embedders. */
  readonly interceptor?: ModelInterceptor;
  /** @default the system's */
  readonly clock?: Clock;
  /** Limits on specs from data. @default anything */
  readonly definitions?: DefinitionRules;
};

const OFFLINE = "offline/hash-embed";
const TIMEOUT_MS = 60_000;

/**
 * Finds or makes the embedder. Without a spec: `EMBEDDER`, then OpenAI's if there is a key, then `offline/hash-embed`.
 */
export function resolveEmbedder(
  spec: EmbedderSpec | undefined,
  environment: EmbedderEnvironment,
): Embedder {
  if (spec === undefined) return resolveEmbedder(usual(environment.variables), environment);
  if (typeof spec === "string") return named({ model: spec }, environment);
  if (typeof spec === "function") return embedder({ model: "custom", embed: spec });
  if (typeof spec === "object" && spec !== null) {
    if ("embed" in spec && typeof spec.embed === "function") return spec;
    const own = ownFunction(spec);
    const rules = isFromData(spec) ? environment.definitions : undefined;
    return own ?? named(readEmbedderSettings(spec), { ...environment, rules });
  }
  throw invalid(`must be a name, an embedder, a function or settings, got ${preview(spec)}`);
}

function usual(variables: Variables): string {
  const set = firstOf(["EMBEDDER"], variables);
  if (set !== undefined) return set;
  return firstOf(["OPENAI_API_KEY"], variables) ? "openai/text-embedding-3-large" : OFFLINE;
}

/** `{ provider: "custom", config: { embedding_callable } }` */
function ownFunction(spec: object): Embedder | undefined {
  if (!("provider" in spec) || spec.provider !== "custom") return undefined;
  const config: object = "config" in spec && spec.config instanceof Object ? spec.config : {};
  const fields = new Map<string, unknown>(Object.entries(config));
  const embed = fields.get("embedding_callable") ?? fields.get("embeddingCallable");
  const model = fields.get("model") ?? fields.get("model_name") ?? "custom";
  if (typeof embed !== "function") {
    throw invalid(`of provider custom needs config.embedding_callable, a function`);
  }
  return embedder({
    model: typeof model === "string" ? model : "custom",
    embed: embed as EmbedFunction,
  });
}

/** Environment with the rules for this spec. */
type HeldEnvironment = EmbedderEnvironment & { readonly rules?: DefinitionRules | undefined };

function named(settingsInput: EmbedderSettings, environment: HeldEnvironment): Embedder {
  if (settingsInput.model === OFFLINE) return hashEmbedder();
  const { row, rest } = locate(settingsInput, environment.variables);
  const settings = withVariables(settingsInput, row.provider.id, environment.variables);
  const model = rest ?? settings.model ?? row.defaultModel;
  if (model === undefined) throw invalid(`of provider ${row.provider.id} needs a model`);
  // An address from a variable is the operator's own.
  const rules = settingsInput.baseUrl === settings.baseUrl ? environment.rules : undefined;
  return create(row, { ...settings, model }, { ...environment, rules });
}

function create(
  row: EmbeddingProvider,
  settings: EmbedderSettings & { readonly model: string },
  environment: HeldEnvironment,
): Embedder {
  const { provider, form } = row;
  const { model, params = {}, timeoutMs = TIMEOUT_MS } = settings;
  const id = `${provider.id}/${model}`;
  const clock = environment.clock ?? systemClock;
  const limit = typeof row.maxBatch === "number" ? row.maxBatch : row.maxBatch(model);
  const maxBatch = settings.maxBatch ?? limit;
  const common = { id, maxBatch, timeoutMs, params, clock };
  if (provider.api === "workers-ai" && environment.ai && settings.baseUrl === undefined) {
    return workersAiEmbedder({ ...common, model, binding: environment.ai });
  }
  const { apiVersion } = settings;
  const { rules, variables } = environment;
  const held = holdConnection(settings, { id, rules, variables, fetch: environment.fetch });
  const { apiKey, missingKey } = held;
  // Other libraries give Ollama's own path here. This client uses Ollama's version of OpenAI's dialect.
  const baseUrl = settings.baseUrl?.replace(/\/api\/embed(dings)?\/?$/, "");
  const connectionFields = Object.entries({ model, baseUrl, apiKey, apiVersion });
  const connected = connect(
    provider,
    readModelSettings(
      Object.fromEntries(connectionFields.filter(([, value]) => value !== undefined)),
    ) as ConnectionSettings,
    variables,
  );
  const connection = missingKey === undefined ? connected : { ...connected, missingKey };
  return remoteEmbedder({
    ...common,
    variables,
    form,
    dimensions: settings.dimensions ?? usualDimensions(model),
    connection: {
      ...connection,
      // Variables shared by the models have the address of OpenAI's dialect. The provider's own form has a sibling
      // path.
      baseUrl:
        form.path === undefined ? connection.baseUrl : connection.baseUrl.replace(/\/openai$/, ""),
      headers: { ...connection.headers, ...settings.headers },
    },
    fetch: interceptedFetch(
      held.fetch,
      [environment.interceptor, settings.interceptor].filter((each) => each !== undefined),
    ),
  });
}

/** Returns the provider and the rest of the model's name. */
function locate(
  settings: EmbedderSettings,
  variables: Variables,
): { readonly row: EmbeddingProvider; readonly rest?: string | undefined } {
  const { model, provider, baseUrl } = settings;
  if (provider !== undefined) {
    return { row: providerNamed(provider, { baseUrl, variables }), rest: model };
  }
  if (model === undefined) throw invalid("needs a model or a provider");
  const slash = model.indexOf("/");
  if (slash < 0 || model.startsWith("@")) {
    const name = model.startsWith("@")
      ? "workers-ai"
      : /^(gemini|text-multilingual)-/.test(model)
        ? "gemini"
        : "openai";
    return { row: providerNamed(name, { baseUrl, variables }), rest: model };
  }
  const prefix = model.slice(0, slash);
  if (findEmbeddingProvider(prefix) === undefined && baseUrl !== undefined) {
    return { row: providerNamed("openai", { baseUrl, variables }), rest: model };
  }
  return { row: providerNamed(prefix, { baseUrl, variables }), rest: model.slice(slash + 1) };
}

function providerNamed(
  name: string,
  { baseUrl, variables }: { baseUrl: string | undefined; variables: Variables },
): EmbeddingProvider {
  const row = findEmbeddingProvider(name);
  if (row) return row;
  const unlisted = unlistedProvider(name.toLowerCase(), "");
  const address = baseUrl ?? firstOf(baseUrlVariables(unlisted), variables);
  if (address !== undefined) return inOpenAIsDialect({ ...unlisted, baseUrl: address });
  const variable = `${variablePrefix(name)}_BASE_URL`;
  throw invalid(
    LOCAL_LIBRARIES.includes(name.toLowerCase())
      ? `"${name}" runs a model in its own process, which a Worker cannot: give the address of a server that speaks OpenAI's dialect ` +
          `(baseUrl, or ${variable}), or use workers-ai/@cf/baai/bge-small-en-v1.5`
      : `has an unknown provider "${name}". For any API that speaks OpenAI's dialect set ${variable}, or give baseUrl`,
  );
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `embedder ${what}`);
}
