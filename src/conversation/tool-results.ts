// What the tool calls of one turn come to together.
//
//   TRS1. Results are taken in the order of their calls: variables add up, and the last target wins.
//   TRS2. A result is text for the model: texts as they are, nothing as an empty text, parts of text by their texts, all else as JSON.
import { toJson, type JsonObject } from "../base/json.ts";
import type { ToolCall } from "../llm/language-model.ts";
import { checkedVariables } from "./context-variables.ts";
import { resultText, type ConversationMessage, type ToolResponse } from "./messages.ts";
import { isTarget, targetLabel, type TransitionTarget } from "./targets.ts";

/** The name of the tool by which a model answers in a form. */
export const STRUCTURED_OUTPUT = "__structured_output";

/** What a tool returns that also sets variables or hands over. */
export class ReplyResult {
  readonly message: unknown;
  readonly target: TransitionTarget | undefined;
  readonly contextVariables: JsonObject;

  constructor(result: {
    readonly message: unknown;
    readonly target?: TransitionTarget;
    readonly contextVariables?: JsonObject;
  }) {
    this.message = result.message;
    this.target = result.target;
    this.contextVariables = result.contextVariables ?? {};
  }
}

/** What one call came to. It is made right after the call, and recorded. */
export type CallOutcome = {
  readonly content: string;
  readonly target?: TransitionTarget;
  readonly contextVariables?: JsonObject;
};

/** Reads what a tool returned: a `ReplyResult`, a target, or any value. Throws `invalid_input` for variables that are not JSON. */
export function callOutcome(result: unknown): CallOutcome {
  if (isTarget(result))
    return { content: `Handing over to ${targetLabel(result)}.`, target: result };
  if (!(result instanceof ReplyResult)) return { content: resultText(toJson(result)) };
  const { message, target } = result;
  const contextVariables = checkedVariables(result.contextVariables);
  return {
    content: resultText(toJson(message)),
    ...(target === undefined ? {} : { target }),
    ...(Object.keys(contextVariables).length === 0 ? {} : { contextVariables }),
  };
}

/** The results of a turn. */
export type ToolResults = {
  readonly message: ConversationMessage;
  /** Variables to set, all as one change. */
  readonly contextVariables: JsonObject;
  /** Where the turn leads; none where no tool said it. */
  readonly target?: TransitionTarget;
};

/** Puts the outcomes of a turn's calls together. */
export function foldToolResults(
  outcomes: readonly (CallOutcome & { readonly toolCallId: string })[],
): ToolResults {
  const responses: ToolResponse[] = outcomes.map(({ toolCallId, content }) => ({
    toolCallId,
    content,
  }));
  const target = outcomes.findLast((each) => each.target !== undefined)?.target;
  const variables = outcomes.flatMap(({ contextVariables = {} }) =>
    Object.entries(contextVariables),
  );
  return {
    message: {
      role: "tool",
      content: outcomes.map(({ content }) => content).join("\n"),
      toolResponses: responses,
    },
    contextVariables: Object.fromEntries(variables),
    ...(target === undefined ? {} : { target }),
  };
}

/** The arguments of the call by which a model answered in a form, if it made one: they are the reply. */
export function structuredOutput(calls: readonly ToolCall[]): string | undefined {
  return calls.find(({ name }) => name === STRUCTURED_OUTPUT)?.arguments;
}
