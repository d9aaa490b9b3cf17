import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { isJson } from "./wire.ts";

/** A model with settings of its own. Names may also be written in snake_case. */
export type ModelSettings = {
  /** `provider/model`, or a bare model name. */
  readonly model: string;
  /** Takes the provider from here instead of from the model's name. */
  readonly provider?: string;
  /** Where the provider's API is. Receives only the `apiKey` given beside it, never a key from the environment. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Which of the provider's APIs to speak. */
  readonly api?: "chat";
  /** Streams even when nobody listens, for providers that cut long silent answers. */
  readonly stream?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  /** Upper bound of the answer, in tokens. @default the provider's; 4096 for Anthropic */
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly stop?: string | readonly string[];
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly reasoningEffort?: string;
  /** Anthropic's: `{ type: "enabled", budget_tokens: 2048 }`, `{ type: "adaptive" }`. */
  readonly thinking?: JsonObject;
  /** `text` makes agents describe tools in the prompt, for models that cannot call them. @default "native" */
  readonly toolCalling?: "native" | "text";
  /** Tokens, 1024 to 2097152. @default from model-data.ts */
  readonly contextWindowSize?: number;
  /** How long one call may take, streaming included, in milliseconds. On expiry it fails with `timeout`, retryable. */
  readonly timeoutMs?: number;
  /** Sent to the provider as they are. */
  readonly params?: JsonObject;
};

/** Settings in their one form: no nulls, `stop` a list. */
export type NormalSettings = Omit<ModelSettings, "stop" | "params"> & {
  readonly stop: readonly string[];
  readonly params: JsonObject;
};

const MODEL_KEYS = ["model", "model_name", "modelName", "deployment_name", "deploymentName"];

const SIZE_LIMITS = { smallest: 1024, largest: 2_097_152 };

type Check = { readonly expected: string; readonly holds: (value: JsonValue) => boolean };

const text: Check = { expected: "a string", holds: (value) => typeof value === "string" };
const flag: Check = { expected: "true or false", holds: (value) => typeof value === "boolean" };
const number: Check = { expected: "a number", holds: (value) => typeof value === "number" };
const integer: Check = { expected: "an integer", holds: (value) => Number.isInteger(value) };
const atLeastOne: Check = {
  expected: "an integer >= 1",
  holds: (value) => typeof value === "number" && Number.isInteger(value) && value >= 1,
};
const object: Check = { expected: "an object", holds: isJsonObject };

const CHECKS: Readonly<Record<string, Check>> = {
  provider: text,
  baseUrl: text,
  apiKey: text,
  api: { expected: '"chat", the only one supported so far', holds: (value) => value === "chat" },
  stream: flag,
  temperature: number,
  topP: number,
  maxTokens: atLeastOne,
  seed: integer,
  stop: {
    expected: "a string or a list of strings",
    holds: (value) =>
      typeof value === "string" ||
      (Array.isArray(value) && value.every((item) => typeof item === "string")),
  },
  frequencyPenalty: number,
  presencePenalty: number,
  reasoningEffort: text,
  thinking: object,
  toolCalling: {
    expected: '"native" or "text"',
    holds: (value) => value === "native" || value === "text",
  },
  contextWindowSize: {
    expected: `an integer from ${SIZE_LIMITS.smallest} to ${SIZE_LIMITS.largest}`,
    holds: (value) =>
      typeof value === "number" &&
      Number.isInteger(value) &&
      value >= SIZE_LIMITS.smallest &&
      value <= SIZE_LIMITS.largest,
  },
  timeoutMs: atLeastOne,
  params: object,
};

/** Other names that definitions written for other crews use. */
const ALIASES: Readonly<Record<string, string>> = {
  stopSequences: "stop",
  apiBase: "baseUrl",
  baseURL: "baseUrl",
  maxCompletionTokens: "maxTokens",
};

/** Checks settings and gives them their one form; unknown keys become `params`. */
export function readModelSettings(given: object): NormalSettings {
  const settings: Record<string, JsonValue> = {};
  const unknown: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || MODEL_KEYS.includes(key)) continue;
    if (!isJson(value)) throw invalid(`${key} must be JSON, got ${typeName(value)}`);
    // The seconds that other crews give here.
    if (key === "timeout" && typeof value === "number") {
      settings["timeoutMs"] = Math.round(value * 1000);
      continue;
    }
    const camel = camelCase(key);
    const name = ALIASES[camel] ?? camel;
    const check = CHECKS[name];
    if (check === undefined) {
      unknown[key] = value;
    } else if (check.holds(value)) {
      settings[name] = value;
    } else {
      throw invalid(`${key} must be ${check.expected}, got ${preview(value)}`);
    }
  }
  const params = isJsonObject(settings["params"]) ? settings["params"] : {};
  const { stop } = settings;
  return {
    ...settings,
    model: modelName(given),
    stop: typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop : [],
    params: { ...unknown, ...params },
  };
}

function modelName(given: object): string {
  const fields = new Map<string, unknown>(Object.entries(given));
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

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function invalid(what: string): EngineError {
  return new EngineError("invalid_definition", `model settings: ${what}`);
}
