import { EngineError } from "../base/error.ts";
import { noteSecret } from "../security/known-secrets.ts";
import type { NormalSettings } from "./model-settings.ts";
import { baseUrlVariables, keyVariables, variablePrefix, type Provider } from "./providers.ts";
import type { Variables } from "./variables.ts";

/** Address of one model, and the means to reach it. */
export type Connection = {
  readonly baseUrl: string;
  /** Undefined if no key is sent. */
  readonly apiKey: string | undefined;
  /** Why a call cannot be made; the call fails with it as `model_unauthorized`. */
  readonly missingKey: string | undefined;
  /** Name of the model at this endpoint. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Set if requests are signed with the AWS access key of the environment, instead of carrying a key. */
  readonly isSigned?: boolean;
  /** True for the provider's own endpoint with its own rules, not a compatible one. */
  readonly isOwnEndpoint: boolean;
};

/** Settings after `holdConnection`, with a plain key. */
export type ConnectionSettings = Omit<NormalSettings, "apiKey"> & {
  readonly apiKey?: string | undefined;
};

type Address = Pick<Connection, "baseUrl" | "model" | "headers"> & {
  readonly from: "settings" | "variables" | "gateway" | "provider";
};

const AWS_KEY = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

const DEFAULT_AZURE_API_VERSION = "2024-06-01";

/**
 * Finds the endpoint and the key. The more specific wins: the settings' base URL, the provider's variables, the AI
 * Gateway, the provider's own address. A base URL from settings receives only the key from settings, so the author of a
 * definition cannot send the operator's keys to another address.
 */
export function connect(
  provider: Provider,
  settings: ConnectionSettings,
  variables: Variables,
): Connection {
  const address = locate(provider, settings, variables);
  if (!URL.canParse(address.baseUrl)) {
    throw new EngineError(
      "invalid_definition",
      `${provider.id}: the base URL must be a whole URL such as https://example.com/v1, got "${address.baseUrl}"`,
    );
  }
  const names = keyVariables(provider);
  const configured = address.from === "settings" ? undefined : firstOf(names, variables);
  if (configured !== undefined) noteSecret(configured);
  const known = settings.apiKey ?? configured ?? provider.defaultKey;
  const isOurs = address.from !== "settings" && known === undefined;
  const isAws = provider.api === "bedrock";
  const isSigned =
    isOurs && isAws && AWS_KEY.every((name) => firstOf([name], variables) !== undefined);
  const needsKey = isOurs && !isSigned && !bringsKey(address);
  const wanted = `${names.join(" or ")}${isAws ? `, or ${AWS_KEY.join(" and ")}` : ""}`;
  const azure = provider.azure === true;
  return {
    baseUrl: azure ? azureUrl(address, settings) : address.baseUrl,
    apiKey: azure ? undefined : known,
    missingKey: needsKey ? `no key for ${provider.id}: set ${wanted}` : undefined,
    ...(isSigned ? { isSigned } : undefined),
    model: address.model,
    headers: {
      ...provider.headers,
      ...address.headers,
      ...settings.headers,
      ...(azure && known !== undefined ? { "api-key": known } : {}),
    },
    query: azure && !isVersionless(address, settings) ? apiVersion(settings, variables) : {},
    isOwnEndpoint: address.from === "provider" || address.from === "gateway",
  };
}

/** True for a connection by an AI Gateway. */
export function isGateway({ headers }: Pick<Connection, "headers">): boolean {
  return "cf-aig-skip-cache" in headers;
}

/** Returns the value of the first variable with a non-empty value. */
export function firstOf(names: readonly string[], variables: Variables): string | undefined {
  for (const name of names) {
    const value = variables[name]?.trim();
    if (value) return value;
  }
  return undefined;
}

/**
 * Returns the headers for every call through an AI Gateway. Its cache is off: the journal is the cache, and a cached
 * turn would be stale.
 */
function gatewayHeaders(variables: Variables): Record<string, string> {
  const token = variables["AI_GATEWAY_TOKEN"];
  if (token) noteSecret(token);
  return {
    "cf-aig-skip-cache": "true",
    ...(token ? { "cf-aig-authorization": `Bearer ${token}` } : {}),
  };
}

function locate(provider: Provider, settings: ConnectionSettings, variables: Variables): Address {
  const { model } = settings;
  const tidy = (url: string): string => tidyUrl(url, provider.shortBaseUrl === true);
  if (settings.baseUrl !== undefined) {
    return { from: "settings", baseUrl: tidy(settings.baseUrl), model, headers: {} };
  }
  const configured = firstOf(baseUrlVariables(provider), variables);
  if (configured !== undefined) {
    return { from: "variables", baseUrl: tidy(configured), model, headers: {} };
  }
  const gateway = variables["AI_GATEWAY_URL"];
  if (gateway && provider.gateway) {
    const { path, modelPrefix = "" } = provider.gateway;
    const deployment = provider.azure ? azureResource(provider, variables) : "";
    return {
      from: "gateway",
      baseUrl: `${tidyUrl(gateway, false)}/${path}${deployment && `/${deployment}/${encodeURIComponent(model)}`}`,
      model: modelPrefix + model,
      headers: gatewayHeaders(variables),
    };
  }
  return { from: "provider", baseUrl: tidy(fill(provider, variables)), model, headers: {} };
}

/** A gateway with its own token may hold the providers' keys itself. */
function bringsKey(address: Address): boolean {
  return address.from === "gateway" && "cf-aig-authorization" in address.headers;
}

function fill(provider: Provider, variables: Variables): string {
  return provider.baseUrl.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const placeholder = provider.placeholders?.[name];
    const value = firstOf(placeholder?.variables ?? [], variables) ?? placeholder?.fallback;
    if (value !== undefined) return value;
    const wanted = [...(placeholder?.variables ?? []), `${variablePrefix(provider.id)}_BASE_URL`];
    throw new EngineError(
      "invalid_definition",
      `${provider.id} has no fixed address: set ${wanted.join(" or ")}, or baseUrl in the model's settings` +
        (provider.api === "workers-ai" ? "; in a Worker, bind AI" : ""),
    );
  });
}

function tidyUrl(url: string, short: boolean): string {
  const withScheme = short && !/^https?:\/\//i.test(url) ? `http://${url}` : url;
  const trimmed = withScheme.replace(/\/+$/, "");
  return short && !trimmed.endsWith("/v1") ? `${trimmed}/v1` : trimmed;
}

/**
 * Azure's resources expect the deployment in the path, and Responses have a separate address; any other endpoint is
 * used unchanged.
 */
function azureUrl({ baseUrl, model }: Address, { api }: ConnectionSettings): string {
  if (!isBareResource(baseUrl)) return baseUrl;
  const resource = baseUrl.replace(/\/openai$/i, "");
  return api === "responses"
    ? `${resource}/openai/v1`
    : `${resource}/openai/deployments/${encodeURIComponent(model)}`;
}

function isBareResource(baseUrl: string): boolean {
  return /^https:\/\/[^/]+\.(openai|cognitiveservices)\.azure\.com(\/openai)?$/i.test(baseUrl);
}

/** Azure's newer API needs no version. */
function isVersionless({ baseUrl }: Address, { api }: ConnectionSettings): boolean {
  return baseUrl.includes("/openai/v1") || (api === "responses" && isBareResource(baseUrl));
}

/** `https://resource.openai.azure.com` → `resource` */
function azureResource(provider: Provider, variables: Variables): string {
  return new URL(fill(provider, variables)).hostname.split(".")[0] ?? "";
}

function apiVersion(settings: ConnectionSettings, variables: Variables): Record<string, string> {
  const version =
    settings.apiVersion ?? firstOf(["AZURE_API_VERSION", "AZURE_OPENAI_API_VERSION"], variables);
  return { "api-version": version ?? DEFAULT_AZURE_API_VERSION };
}
