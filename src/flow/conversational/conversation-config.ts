// Configuration of a conversational flow, and its checks.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import type { ConversationLimits } from "./conversation-state.ts";
import type { ConversationTools } from "./conversation-tools.ts";

/** Configuration of a model that chooses the route of a turn. */
export type RouterConfig = {
  /** Replaces the model's instructions. */
  readonly prompt?: string;
  /** Shape of the model's answer, with the route in `intentField`. @default an object of that field alone */
  readonly responseFormat?: OutputSchema;
  /** @default `intentLlm`, then `llm` of the conversation; without any, every turn goes to `defaultIntent` */
  readonly llm?: ModelSpec;
  /** Offered routes beside `converse` and `end`. @default the labels with listeners but without a router */
  readonly routes?: readonly string[];
  /** Purpose of each route. @default the description of the method that listens to it */
  readonly routeDescriptions?: Readonly<Record<string, string>>;
  /** Route without a model to ask. @default "converse" */
  readonly defaultIntent?: string;
  /**
   * Route if the model fails or names no offered route; an empty text stands for `defaultIntent`. @default "converse"
   */
  readonly fallbackIntent?: string;
  /** @default "intent" */
  readonly intentField?: string;
};

/** Models, routes and texts of a conversation. */
export type ConversationConfig = {
  /**
   * Instructions of the conversing model; an empty text means no instructions. @default the prompt
   * `slices.conversationalSystemPrompt`
   */
  readonly systemPrompt?: string;
  /**
   * Conversing model. Without one, `converse` replies that there is no model.
   * @default `answerFromHistoryLlm`, then `router.llm`, or without a router `intentLlm`
   */
  readonly llm?: ModelSpec;
  readonly router?: RouterConfig;
  /** @default the prompt `slices.conversationalAnswerFromHistoryPrompt` */
  readonly answerFromHistoryPrompt?: string;
  /** Intents for the classification of each turn's message, if the turn names none. */
  readonly defaultIntents?: readonly string[];
  /** Model for the classification of messages. @default `llm` */
  readonly intentLlm?: ModelSpec;
  /** Model that decides if the history already answers a message, and then answers from it. */
  readonly answerFromHistoryLlm?: ModelSpec;
  /** Names of the agents whose results are public. */
  readonly visibleAgentOutputs?: readonly string[] | "all";
  /** Chooses the route of a turn itself; null and undefined leave it to the rules. A method `routeTurn` of a flow class does the same. */
  readonly routeTurn?: (turn: ConversationTools) => RouteChoice | Promise<RouteChoice>;
  /** Maximum number of stored messages, events, and results of each agent: an integer >= 2. @default 200 */
  readonly maxMessages?: number;
  /** Maximum length of each of these lists as JSON text, in UTF-16 units. An integer >= 1000. @default 200_000 */
  readonly maxLength?: number;
};

/** A route, or no choice. */
export type RouteChoice = string | null | undefined;

/** Built-in routes of every conversational flow; they are labels, in CrewAI's spelling. */
export const CONVERSE = "converse";
export const END = "end";
export const ANSWER_FROM_HISTORY = "answer_from_history";

export const DEFAULT_LIMITS: ConversationLimits = { maxMessages: 200, maxLength: 200_000 };

const FIELDS = [
  "systemPrompt",
  "llm",
  "router",
  "answerFromHistoryPrompt",
  "defaultIntents",
  "intentLlm",
  "answerFromHistoryLlm",
  "visibleAgentOutputs",
  "routeTurn",
  "maxMessages",
  "maxLength",
];
const ROUTER_FIELDS = [
  "prompt",
  "responseFormat",
  "llm",
  "routes",
  "routeDescriptions",
  "defaultIntent",
  "fallbackIntent",
  "intentField",
];

/** Throws `invalid_definition` and names the field. */
export function checkConversation(config: ConversationConfig): void {
  checkFields("conversational", config, FIELDS);
  const { router, visibleAgentOutputs: visible } = config;
  checkText("systemPrompt", config.systemPrompt);
  checkText("answerFromHistoryPrompt", config.answerFromHistoryPrompt);
  checkLabels("defaultIntents", config.defaultIntents);
  if (visible !== "all") checkLabels("visibleAgentOutputs", visible, 'a list of names, or "all"');
  checkInteger("maxMessages", config.maxMessages, 2);
  checkInteger("maxLength", config.maxLength, 1000);
  for (const name of ["llm", "intentLlm", "answerFromHistoryLlm"] as const)
    checkModel(name, config[name]);
  if (config.routeTurn !== undefined && typeof config.routeTurn !== "function")
    throw invalid("routeTurn", "a function", config.routeTurn);
  if (router === undefined) return;
  checkFields("router", router, ROUTER_FIELDS);
  checkText("router.prompt", router.prompt);
  checkModel("router.llm", router.llm);
  if (router.routes?.length !== 0) checkLabels("router.routes", router.routes);
  checkText("router.fallbackIntent", router.fallbackIntent);
  for (const name of ["defaultIntent", "intentField"] as const)
    if (router[name] === "") throw invalid(`router.${name}`, "a text that is not empty", "");
    else checkText(`router.${name}`, router[name]);
  const descriptions: unknown = router.routeDescriptions ?? {};
  if (
    !isJsonObject(descriptions) ||
    Object.values(descriptions).some((text) => typeof text !== "string")
  )
    throw invalid("router.routeDescriptions", "texts by route", descriptions);
}

function checkFields(where: string, value: unknown, known: readonly string[]): void {
  if (!isJsonObject(value))
    throw new EngineError(
      "invalid_definition",
      `${where} must be an object, got ${preview(value)}`,
    );
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new EngineError(
      "invalid_definition",
      `${where} has no field "${stranger}"; expected one of: ${known.join(", ")}`,
    );
}

function checkText(field: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string") throw invalid(field, "a text", value);
}

function checkModel(field: string, value: unknown): void {
  if (value === "" || value === null) throw invalid(field, "a model", value);
}

function checkLabels(
  field: string,
  value: unknown,
  expected = "a list of texts that are not empty, at least one",
): void {
  if (value === undefined) return;
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((label) => typeof label === "string" && label !== "");
  if (!isList) throw invalid(field, expected, value);
}

function checkInteger(field: string, value: unknown, least: number): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) >= least))
    throw invalid(field, `an integer >= ${least}`, value);
}

function invalid(field: string, expected: string, value: unknown): EngineError {
  return new EngineError(
    "invalid_definition",
    `conversational.${field} must be ${expected}, got ${preview(value)}`,
  );
}
