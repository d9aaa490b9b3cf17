// Requests in the form of Gemini's own API: ai.google.dev/api/generate-content, looked up in November 2026.
import { camelCase } from "../../base/camel-case.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { ModelRequest, ToolSpec } from "../language-model.ts";
import type { NormalSettings } from "../model-settings.ts";
import { behaves } from "../providers/native-rows.ts";
import { strictSchema } from "../strict-schema.ts";
import { sentContents, type Conversation } from "./conversation.ts";

/** Fields of a request; all other settings belong to its `generationConfig`. */
const FIELDS = ["cachedContent", "labels", "safetySettings", "serviceTier", "store"];

/** Maximum number of stop words in a request. */
export const MAX_STOPS = 5;

function isField([name]: readonly [string, unknown]): boolean {
  return FIELDS.includes(camelCase(name));
}

/** Returns the request fields shared by every call of a model. */
export function requestBase(model: string, settings: NormalSettings): JsonObject {
  const { temperature, topP, maxTokens, seed, frequencyPenalty, presencePenalty } = settings;
  const { generationConfig, ...params } = settings.params;
  const all = Object.entries(params);
  const thinkingConfig = thinkingOf(model, settings);
  return {
    ...Object.fromEntries(all.filter(isField)),
    generationConfig: {
      ...Object.fromEntries(all.filter((each) => !isField(each))),
      ...(isJsonObject(generationConfig) ? generationConfig : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
      ...(seed === undefined ? {} : { seed }),
      ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
      ...(presencePenalty === undefined ? {} : { presencePenalty }),
      ...(settings.answersJson ? { responseMimeType: "application/json" } : {}),
      ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
    },
  };
}

export type Body = {
  readonly base: JsonObject;
  readonly conversation: Conversation;
  readonly tools: readonly JsonObject[];
  readonly stop: readonly string[];
  readonly responseSchema: ModelRequest["responseSchema"];
  readonly toolChoice: ModelRequest["toolChoice"];
};

export function toRequest(body: Body): JsonObject {
  const { base, conversation, tools, stop, responseSchema, toolChoice } = body;
  const instructions = conversation.system.filter((text) => text.trim() !== "").join("\n\n");
  const mode = toolChoice === undefined ? undefined : toolChoice === "none" ? "NONE" : "ANY";
  const allowed =
    typeof toolChoice === "object" ? { allowedFunctionNames: [toolChoice.tool] } : undefined;
  return {
    ...base,
    contents: sentContents(conversation),
    ...(instructions === "" ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: [...tools] }] }),
    ...(mode === undefined || tools.length === 0
      ? {}
      : { toolConfig: { functionCallingConfig: { mode, ...allowed } } }),
    generationConfig: {
      ...(base["generationConfig"] as JsonObject),
      ...(stop.length === 0 ? {} : { stopSequences: stop.slice(0, MAX_STOPS) }),
      ...(responseSchema === undefined
        ? {}
        : {
            responseMimeType: "application/json",
            responseJsonSchema:
              strictSchema(responseSchema.schema, "optional") ?? responseSchema.schema,
          }),
    },
  };
}

export function toTools(tools: readonly ToolSpec[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
}

/** Tokens for an effort, as its endpoint in OpenAI's dialect has them. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

function thinkingOf(
  model: string,
  { thinking, reasoningEffort }: NormalSettings,
): JsonObject | undefined {
  const budget = thinking?.["budgetTokens"] ?? thinking?.["budget_tokens"];
  if (thinking !== undefined && thinking["type"] !== "disabled")
    return {
      includeThoughts: true,
      ...(typeof budget === "number" ? { thinkingBudget: budget } : {}),
    };
  const effort = thinking === undefined ? reasoningEffort : "none";
  if (effort === undefined) return undefined;
  // From Gemini 3 on, models have levels instead of budgets, and always think.
  if (!behaves(model, "thinking_budget"))
    return { thinkingLevel: effort === "none" ? "minimal" : effort };
  const ofEffort = BUDGETS[effort];
  return ofEffort === undefined ? undefined : { thinkingBudget: ofEffort };
}
