// Conversion of an entry in AG2's config lists into Edgecrew's settings. Edgecrew's own settings pass through.
import { camelCase } from "../base/camel-case.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** AG2's kinds of APIs, with Edgecrew's settings for each. */
const API_TYPES: Readonly<Record<string, Fields>> = {
  openai: { provider: "openai" },
  openai_v2: { provider: "openai" },
  responses: { provider: "openai", api: "responses" },
  responses_v2: { provider: "openai", api: "responses" },
  azure: { provider: "azure" },
  deepseek: { provider: "deepseek" },
  anthropic: { provider: "anthropic" },
  anthropic_v2: { provider: "anthropic" },
  bedrock: { provider: "bedrock" },
  bedrock_v2: { provider: "bedrock" },
  google: { provider: "gemini" },
  google_vertex: { provider: "vertex" },
  mistral: { provider: "mistral" },
  cohere: { provider: "cohere" },
  groq: { provider: "groq" },
  together: { provider: "together" },
  ollama: { provider: "ollama" },
  cerebras: { provider: "cerebras" },
};

/** Fields of AG2 with a replacement in Edgecrew. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  modelClientCls: "use a LanguageModel instead, or the name of a registered one",
  httpClient: "interceptor sees and replaces requests and responses",
  azureAdToken: "set AZURE_API_KEY, or apiKey",
  azureAdTokenProvider: "set AZURE_API_KEY, or apiKey",
  awsAccessKey: "set AWS_ACCESS_KEY_ID",
  awsSecretKey: "set AWS_SECRET_ACCESS_KEY",
  awsSessionToken: "set AWS_SESSION_TOKEN",
  awsProfileName: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  awsRegion: "set AWS_REGION",
  projectId: "set GOOGLE_CLOUD_PROJECT",
  location: "set GOOGLE_CLOUD_LOCATION",
  googleApplicationCredentials: "set GOOGLE_ACCESS_TOKEN",
  workspaceDir: "there is no shell here",
  allowedPaths: "there is no shell here",
  allowedCommands: "there is no shell here",
  deniedCommands: "there is no shell here",
  enableCommandFiltering: "there is no shell here",
  dangerousPatterns: "there is no shell here",
};

/** Throws `invalid_definition` for an unknown `api_type`, and for a field with a replacement. */
export function plainSettings(input: object): Fields {
  const plain: Record<string, unknown> = {};
  let extra: Fields = {};
  const isAg2 = "api_type" in input || "apiType" in input;
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || value === null) continue;
    const name = camelCase(key);
    const instead = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
    if (instead !== undefined) throw invalid(`${key} is not a setting here: ${instead}`);
    if (name === "apiType") Object.assign(plain, apiOf(value));
    else if (name === "extraBody" && isJsonObject(value)) extra = value;
    else if (name === "baseUrl" && isAg2 && typeof value === "string")
      plain[key] = withScheme(value);
    else plain[key] = value;
  }
  return Object.keys(extra).length === 0
    ? plain
    : { ...plain, params: { ...objectOf(plain["params"]), ...extra } };
}

function apiOf(value: unknown): Fields {
  const api =
    typeof value === "string" && Object.hasOwn(API_TYPES, value) ? API_TYPES[value] : undefined;
  if (api !== undefined) return api;
  throw invalid(
    `api_type must be one of ${Object.keys(API_TYPES).join(", ")}, got ${preview(value)}`,
  );
}

function withScheme(url: string): string {
  return url === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
}

function objectOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `model settings: ${what}`);
}
