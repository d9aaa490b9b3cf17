// Checks on what an agent is told and says, which can end its turn and hand over.
//
//   GRL1. The first guardrail that is activated decides: its answer is the turn, and its target comes next.
//   GRL2. What is checked before an agent speaks is what is new since it spoke; an old match is not found again. With `all` it is everything.
//   GRL3. A message is checked with its text and the arguments of its tool calls; no content is an empty text.
import type { JsonObject } from "../../base/json.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { TransitionTarget } from "../targets.ts";
import { firstMatch, textPattern } from "./text-pattern.ts";

/** A check and where it leads. */
export type ConversationGuardrail = {
  readonly name: string;
  readonly condition: GuardrailCondition;
  readonly target: TransitionTarget;
  /** What the agent says instead. @default a sentence with the guardrail's name */
  readonly activationMessage?: string;
};

/** A regular expression, or a question that a model answers. */
export type GuardrailCondition =
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "model"; readonly prompt: string };

/** What a check came to. */
export type GuardrailResult =
  | { readonly activated: false }
  | {
      readonly activated: true;
      readonly guardrail: ConversationGuardrail;
      readonly justification: string;
    };

/** Asks a model whether a condition holds; its answer is read by `readJudgement`. */
export type GuardrailJudge = (prompt: string, text: string) => Promise<unknown>;

/** The form of a model's judgement, as a JSON Schema. */
export const JUDGEMENT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    activated: { type: "boolean", description: "Whether the condition holds." },
    justification: { type: "string", description: "Why, in one sentence." },
  },
  required: ["activated", "justification"],
  additionalProperties: false,
};

/** A guardrail that looks for a regular expression, with upper and lower case as written. Throws `invalid_definition`. */
export function regexGuardrail(
  options: Omit<ConversationGuardrail, "condition"> & { readonly condition: string },
): ConversationGuardrail {
  const { condition, ...rest } = options;
  textPattern(condition);
  return { ...rest, condition: { kind: "regex", pattern: condition } };
}

/** A guardrail that a model judges. Throws `invalid_definition` for a condition without words. */
export function modelGuardrail(
  options: Omit<ConversationGuardrail, "condition"> & { readonly condition: string },
): ConversationGuardrail {
  const { condition, ...rest } = options;
  if (typeof condition !== "string" || condition.trim() === "")
    throw invalidDefinition(`a guardrail needs a condition in words, got ${preview(condition)}`);
  return { ...rest, condition: { kind: "model", prompt: condition } };
}

/** The first of the guardrails that is activated by one of these messages. A model is asked only once no earlier one was activated. */
export async function checkGuardrails(
  guardrails: readonly ConversationGuardrail[],
  messages: readonly ConversationMessage[],
  judge: GuardrailJudge,
): Promise<GuardrailResult> {
  const texts = messages.map(checkedText);
  for (const guardrail of guardrails) {
    const justification = await justified(guardrail.condition, texts, judge);
    if (justification !== undefined) return { activated: true, guardrail, justification };
  }
  return { activated: false };
}

/** What an agent says in place of its turn. */
export function guardrailReply({
  guardrail,
  justification,
}: Extract<GuardrailResult, { activated: true }>): string {
  const { activationMessage = `The guardrail "${guardrail.name}" stopped this turn.` } = guardrail;
  return `${activationMessage}\nJustification: ${justification}`;
}

/** The messages that an agent has not answered yet, or all of them. */
export function messagesToCheck(
  messages: readonly ConversationMessage[],
  agent: string,
  scope: "new" | "all" = "new",
): readonly ConversationMessage[] {
  if (scope === "all") return messages;
  return messages.slice(messages.findLastIndex(({ name }) => name === agent) + 1);
}

/** Reads a model's judgement. Throws `output_invalid` for an answer in another form. */
export function readJudgement(answer: unknown): { activated: boolean; justification: string } {
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
  condition: GuardrailCondition,
  texts: readonly string[],
  judge: GuardrailJudge,
): Promise<string | undefined> {
  if (condition.kind === "model") {
    const text = texts.filter((each) => each !== "").join("\n\n");
    if (text === "") return undefined;
    const { activated, justification } = readJudgement(await judge(condition.prompt, text));
    return activated ? justification : undefined;
  }
  const pattern = textPattern(condition.pattern);
  for (const text of texts) {
    const match = firstMatch(pattern, text);
    if (match !== undefined) return `the text ${preview(match)} matches ${condition.pattern}`;
  }
  return undefined;
}

function checkedText({ content, toolCalls = [], functionCall }: ConversationMessage): string {
  const calls = functionCall === undefined ? toolCalls : [...toolCalls, functionCall];
  return [contentText(content), ...calls.map((call) => call.arguments)]
    .filter((text) => text !== "")
    .join("\n");
}
