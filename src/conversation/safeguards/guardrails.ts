// Checks on an agent's received and sent messages. They can end its turn and hand over.
//
//   GRL1. The first activated guardrail decides: its answer is the turn, and its target comes next.
//   GRL2. An input guardrail checks messages since the agent's last one; old matches do not count again. With `all` it
//         checks everything.
//   GRL3. A message is checked with its text and the arguments of its tool calls; missing content is an empty text.
//   GRL4. The agent's replacement text repeats neither the match nor the pattern, which may be the very word.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import type { JsonObject } from "../../base/json.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { TransitionTarget } from "../targets/targets.ts";
import { argumentsText } from "./arguments-text.ts";
import { textPattern } from "./text-pattern.ts";

/** A check and its target. */
export type ConversationGuardrail = {
  /** Unique among the guardrails of one side of an agent. */
  readonly name: string;
  readonly condition: GuardrailCondition;
  readonly target: TransitionTarget;
  /** The agent's replacement text. @default a sentence with the guardrail's name */
  readonly activationMessage?: string;
  /** Scope of an input guardrail: messages since the agent's last one, or all. @default "new" */
  readonly messages?: "new" | "all";
};

/** A regular expression, or a question to a model: its own, or else the agent's. */
export type GuardrailCondition =
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "model"; readonly prompt: string; readonly llm?: ModelSpec };

/** Result of a check. */
export type GuardrailResult =
  | { readonly activated: false }
  | {
      readonly activated: true;
      readonly guardrail: ConversationGuardrail;
      readonly justification: string;
    };

/** Asks a model to judge the guardrail's condition. */
export type GuardrailJudge = (guardrail: ConversationGuardrail, text: string) => Promise<Judgement>;

/** A model's judgement on a condition. */
export type Judgement = { readonly activated: boolean; readonly justification: string };

/** JSON Schema of a model's judgement. */
export const JUDGEMENT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    activated: { type: "boolean", description: "Whether the condition holds." },
    justification: { type: "string", description: "Why, in one sentence." },
  },
  required: ["activated", "justification"],
  additionalProperties: false,
};

type GuardrailOptions = Omit<ConversationGuardrail, "condition"> & { readonly condition: string };

const GUARDRAIL = {
  name: true,
  condition: true,
  target: true,
  activationMessage: true,
  messages: true,
} as const;

const REGEX_GUARDRAIL = definitionOptions<GuardrailOptions>("regexGuardrail()", GUARDRAIL);

const MODEL_GUARDRAIL = definitionOptions<GuardrailOptions & { readonly llm?: ModelSpec }>(
  "modelGuardrail()",
  { ...GUARDRAIL, llm: true },
  { llmConfig: "write llm" },
);

/** Makes a guardrail with a case-sensitive regular expression. Throws `invalid_definition`. */
export function regexGuardrail(options: GuardrailOptions): ConversationGuardrail {
  refuseUnknownOptions(options, REGEX_GUARDRAIL);
  const { condition, ...rest } = options;
  textPattern(condition);
  return { ...rest, condition: { kind: "regex", pattern: condition } };
}

/**
 * Makes a guardrail judged by a model, the agent's unless `llm` is set. Throws `invalid_definition` for an empty
 * condition.
 */
export function modelGuardrail(
  options: GuardrailOptions & { readonly llm?: ModelSpec },
): ConversationGuardrail {
  refuseUnknownOptions(options, MODEL_GUARDRAIL);
  const { condition, llm, ...rest } = options;
  if (typeof condition !== "string" || condition.trim() === "")
    throw invalidDefinition(`a guardrail needs a condition in words, got ${preview(condition)}`);
  const own = llm === undefined ? undefined : { llm };
  return { ...rest, condition: { kind: "model", prompt: condition, ...own } };
}

/**
 * Returns the first guardrail activated by its messages. A model is asked only if no earlier guardrail was activated.
 */
export async function checkGuardrails(
  guardrails: readonly ConversationGuardrail[],
  messagesFor: (guardrail: ConversationGuardrail) => readonly ConversationMessage[],
  judge: GuardrailJudge,
): Promise<GuardrailResult> {
  for (const guardrail of guardrails) {
    const texts = messagesFor(guardrail).map(checkedText);
    const justification = await justified(guardrail, texts, judge);
    if (justification !== undefined) return { activated: true, guardrail, justification };
  }
  return { activated: false };
}

/** Returns the agent's replacement for its turn. */
export function guardrailReply({
  guardrail,
  justification,
}: Extract<GuardrailResult, { activated: true }>): string {
  const { activationMessage = `The guardrail "${guardrail.name}" stopped this turn.` } = guardrail;
  return `${activationMessage}\nJustification: ${justification}`;
}

/**
 * Returns messages that the agent has not answered, or all. Its last message is recognised by identity: other members
 * may have the same name.
 */
export function messagesToCheck(
  messages: readonly ConversationMessage[],
  lastOwn: ConversationMessage | undefined,
  scope: "new" | "all" = "new",
): readonly ConversationMessage[] {
  if (scope === "all" || lastOwn === undefined) return messages;
  return messages.slice(messages.lastIndexOf(lastOwn) + 1);
}

/** Reads a model's judgement. Throws `output_invalid` for an answer in another form. */
export function readJudgement(answer: unknown): Judgement {
  if (!isJsonObject(answer) || typeof answer["activated"] !== "boolean")
    throw new EngineError(
      "output_invalid",
      `a guardrail's model answers { "activated": boolean, "justification": string }, got ${preview(answer)}`,
    );
  const { activated, justification } = answer;
  const isText = typeof justification === "string" && justification !== "";
  return { activated, justification: isText ? justification : "No justification was provided." };
}

async function justified(
  guardrail: ConversationGuardrail,
  texts: readonly string[],
  judge: GuardrailJudge,
): Promise<string | undefined> {
  const { condition } = guardrail;
  if (condition.kind === "model") {
    const text = texts.filter((each) => each !== "").join("\n\n");
    if (text === "") return undefined;
    const { activated, justification } = await judge(guardrail, text);
    return activated ? justification : undefined;
  }
  const pattern = textPattern(condition.pattern);
  return texts.some((text) => pattern.test(text))
    ? "a message matches the guardrail's pattern"
    : undefined;
}

function checkedText({ content, toolCalls = [], functionCall }: ConversationMessage): string {
  const calls = functionCall === undefined ? toolCalls : [...toolCalls, functionCall];
  return [contentText(content), ...calls.map((call) => argumentsText(call.arguments))]
    .filter((text) => text !== "")
    .join("\n");
}

/** The guardrail that decided a turn. */
export type TurnGuardrail = { readonly side: GuardrailSide; readonly name: string };

export type GuardrailSide = "input" | "output";
