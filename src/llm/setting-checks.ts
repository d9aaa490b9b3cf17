import { isJsonObject, type JsonValue } from "../base/json.ts";
import { isSecretReference } from "./definition-rules.ts";
import { HIDE_TOOLS } from "./hide-tools.ts";

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
const texts: Check = {
  expected: "a list of strings",
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

function within(least: number, most: number): Check {
  return {
    expected: `a number from ${least} to ${most}`,
    holds: (value) => typeof value === "number" && value >= least && value <= most,
  };
}

function isPrice(value: JsonValue): boolean {
  return typeof value === "number" && value >= 0;
}

/** Checks of the settings, by name. */
export const SETTING_CHECKS: Readonly<Record<string, Check>> = {
  provider: text,
  baseUrl: text,
  apiKey: {
    expected: 'a string, or { secret: "NAME" }',
    holds: (value) => typeof value === "string" || isSecretReference(value),
  },
  apiVersion: text,
  customOpenai: flag,
  api: {
    expected: '"chat" or "responses"',
    holds: (value) => value === "chat" || value === "responses",
  },
  stream: flag,
  temperature: within(0, 2),
  topP: within(0, 1),
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
  n: atLeastOne,
  logitBias: object,
  logprobs: flag,
  topLogprobs: integer,
  reasoningEffort: text,
  thinking: object,
  toolSearch: {
    expected: 'true, false, "regex" or "bm25"',
    holds: (value) => typeof value === "boolean" || value === "regex" || value === "bm25",
  },
  responseFormat: object,
  vision: flag,
  pdf: flag,
  audio: flag,
  video: flag,
  preferUpload: flag,
  instructions: text,
  store: flag,
  previousResponseId: text,
  include: texts,
  builtinTools: {
    expected: "a list of names and objects",
    holds: (value) =>
      Array.isArray(value) && value.every((item) => typeof item === "string" || isJsonObject(item)),
  },
  parseToolOutputs: flag,
  autoChain: flag,
  autoChainReasoning: flag,
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
  headers: {
    expected: "an object of texts",
    holds: (value) =>
      isJsonObject(value) && Object.values(value).every((each) => typeof each === "string"),
  },
  price: {
    expected: "a number >= 0, or two of them: of the prompt and of the answer",
    holds: (value) =>
      Array.isArray(value) ? value.length === 2 && value.every(isPrice) : isPrice(value),
  },
  tags: texts,
  hideTools: {
    expected: HIDE_TOOLS.map((each) => `"${each}"`).join(", "),
    holds: (value) => HIDE_TOOLS.some((each) => each === value),
  },
  cacheSeed: integer,
  cacheTtlSeconds: {
    expected: "an integer >= 60",
    holds: (value) => typeof value === "number" && Number.isInteger(value) && value >= 60,
  },
  params: object,
};
