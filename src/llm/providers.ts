// Addresses and names of providers. Every base URL and key can be set by `<NAME>_BASE_URL` and `<NAME>_API_KEY`; the
// variables listed here are other common names.

/** Source of a value for a base URL's `{placeholder}`. */
type Placeholder = { readonly variables: readonly string[]; readonly fallback?: string };

export type Provider = {
  /** The first part of a model's id, and `<NAME>` of its variables (in upper case, `-` as `_`). */
  readonly id: string;
  readonly aliases?: readonly string[];
  /** Adapter for the provider. @default "openai" */
  readonly api?: "anthropic" | "bedrock" | "gemini" | "workers-ai";
  /** Endpoint in OpenAI's dialect, if the provider also has its own API. */
  readonly chat?: Pick<Provider, "baseUrl" | "gateway" | "roles" | "lacks">;
  readonly baseUrl: string;
  readonly placeholders?: Readonly<Record<string, Placeholder>>;
  readonly baseUrlVariables?: readonly string[];
  readonly keyVariables?: readonly string[];
  /** Value in place of a missing key. Without it a key is required. */
  readonly defaultKey?: string;
  /** Appends `/v1` to base URLs without it, and prepends `http://` to those without a scheme. */
  readonly shortBaseUrl?: true;
  /** Azure: the deployment is part of the path, the API version of the query, and the key has a separate header. */
  readonly azure?: true;
  /** Its path behind an AI Gateway, and the prefix of model names there. */
  readonly gateway?: { readonly path: string; readonly modelPrefix?: string };
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Rules about roles: the closing message if the last turn may not be the assistant's, and the need to alternate
   * turns.
   */
  readonly roles?: { readonly closing?: string; readonly alternates?: true };
  /** Features missing in its API. */
  readonly lacks?: readonly ("tools" | "responseSchema" | "streamOptions")[];
};

/** User message for endpoints that refuse a conversation with the assistant's message at its end. */
const GO_ON = "Please go on.";

export const OPENAI: Provider = {
  id: "openai",
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariables: ["OPENAI_API_BASE"],
  gateway: { path: "openai" },
};

export const PROVIDERS: readonly Provider[] = [
  OPENAI,
  {
    id: "anthropic",
    aliases: ["claude"],
    api: "anthropic",
    baseUrl: "https://api.anthropic.com",
    gateway: { path: "anthropic" },
  },
  {
    id: "azure",
    aliases: ["azure_openai"],
    baseUrl: "{endpoint}",
    placeholders: {
      endpoint: { variables: ["AZURE_API_BASE", "AZURE_ENDPOINT", "AZURE_OPENAI_ENDPOINT"] },
    },
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    azure: true,
    gateway: { path: "azure-openai" },
  },
  {
    id: "gemini",
    aliases: ["google"],
    api: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GOOGLE_API_KEY"],
    gateway: { path: "google-ai-studio/v1beta" },
    chat: {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      gateway: { path: "compat", modelPrefix: "google-ai-studio/" },
    },
  },
  {
    id: "vertex",
    aliases: ["vertex_ai"],
    baseUrl:
      "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/endpoints/openapi",
    placeholders: {
      project: { variables: ["GOOGLE_CLOUD_PROJECT", "VERTEX_PROJECT"] },
      location: {
        variables: ["GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION"],
        fallback: "us-central1",
      },
    },
    keyVariables: ["GOOGLE_ACCESS_TOKEN"],
  },
  { id: "groq", baseUrl: "https://api.groq.com/openai/v1", gateway: { path: "groq" } },
  {
    id: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    gateway: { path: "mistral/v1" },
    roles: { closing: GO_ON },
    lacks: ["streamOptions"],
  },
  {
    id: "together",
    aliases: ["together_ai"],
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"],
  },
  {
    id: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    gateway: { path: "compat", modelPrefix: "deepseek/" },
    lacks: ["responseSchema"],
  },
  {
    id: "xai",
    baseUrl: "https://api.x.ai/v1",
    gateway: { path: "compat", modelPrefix: "grok/" },
  },
  {
    id: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    headers: { "X-Title": "edgecrew" },
    gateway: { path: "openrouter" },
  },
  {
    id: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    gateway: { path: "compat", modelPrefix: "cerebras/" },
  },
  {
    id: "fireworks",
    aliases: ["fireworks_ai"],
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_AI_API_KEY"],
  },
  {
    id: "perplexity",
    baseUrl: "https://api.perplexity.ai",
    keyVariables: ["PERPLEXITYAI_API_KEY", "PPLX_API_KEY"],
    gateway: { path: "perplexity-ai" },
    roles: { closing: GO_ON, alternates: true },
    lacks: ["tools"],
  },
  {
    id: "nvidia",
    aliases: ["nvidia_nim"],
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariables: ["NVIDIA_NIM_API_KEY"],
    lacks: ["responseSchema"],
  },
  {
    id: "huggingface",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN"],
  },
  {
    id: "cohere",
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    keyVariables: ["CO_API_KEY"],
    gateway: { path: "compat", modelPrefix: "cohere/" },
  },
  {
    id: "bedrock",
    aliases: ["aws"],
    api: "bedrock",
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    placeholders: {
      region: {
        variables: ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_REGION_NAME"],
        fallback: "us-east-1",
      },
    },
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    chat: {
      baseUrl: "https://bedrock-runtime.{region}.amazonaws.com/openai/v1",
      roles: { closing: GO_ON },
      lacks: ["responseSchema"],
    },
  },
  {
    id: "ollama",
    aliases: ["ollama_chat"],
    baseUrl: "http://localhost:11434",
    baseUrlVariables: ["OLLAMA_HOST", "OLLAMA_API_BASE"],
    defaultKey: "ollama",
    shortBaseUrl: true,
    roles: { closing: "" },
  },
  {
    id: "hosted_vllm",
    baseUrl: "http://localhost:8000",
    baseUrlVariables: ["VLLM_BASE_URL", "HOSTED_VLLM_API_BASE"],
    keyVariables: ["VLLM_API_KEY"],
    defaultKey: "none",
    shortBaseUrl: true,
  },
  {
    id: "dashscope",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    lacks: ["responseSchema"],
  },
  {
    id: "snowflake",
    baseUrl: "https://{account}.snowflakecomputing.com/api/v2/cortex/v1",
    placeholders: { account: { variables: ["SNOWFLAKE_ACCOUNT"] } },
    keyVariables: ["SNOWFLAKE_PAT", "SNOWFLAKE_TOKEN", "SNOWFLAKE_JWT"],
  },
  {
    id: "workers-ai",
    aliases: ["workers_ai", "cloudflare"],
    api: "workers-ai",
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
    placeholders: { account: { variables: ["CLOUDFLARE_ACCOUNT_ID"] } },
    keyVariables: ["CLOUDFLARE_API_TOKEN"],
    gateway: { path: "workers-ai/v1" },
    lacks: ["responseSchema"],
  },
];

const BY_NAME: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.flatMap((provider) =>
    [provider.id, ...(provider.aliases ?? [])].map((name) => [name, provider] as const),
  ),
);

/** Finds a provider by id or alias, in any case. */
export function findProvider(name: string): Provider | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** Returns an unlisted provider, described by the variables `<NAME>_BASE_URL` and `<NAME>_API_KEY`. */
export function unlistedProvider(id: string, baseUrl: string): Provider {
  return { id, baseUrl, defaultKey: "none" };
}

/** `workers-ai` → `WORKERS_AI` */
export function variablePrefix(providerId: string): string {
  return providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** Returns the possible variables of a provider's key; messages name the first one. */
export function keyVariables(provider: Provider): readonly string[] {
  const own = `${variablePrefix(provider.id)}_API_KEY`;
  const others = provider.keyVariables ?? [];
  // Users of Cloudflare, AWS and Hugging Face know their token by the service's own name.
  return provider.api === "workers-ai" || provider.id === "bedrock" || provider.id === "huggingface"
    ? [...others, own]
    : [own, ...others];
}

export function baseUrlVariables(provider: Provider): readonly string[] {
  return [`${variablePrefix(provider.id)}_BASE_URL`, ...(provider.baseUrlVariables ?? [])];
}
