import { camelCase } from "../base/camel-case.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { isSecretName } from "../base/secret-name.ts";
import { plainSettings } from "./ag2-settings.ts";
import type { SecretReference } from "./definition-rules.ts";
import type { HideTools } from "./hide-tools.ts";
import type { ModelInterceptor } from "./interceptor.ts";
import type { ModelRequest } from "./language-model.ts";
import type { ModelCache } from "./model-cache.ts";
import { SETTING_CHECKS } from "./setting-checks.ts";
import { isJson } from "./wire.ts";

/** A model with its settings. Names may also be written in snake_case. */
export type ModelSettings = {
  /** `provider/model`, or a bare model name: `"openai/gpt-5-mini"`. */
  readonly model: string;
  /** The provider, instead of the one in the model's name. @default from the model's name */
  readonly provider?: string;
  /** The URL of the provider's API. Only the `apiKey` of these settings is sent to it, never a key from the environment. @default the provider's own */
  readonly baseUrl?: string;
  /**
   * Key, or a reference to its variable: `{ secret: "TEAM_KEY" }`. @default the provider's variable in the environment
   */
  readonly apiKey?: string | SecretReference;
  /** API version, for providers that require one: Azure. */
  readonly apiVersion?: string;
  /** True treats your own endpoint as OpenAI's API. It needs a base URL, here or in the environment. @default false */
  readonly customOpenai?: boolean;
  /**
   * API of OpenAI to use: chat completions or Responses.
   *
   * @default "chat", until a model accepts only Responses; for Gemini and Bedrock their own API
   */
  readonly api?: "chat" | "responses";
  /** Streams even without listeners, for providers that close long silent connections. @default false */
  readonly stream?: boolean;
  /** Sampling temperature, usually 0 to 2. @default the provider's */
  readonly temperature?: number;
  /** Nucleus sampling, 0 to 1. @default the provider's */
  readonly topP?: number;
  /** Upper bound of the answer, in tokens. @default the provider's; 4096 for Anthropic */
  readonly maxTokens?: number;
  /** Makes sampling repeatable, for providers that support it. @default none */
  readonly seed?: number;
  /** The model stops before any of these texts. @default [] */
  readonly stop?: string | readonly string[];
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** The number of answers to generate; only the first one is used. @default the provider's, usually 1 */
  readonly n?: number;
  readonly logitBias?: JsonObject;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  /** `none`, `low`, `medium`, `high`, or another value the model accepts. @default the model's */
  readonly reasoningEffort?: string;
  /** Anthropic's `{ type: "enabled", budgetTokens: 2048 }` or `{ type: "adaptive" }`. Gemini takes the budget. */
  readonly thinking?: JsonObject;
  /** Anthropic: finds tools by a search instead of reading all of them, from two tools on. True is `bm25`. */
  readonly toolSearch?: boolean | "regex" | "bm25";
  /** Shape of every answer: `{ type: "json_object" }`, `{ type: "json_schema", … }`, or a JSON Schema. A schema of a single call takes precedence. @default text */
  readonly responseFormat?: JsonObject;
  /** Accepts images. @default by the model's name */
  readonly vision?: boolean;
  /** Accepts PDFs and other documents. @default by the provider, for models with vision */
  readonly pdf?: boolean;
  /** Accepts audio. @default by the model's name */
  readonly audio?: boolean;
  /** Accepts video. @default by the provider */
  readonly video?: boolean;
  /** Uploads every file of a run to the provider, however small. @default false */
  readonly preferUpload?: boolean;
  /** Sees the HTTP requests and responses. Only in code. */
  readonly interceptor?: ModelInterceptor;
  /** Responses API: text sent before the system messages of the conversation. */
  readonly instructions?: string;
  /** Lets the provider store the answer. @default false in the Responses API, unless `autoChain` */
  readonly store?: boolean;
  /** Responses API: id of a stored response for each conversation to continue. */
  readonly previousResponseId?: string;
  /** Responses API: further data to return, such as `file_search_call.results`. @default [] */
  readonly include?: readonly string[];
  /** Responses API: tools the provider runs, by name (`web_search`, `code_interpreter`) or as described by its API. */
  readonly builtinTools?: readonly (string | JsonObject)[];
  /** Responses API: returns the calls of those tools as `builtinToolCalls`. @default false */
  readonly parseToolOutputs?: boolean;
  /** Responses API: sends only the messages after the last stored response of the conversation. @default false */
  readonly autoChain?: boolean;
  /** Responses API: sends the model's own encrypted reasoning of earlier turns back to it. @default true */
  readonly autoChainReasoning?: boolean;
  /** `text` makes agents describe tools in the prompt, for models without tool calls. @default "native" */
  readonly toolCalling?: "native" | "text";
  /** The size of the context window in tokens, 1024 to 2097152. @default the model's known size */
  readonly contextWindowSize?: number;
  /**
   * Time limit of one call, streaming included, in milliseconds. On expiry it fails with `timeout`, retryable. @default
   * no limit
   */
  readonly timeoutMs?: number;
  /** Further headers of every request. In stored definitions only beside a `baseUrl`. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** US dollars per thousand tokens, of the prompt and of the answer; one number for both. @default the model's known price */
  readonly price?: number | readonly [number, number];
  /** Labels for `where` of a list. Not sent. @default [] */
  readonly tags?: readonly string[];
  /** When the model may call no more tools: once one has returned a result (`if_any_run`), or each of them (`if_all_run`). @default "never" */
  readonly hideTools?: HideTools;
  /** Returns the same answer to a repeated request. Another seed has separate answers. @default no cache */
  readonly cacheSeed?: number;
  /** Lifetime of a cached answer, in seconds: an integer >= 60. @default 2_592_000, 30 days */
  readonly cacheTtlSeconds?: number;
  /** Cache of answers. Only in code. @default the deployment's, else one in this process */
  readonly cache?: ModelCache;
  /** Further fields of the request, sent unchanged. @default {} */
  readonly params?: JsonObject;
};

/** Settings in normal form: no nulls, `stop` is a list, and a response schema is separate from plain JSON mode. */
export type NormalSettings = Omit<ModelSettings, "stop" | "params" | "responseFormat"> & {
  readonly stop: readonly string[];
  readonly params: JsonObject;
  readonly responseSchema?: ModelRequest["responseSchema"];
  /** Any JSON object. */
  readonly answersJson?: true;
};

/** Settings only of the Responses API. */
export const RESPONSES_ONLY = [
  "instructions",
  "previousResponseId",
  "include",
  "builtinTools",
  "parseToolOutputs",
  "autoChain",
  "autoChainReasoning",
] as const satisfies readonly (keyof ModelSettings)[];

/** Settings the Responses API does not have. */
export const CHAT_ONLY = [
  "seed",
  "frequencyPenalty",
  "presencePenalty",
  "n",
  "logitBias",
] as const satisfies readonly (keyof ModelSettings)[];

const MODEL_KEYS = ["model", "model_name", "modelName", "deployment_name", "deploymentName"];

/** Other setting names, from definitions of other frameworks. */
const ALIASES: Readonly<Record<string, string>> = {
  stopSequences: "stop",
  apiBase: "baseUrl",
  baseURL: "baseUrl",
  maxCompletionTokens: "maxTokens",
  maxOutputTokens: "maxTokens",
  defaultHeaders: "headers",
  extraHeaders: "headers",
};

/** Settings of CrewAI and AG2 without a meaning here. */
const IGNORED = [
  "isLitellm",
  "llmType",
  "maxRetries",
  "callbacks",
  "voice",
  "checkEveryMs",
  "allowFormatStrTemplate",
];

/** Checks settings and returns them in normal form; unknown keys become `params`. */
export function readModelSettings(fields: object): NormalSettings {
  const input = plainSettings(fields);
  const settings: Record<string, JsonValue> = {};
  const unknown: Record<string, JsonValue> = {};
  const code: { interceptor?: ModelInterceptor; cache?: ModelCache } = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || value === null || MODEL_KEYS.includes(key)) continue;
    if (key === "interceptor") {
      code.interceptor = readInterceptor(value);
      continue;
    }
    if (key === "cache") {
      code.cache = readCache(value);
      continue;
    }
    if (!isJson(value)) throw invalid(`${key} must be JSON, got ${typeName(value)}`);
    // CrewAI's definitions have seconds here.
    if (key === "timeout" && typeof value === "number") {
      settings["timeoutMs"] = Math.round(value * 1000);
      continue;
    }
    const camel = camelCase(key);
    const name = Object.hasOwn(ALIASES, camel) ? (ALIASES[camel] ?? camel) : camel;
    if (IGNORED.includes(name)) continue;
    const check = Object.hasOwn(SETTING_CHECKS, name) ? SETTING_CHECKS[name] : undefined;
    if (name === "api" && value === "completions") {
      settings["api"] = "chat";
    } else if (check === undefined) {
      if (isSecretName(key))
        throw invalid(`${key} would be sent in the request: give the key as apiKey`);
      unknown[key] = value;
    } else if (check.holds(value)) {
      settings[name] = value;
    } else {
      throw invalid(
        `${key} must be ${check.expected}, got ${name === "apiKey" || name === "headers" ? typeName(value) : preview(value)}`,
      );
    }
  }
  const params = isJsonObject(settings["params"]) ? settings["params"] : {};
  const { stop, responseFormat, ...rest } = settings;
  return {
    ...rest,
    ...readResponseFormat(responseFormat),
    ...code,
    model: modelName(input),
    stop: typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop : [],
    params: { ...unknown, ...params },
  };
}

function modelName(input: object): string {
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const key of MODEL_KEYS) {
    const value = fields.get(key);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (value !== undefined && value !== null) {
      throw invalid(
        `${key} must be a model's name, such as "openai/gpt-4.1-mini", got ${preview(value)}`,
      );
    }
  }
  const received = [...fields.keys()].join(", ") || "none";
  throw invalid(
    `one of model, model_name and deployment_name is needed; keys received: ${received}`,
  );
}

/** `{ type: "json_object" }`, OpenAI's `{ type: "json_schema", json_schema: { name, schema } }`, or a schema itself. */
function readResponseFormat(
  format: JsonValue | undefined,
): Pick<NormalSettings, "responseSchema" | "answersJson"> {
  if (!isJsonObject(format) || format["type"] === "text") return {};
  if (format["type"] === "json_object") return { answersJson: true };
  const wrapped = format["type"] === "json_schema";
  const inner = format["json_schema"] ?? format["jsonSchema"] ?? format;
  const schema = wrapped && isJsonObject(inner) ? inner["schema"] : format;
  if (!isJsonObject(schema) || (schema["type"] !== "object" && schema["$ref"] === undefined)) {
    throw invalid(
      `responseFormat must be { type: "json_object" }, or a JSON Schema of an object, plain or as ` +
        `{ type: "json_schema", json_schema: { name, schema } }; got ${preview(format)}`,
    );
  }
  const name = wrapped && isJsonObject(inner) ? inner["name"] : schema["title"];
  return { responseSchema: { name: typeof name === "string" ? name : "answer", schema } };
}

function readInterceptor(value: unknown): ModelInterceptor {
  const isInterceptor =
    typeof value === "object" &&
    value !== null &&
    ["onOutbound", "onInbound"].some((name) => typeof Reflect.get(value, name) === "function");
  if (isInterceptor) return value;
  throw invalid(
    `interceptor must be an object with onOutbound or onInbound, which are functions; got ${preview(value)}`,
  );
}

function readCache(value: unknown): ModelCache {
  const isCache =
    typeof value === "object" &&
    value !== null &&
    ["get", "set"].every((name) => typeof Reflect.get(value, name) === "function");
  if (isCache) return value as ModelCache;
  throw invalid(`cache must be an object with get and set, got ${preview(value)}`);
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `model settings: ${what}`);
}
