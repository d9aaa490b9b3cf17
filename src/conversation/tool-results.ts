// What the tool calls of one turn come to together.
//
//   TRS1. Results are taken in the order of their calls: variables add up, and the last target wins.
//   TRS2. A result is text for the model: texts as they are, nothing as an empty text, parts of text by their texts, all else as
//        JSON, with maps, sets, errors and the like as readers see them (RV3). A result without such a form fails with its path.
import type { JsonObject } from "../base/json.ts";
import { viewOf } from "../base/recorded.ts";
import type { ToolCall } from "../llm/language-model.ts";
import { checkedVariables, ContextVariables, type ContextChange } from "./context-variables.ts";
import { resultText } from "./messages.ts";
import { checkTarget, isTarget, targetLabel, type TransitionTarget } from "./targets.ts";

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
    /** Variables to set: some, or all of them as a tool was given them. */
    readonly contextVariables?: JsonObject | ContextVariables;
  }) {
    const { message, target, contextVariables = {} } = result;
    if (target !== undefined) checkTarget(target);
    this.message = message;
    this.target = target;
    this.contextVariables =
      contextVariables instanceof ContextVariables ? contextVariables.toObject() : contextVariables;
  }

  /** Outside of a conversation it is its message. */
  toJSON(): unknown {
    return this.message;
  }
}

/** What one call came to. It is made right after the call. */
export type CallOutcome = {
  readonly content: string;
  readonly target?: TransitionTarget;
  /** What the call did to the variables, oldest first; absent where it did nothing. */
  readonly changes?: readonly ContextChange[];
};

/**
 * Reads what a tool returned: a `ReplyResult`, a target, or any value. `made` is what the call itself did to the variables, before
 * what a `ReplyResult` sets. Throws `invalid_input` for variables that are not JSON.
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

/** The text of a result for a model. Throws `output_invalid` with the path of a value that no text can show. */
export function contentOf(result: unknown): string {
  return result === undefined ? "" : resultText(viewOf(result));
}

/** What the calls of a message come to beside their texts. */
export type ToolEffects<Target = TransitionTarget> = {
  /** What they did to the variables, in the order of the calls. */
  readonly changes: readonly ContextChange[];
  /** Where the last of them that hands over leads. */
  readonly target?: Target;
};

/** Puts the outcomes of calls together, in their order. */
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

/** The arguments of the call by which a model answered in a form, if it made one: they are the reply. */
export function structuredOutput(calls: readonly ToolCall[]): string | undefined {
  return calls.find(({ name }) => name === STRUCTURED_OUTPUT)?.arguments;
}
