import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, typeName, type JsonObject } from "../../base/json.ts";
import { isSecretReference, type SecretReference } from "../../llm/definition-rules.ts";
import type { ModelInterceptor } from "../../llm/interceptor.ts";
import { variablePrefix } from "../../llm/providers.ts";
import type { Variables } from "../../llm/variables.ts";

/** Embedder with its own settings. */
export type EmbedderSettings = {
  /** Model as `provider/model`, or a model of `provider`. @default the provider's */
  readonly model?: string;
  /** Provider, overriding the one in the model's name. @default from the model's name */
  readonly provider?: string;
  /** The URL of the provider's API. Only the `apiKey` of these settings is sent to it, never a key from the environment. @default the provider's own */
  readonly baseUrl?: string;
  /**
   * Key, or the name of the variable containing it: `{ secret: "TEAM_KEY" }`. @default the provider's variable in the
   * environment
   */
  readonly apiKey?: string | SecretReference;
  /** Azure's API version. */
  readonly apiVersion?: string;
  /** Number of dimensions, for models with a choice. @default the model's; 1536 where that would be more */
  readonly dimensions?: number;
  /** Maximum number of texts in one call. @default the provider's limit */
  readonly maxBatch?: number;
  /** Timeout of one call, in milliseconds. On expiry it fails with `timeout`, retryable. @default 60_000 */
  readonly timeoutMs?: number;
  /** Further headers of each request. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the request, sent unchanged. @default {} */
  readonly params?: JsonObject;
  /** Receives the HTTP requests and responses. Only in code. */
  readonly interceptor?: ModelInterceptor;
};

/**
 * Settings in the form of other crew libraries: `{ provider: "openai", config: { model_name: "text-embedding-3-small" }
 * }`.
 */
export type EmbedderConfig = {
  readonly provider: string;
  readonly config?: Readonly<Record<string, unknown>>;
};

type Field = keyof EmbedderSettings;

/** CrewAI's names of our settings. Other fields are sent to the provider unchanged. */
const NAMES: Readonly<Record<string, Field>> = {
  model: "model",
  modelName: "model",
  modelId: "model",
  deploymentId: "model",
  provider: "provider",
  baseUrl: "baseUrl",
  apiBase: "baseUrl",
  url: "baseUrl",
  apiUrl: "baseUrl",
  apiKey: "apiKey",
  token: "apiKey",
  apiVersion: "apiVersion",
  dimensions: "dimensions",
  outputDimension: "dimensions",
  outputDimensionality: "dimensions",
  maxBatch: "maxBatch",
  batchSize: "maxBatch",
  timeoutMs: "timeoutMs",
  headers: "headers",
  defaultHeaders: "headers",
  params: "params",
  interceptor: "interceptor",
};

/** Settings without effect here: steps do the retries, and no model runs in this process. */
const IGNORED: readonly string[] = [
  "apiType",
  "maxRetries",
  "device",
  "checkpoint",
  "preferredProviders",
  "persistentConnection",
  "concurrencyLimit",
  "session",
];

const CHECKS: Readonly<Record<Field, { expected: string; holds: (value: unknown) => boolean }>> = {
  model: { expected: "a model's name", holds: isText },
  provider: { expected: "a provider's name", holds: isText },
  baseUrl: { expected: "a URL", holds: isText },
  apiKey: {
    expected: 'a text, or { secret: "NAME" }',
    holds: (value) => isText(value) || isSecretReference(value),
  },
  apiVersion: { expected: "a text", holds: isText },
  dimensions: { expected: "an integer from 1 to 1536", holds: isWithin(1536) },
  maxBatch: { expected: "an integer from 1 to 1000", holds: isWithin(1000) },
  timeoutMs: { expected: "an integer >= 1", holds: isWithin(Number.MAX_SAFE_INTEGER) },
  headers: {
    expected: "an object of texts",
    holds: (value) => isJsonObject(value) && Object.values(value).every(isText),
  },
  params: { expected: "an object", holds: isJsonObject },
  interceptor: {
    expected: "an object with onOutbound or onInbound",
    holds: (value) => typeof value === "object" && value !== null,
  },
};

/** Checks settings in either form and spelling. Fails with `invalid_definition`, naming the setting. */
export function readEmbedderSettings(input: object): EmbedderSettings {
  const { config, ...outer }: Record<string, unknown> = { ...input };
  if (config !== undefined && !(typeof config === "object" && config !== null)) {
    throw invalid(`config must be an object, got ${preview(config)}`);
  }
  const settings: Record<string, unknown> = {};
  const params: Record<string, unknown> = {};
  for (const [key, value] of Object.entries({ ...outer, ...config })) {
    if (value === undefined || value === null) continue;
    const camel = camelCase(key);
    if (IGNORED.includes(camel)) continue;
    // Other crew libraries use seconds here.
    if (camel === "timeout" && typeof value === "number") {
      settings["timeoutMs"] = Math.round(value * 1000);
      continue;
    }
    if (camel === "organizationId") {
      settings["headers"] = { ...(settings["headers"] as object), "OpenAI-Organization": value };
      continue;
    }
    const name = Object.hasOwn(NAMES, camel) ? NAMES[camel] : undefined;
    if (name === undefined) {
      params[key] = value;
      continue;
    }
    const { expected, holds } = CHECKS[name];
    if (!holds(value)) {
      const got = name === "apiKey" || name === "headers" ? typeName(value) : preview(value);
      throw invalid(`${key} must be ${expected}, got ${got}`);
    }
    settings[name] = name === "headers" ? { ...(settings["headers"] as object), ...value } : value;
  }
  return { ...settings, params: { ...params, ...(settings["params"] as object) } as JsonObject };
}

/**
 * Fills in missing settings from `EMBEDDINGS_<PROVIDER>_<KEY>`. The operator's key is never sent to an address from the
 * settings.
 */
export function withVariables(
  settings: EmbedderSettings,
  provider: string,
  variables: Variables,
): EmbedderSettings {
  const found: Record<string, string> = {};
  const start = `EMBEDDINGS_${variablePrefix(provider)}_`;
  for (const [name, value] of Object.entries(variables)) {
    if (name.startsWith(start) && value?.trim()) {
      found[name.slice(start.length).toLowerCase()] = value.trim();
    }
  }
  if (Object.keys(found).length === 0) return settings;
  if (settings.baseUrl !== undefined) delete found["api_key"];
  const { dimensions, batch_size, ...texts } = found;
  return {
    ...readEmbedderSettings({
      ...texts,
      ...(dimensions === undefined ? undefined : { dimensions: Number(dimensions) }),
      ...(batch_size === undefined ? undefined : { batch_size: Number(batch_size) }),
    }),
    ...settings,
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isWithin(most: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `embedder: ${what}`);
}
