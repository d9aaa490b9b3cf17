// Combined result of a turn's tool calls.
//
//   TRS1. Results are applied in the order of their calls: variables accumulate, and the last target wins.
//   TRS2. A result is text for the model: texts unchanged, null as an empty text, text parts by their texts, other
//         values as JSON, with maps, sets and errors in the form for readers (RV3). A result without such a form fails
//         with its path.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import type { JsonObject } from "../base/json.ts";
import { viewOf } from "../base/recorded.ts";
import type { ToolCall } from "../llm/language-model.ts";
import { checkedVariables, ContextVariables, type ContextChange } from "./context-variables.ts";
import { resultText } from "./messages.ts";
import { checkTarget, isTarget, targetLabel, type TransitionTarget } from "./targets/targets.ts";

/** Name of the tool for a model's answer in a form. */
export const STRUCTURED_OUTPUT = "__structured_output";

type ReplyFields = {
  readonly message: unknown;
  readonly target?: TransitionTarget;
  /** Variables to set: some, or all of the tool's variables. */
  readonly contextVariables?: JsonObject | ContextVariables;
};

const OPTIONS = definitionOptions<ReplyFields>("new ReplyResult()", {
  message: true,
  target: true,
  contextVariables: true,
});

/** A tool's result that also sets variables or hands over. */
export class ReplyResult {
  readonly message: unknown;
  readonly target: TransitionTarget | undefined;
  readonly contextVariables: JsonObject;

  constructor(result: ReplyFields) {
    refuseUnknownOptions(result, OPTIONS, new.target !== ReplyResult);
    const { message, target, contextVariables = {} } = result;
    if (target !== undefined) checkTarget(target);
    this.message = message;
    this.target = target;
    this.contextVariables =
      contextVariables instanceof ContextVariables ? contextVariables.toObject() : contextVariables;
  }

  /** Serializes as its message outside of a conversation. */
  toJSON(): unknown {
    return this.message;
  }
}

/** Outcome of one call, made right after the call. */
export type CallOutcome = {
  readonly content: string;
  readonly target?: TransitionTarget;
  /** Changes of the call to the variables, oldest first; absent without changes. */
  readonly changes?: readonly ContextChange[];
};

/**
 * Reads a tool's result: a `ReplyResult`, a target, or any value. `made` are the changes by the call itself, before
 * those of a `ReplyResult`. Throws `invalid_input` for variables outside of JSON.
 */
export function callOutcome(result: unknown, made: readonly ContextChange[] = []): CallOutcome {
  if (isTarget(result))
    return {
      content: `Handing over to ${targetLabel(result)}.`,
      target: result,
      ...changesField(made),
    };
  if (!(result instanceof ReplyResult))
    return { content: contentOf(result), ...changesField(made) };
  const { message, target } = result;
  const values = checkedVariables(result.contextVariables);
  const isSetting = Object.keys(values).length > 0;
  return {
    content: contentOf(message),
    ...(target === undefined ? {} : { target }),
    ...changesField(isSetting ? [...made, { kind: "set", values }] : made),
  };
}

/** Returns the text of a result for a model. Throws `output_invalid` with the path of a value without a text form. */
export function contentOf(result: unknown): string {
  return result === undefined ? "" : resultText(viewOf(result));
}

/** Effects of a message's calls beside their texts. */
export type ToolEffects<Target = TransitionTarget> = {
  /** Changes to the variables, in the order of the calls. */
  readonly changes: readonly ContextChange[];
  /** Target of the last call that hands over. */
  readonly target?: Target;
};

/** Combines the outcomes of calls, in order. */
export function foldToolResults<Target>(
  outcomes: ReadonlyArray<Partial<ToolEffects<Target>>>,
): ToolEffects<Target> {
  const target = outcomes.findLast((each) => each.target !== undefined)?.target;
  const changes = outcomes.flatMap((each) => each.changes ?? []);
  return { changes, ...(target === undefined ? {} : { target }) };
}

function changesField(changes: readonly ContextChange[]): Pick<CallOutcome, "changes"> {
  return changes.length === 0 ? {} : { changes };
}

/** Returns the arguments of the call in which a model answered in a form, if any: they are the reply. */
export function structuredOutput(calls: readonly ToolCall[]): string | undefined {
  return calls.find(({ name }) => name === STRUCTURED_OUTPUT)?.arguments;
}
